package cache

import "github.com/heed-robots/heed/fetch"

// Everything that is counted in bytes.

const defaultMemoryBytes = 64 << 20

// Of the bytes of a Cache.
const (
	policyShare  = 16 // the policies of one file, so that the crawlers of one file do not take all
	waitingShare = 4  // in addition, the records that wait to be written
)

// Of the bytes of a bounded map.
const (
	largeShare     = 128 // a value that takes more than this part is large
	largeListShare = 8   // the list of large values
)

// What things take in memory beside their bytes: a seventh less than measured, which
// allocated adds.
const (
	slotSize    = 190 // a record, its place in the map, and its key
	entrySize   = 450 // with its state
	policySize  = 60
	resultSize  = 165
	hopSize     = 55
	namesSize   = 340 // up to eight names of headers
	valueSize   = 30  // of a header, or a name
	versionSize = 100
)

// allocated is what so many bytes take in memory: allocations are rounded up.
func allocated(bytes int) int { return bytes + bytes/6 }

// entryBytes is about what an entry takes: its record, the file in it and what was
// compiled of that. The caller holds e.mu.
func entryBytes(e *entry) int {
	bytes := entrySize + recordBytes(e.record) + resultBytes(e.ours)
	if e.file != nil {
		bytes += e.file.Size() - len(e.record.Body()) // which is that of the record
	}
	return bytes + policiesBytes(e.policies.Load())
}

// policiesBytes is about what a list of policies takes beside its file. The file may have
// dropped the rules of a policy since it was compiled.
func policiesBytes(p *policy) (bytes int) {
	for ; p != nil; p = p.older {
		bytes += policyBytes(p)
	}
	return bytes
}

// policyBytes is about what a policy takes beside its file.
func policyBytes(p *policy) int {
	bytes := policySize + p.Size()
	for _, agent := range p.agents {
		bytes += valueSize + len(agent)
	}
	return bytes
}

// memorizedBytes is about what a Memory takes for an origin.
func memorizedBytes(m *memorized) int {
	bytes := recordBytes(m.record)
	for _, v := range m.history {
		bytes += versionSize + len(v.Body)
	}
	return bytes
}

// recordBytes is about what a record takes.
func recordBytes(r *Record) int {
	bytes := slotSize + len(r.Origin.Host()) + resultBytes(r.Answered) + resultBytes(r.Failed)
	if r.Copy != r.Answered {
		bytes += resultBytes(r.Copy)
	}
	return bytes
}

// resultBytes is about what a result takes: a server chooses the size of most of it.
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
