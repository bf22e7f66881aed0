package robotstxt

import (
	"encoding/binary"
	"sync"
)

// The index of a file lists the lines that decide something or hold a record,
// in file order, as a stream of about three bytes a line. Beside its body and that,
// a File keeps where the User-agent lines stand in it.

// entryKind is what an entry stands for.
type entryKind uint8

const (
	agentEntry    entryKind = iota // a User-agent line
	allowEntry                     // an Allow line in a group
	disallowEntry                  // a Disallow line in a group
	recordEntry                    // a sitemap or a record that is not of the protocol
)

// entry is one line of the index.
type entry struct {
	kind       entryKind
	marked     bool // an agent that opens a group; a record that stands in one
	line       int
	start, end int // of the value in the body; of a record, from its key on
}

// shortStep is the first number of lines since the last entry that does not
// fit into the five bits of an entry's tag.
const shortStep = 31

// indexWriter writes the index of a file.
type indexWriter struct {
	index      []byte
	agentLines []agentLine
	line, end  int   // of the last entry
	groups     int32 // that were opened
}

// indexWriters are used again: how long an index gets is known when it is written.
var indexWriters = sync.Pool{New: func() any { return new(indexWriter) }}

func (x *indexWriter) reset() {
	*x = indexWriter{index: x.index[:0], agentLines: x.agentLines[:0]}
}

// addAgent appends the entry of an agent line.
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

// entryReader walks over the index of a file.
type entryReader struct {
	index []byte
	entry entry
	group int // the number of the last group that was opened; -1: none
}

func (f *File) entries() entryReader { return entryReader{index: f.index, group: -1} }

// agentLine is where the entry of a User-agent line stands in the index, with what its
// reader knows before it.
type agentLine struct {
	at        uint32 // in the index
	line, end uint32 // of the entry before
	start     uint32 // of its value in the body
	size      uint32 // of its value
	group     int32
}

// entriesBehind returns a reader of the entries behind the agent line of that number, for
// nextOfGroup: it does not know the number of the group.
func (f *File) entriesBehind(line int32) entryReader {
	a := &f.agentLines[line]
	r := entryReader{index: f.index[a.at:]}
	r.entry.line, r.entry.end = int(a.line), int(a.end)
	r.next()
	return r
}

// nextOfGroup moves to the next entry, and reports whether it is of the same group.
func (r *entryReader) nextOfGroup() bool {
	group := r.group
	return r.next() && r.group == group
}

// opening returns the number of the agent line that opens the group of one.
func (f *File) opening(line int32) int32 {
	for line > 0 && f.agentLines[line-1].group == f.agentLines[line].group {
		line--
	}
	return line
}

// mostRules returns how many rules groups have at most, of each of which an agent line is
// given: an entry takes three octets of the index.
func (f *File) mostRules(lines []int32) (most int) {
	for _, line := range lines {
		next := int(line) + 1
		for next < len(f.agentLines) && f.agentLines[next].group == f.agentLines[line].group {
			next++
		}
		end := len(f.index)
		if next < len(f.agentLines) {
			end = int(f.agentLines[next].at)
		}
		most += (end - int(f.agentLines[line].at)) / 3
	}
	return most
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
