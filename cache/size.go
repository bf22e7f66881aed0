package cache

import "github.com/heed-robots/heed/fetch"

const defaultMemoryBytes = 64 << 20

// Limits as divisors of Cache.MemoryBytes: 16 means a sixteenth of MemoryBytes.
const (
	policyShare = 16 // limit of the compiled policies of one file, so that one file does not use all memory
	// waitingShare limits the records that wait to be written, which take memory in addition to MemoryBytes.
	waitingShare = 4
)

// Limits as divisors of the bytes that a bounded map may take.
const (
	largeShare     = 128 // a value that takes more than this part is a large value
	largeListShare = 8   // limit of all values in the list of large values
)

// Measured sizes of values in bytes, without their texts.
const (
	slotSize    = 190 // a record, with its key and its place in the map
	entrySize   = 450
	policySize  = 60
	resultSize  = 165
	hopSize     = 55
	namesSize   = 340 // a map with up to eight names of headers
	siteIDSize  = 60
	valueSize   = 30 // one text, such as the value of a header, without its bytes
	versionSize = 100
	noteSize    = 130 // a note, with its key and its place in the map
)

// Go rounds the size of an allocation up, on average by about a sixth.
func allocatedBytes(bytes int) int { return bytes + bytes/6 }

// The caller must hold e.mu.
func entryBytes(e *entry) int {
	bytes := entrySize + recordBytes(e.record) + resultBytes(e.ownFailure)
	if e.file != nil {
		bytes += e.file.Size() - len(e.record.Body()) // the file and the record share the bytes of the body
	}
	if sum := e.sum.Load(); sum != nil {
		bytes += valueSize + len(*sum)
	}
	if n := e.lastID.Load(); n != nil {
		bytes += siteIDSize
	}
	if uses := e.uses.Load(); uses != nil {
		bytes += uses.Size()
	}
	return bytes + policiesBytes(e.policies.Load())
}

// The size is computed each time, because a policy can grow.
func policiesBytes(p *policy) (bytes int) {
	for ; p != nil; p = p.older {
		bytes += policyBytes(p)
	}
	return bytes
}

func policyBytes(p *policy) int {
	bytes := policySize + p.Size()
	for _, agent := range p.agents {
		bytes += valueSize + len(agent)
	}
	return bytes
}

func recordBytes(r *Record) int {
	bytes := slotSize + len(r.Origin.Host()) + resultBytes(r.Answered) + resultBytes(r.Failed)
	if r.Copy != r.Answered {
		bytes += resultBytes(r.Copy)
	}
	return bytes
}

func resultBytes(r *fetch.Result) int {
	if r == nil {
		return 0
	}
	bytes := resultSize + len(r.Body) + len(r.Encoding)
	for _, h := range r.Hops {
		bytes += hopSize + len(h.URL) + len(h.Location)
	}
	bytes += (len(r.Header) + 7) / 8 * namesSize
	for name, values := range r.Header {
		bytes += len(name)
		for _, v := range values {
			bytes += valueSize + len(v)
		}
	}
	if r.Err != nil {
		bytes += valueSize + len(r.Err.Error())
	}
	return bytes
}

func noteBytes(key noteKey, note []byte) int64 {
	if len(note) == 0 {
		return 0
	}
	return int64(allocatedBytes(noteSize + len(key.origin.Host()) + len(key.name) + len(note)))
}
