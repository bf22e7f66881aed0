package robotstxt

import (
	"encoding/binary"
	"sync"
)

// The index of a file lists its User-agent lines, the rules of its groups and its records, in
// file order. An entry has about three bytes:
//
//	tag     bits 0 and 1: the kind; bit 2: marked; bits 3 to 7: lines since the last entry
//	step    only if bits 3 to 7 are shortStep: how many lines more, as a uvarint
//	gap     octets between the value of the last entry and this value, as a uvarint
//	length  octets of the value, as a uvarint

// entryKind is the kind of line of an entry.
type entryKind uint8

const (
	agentEntry    entryKind = iota // a User-agent line
	allowEntry                     // an Allow line in a group
	disallowEntry                  // a Disallow line in a group
	recordEntry                    // a Sitemap line or another record
)

// entry is one line of the index.
type entry struct {
	kind       entryKind
	marked     bool // a User-agent line: it opens a group; a record: it is in a group
	line       int
	start, end int // of the value in the body; of a record: of key and value
}

// shortStep is the highest value of the five bits for lines in an entry's tag.
const shortStep = 31

// indexWriter writes the index of a file.
type indexWriter struct {
	index      []byte
	agentLines []agentLine
	line, end  int   // of the last entry
	groups     int32 // that were opened
}

// indexWriters keeps buffers for the next file: the size of an index is only known when
// it is written.
var indexWriters = sync.Pool{New: func() any { return new(indexWriter) }}

func (x *indexWriter) reset() {
	*x = indexWriter{index: x.index[:0], agentLines: x.agentLines[:0]}
}

// addAgent appends the entry of a User-agent line.
func (x *indexWriter) addAgent(opens bool, line, start, end int) {
	if opens {
		x.groups++
	}
	x.agentLines = append(x.agentLines, agentLine{
		at: uint32(len(x.index)), line: uint32(x.line), end: uint32(x.end),
		start: uint32(start), size: uint32(end - start), group: x.groups - 1,
	})
	x.add(agentEntry, opens, line, start, end)
}

// add appends an entry.
func (x *indexWriter) add(kind entryKind, marked bool, line, start, end int) {
	step, gap, length := line-x.line, start-x.end, end-start
	x.line, x.end = line, end
	tag := byte(kind) | byte(min(step, shortStep))<<3
	if marked {
		tag |= 1 << 2
	}
	if step < shortStep && gap|length < 0x80 { // nearly always
		x.index = append(x.index, tag, byte(gap), byte(length))
		return
	}
	x.index = append(x.index, tag)
	if step >= shortStep {
		x.index = binary.AppendUvarint(x.index, uint64(step-shortStep))
	}
	x.index = binary.AppendUvarint(x.index, uint64(gap))
	x.index = binary.AppendUvarint(x.index, uint64(length))
}

// entryReader reads the entries of an index.
type entryReader struct {
	index []byte // from the next entry on
	entry entry  // the current one
	group int    // the number of the group that was opened last; -1: none
}

func (f *File) entries() entryReader { return entryReader{index: f.index, group: -1} }

// agentLine is a User-agent line, with all that is needed to read the index from there on.
type agentLine struct {
	at        uint32 // of its entry in the index
	line, end uint32 // of the entry before
	start     uint32 // of its value in the body
	size      uint32 // of its value
	group     int32
}

// entriesBehind returns a reader of the entries behind an agent line. It is for
// nextOfGroup only: the number of its group is wrong.
func (f *File) entriesBehind(line int32) entryReader {
	a := &f.agentLines[line]
	r := entryReader{index: f.index[a.at:]}
	r.entry.line, r.entry.end = int(a.line), int(a.end)
	r.next()
	return r
}

// nextOfGroup moves to the next entry, and reports whether it is in the same group.
func (r *entryReader) nextOfGroup() bool {
	group := r.group
	return r.next() && r.group == group
}

// opening returns the number of the agent line that opens the group of the given one.
func (f *File) opening(line int32) int32 {
	for line > 0 && f.agentLines[line-1].group == f.agentLines[line].group {
		line--
	}
	return line
}

// maxRules returns an upper limit for the number of rules in the groups of the given
// agent lines: an entry has at least three bytes.
func (f *File) maxRules(lines []int32) (limit int) {
	for _, line := range lines {
		next := int(line) + 1
		for next < len(f.agentLines) && f.agentLines[next].group == f.agentLines[line].group {
			next++
		}
		end := len(f.index)
		if next < len(f.agentLines) {
			end = int(f.agentLines[next].at)
		}
		limit += (end - int(f.agentLines[line].at)) / 3
	}
	return limit
}

// agentValue returns the value of an agent line.
func (f *File) agentValue(a *agentLine) string { return f.body[a.start:][:a.size] }

// next moves to the next entry.
func (r *entryReader) next() bool {
	if len(r.index) == 0 {
		return false
	}
	tag := r.index[0]
	e := &r.entry
	e.kind, e.marked = entryKind(tag&3), tag&(1<<2) != 0
	step := int(tag >> 3)
	if step != shortStep && len(r.index) > 2 && r.index[1]|r.index[2] < 0x80 { // nearly always
		e.start = e.end + int(r.index[1])
		e.end = e.start + int(r.index[2])
		r.index = r.index[3:]
	} else {
		r.index = r.index[1:]
		if step == shortStep {
			step += r.uvarint()
		}
		e.start = e.end + r.uvarint()
		e.end = e.start + r.uvarint()
	}
	e.line += step
	if e.kind == agentEntry && e.marked {
		r.group++
	}
	return true
}

func (r *entryReader) uvarint() int {
	v, n := binary.Uvarint(r.index)
	r.index = r.index[n:]
	return int(v)
}
