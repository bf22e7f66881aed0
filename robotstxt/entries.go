package robotstxt

import (
	"encoding/binary"
	"sync"
)

// The index of a file lists its User-agent lines, rules and records, in file order. Most entries have three bytes: tag, gap
// and length. The parts of an entry are:
//
//	tag     bits 0 to 2: the kind; bits 3 to 7: the number of lines since the previous entry, at most shortStep
//	step    only if bits 3 to 7 are shortStep: the number of further lines, as a uvarint
//	gap     the number of bytes between the previous value and this value, as a uvarint
//	length  the number of bytes of the value, as a uvarint

type entryKind uint8

const (
	agentEntry   entryKind = iota // a User-agent line of a group that is open already
	openingEntry                  // a User-agent line that opens a new group
	allowEntry
	disallowEntry
	recordEntry // a Sitemap line or another record outside of any group
	boundEntry  // a Sitemap line or another record in a group
)

func (k entryKind) isRule() bool { return k == allowEntry || k == disallowEntry }

type entry struct {
	kind       entryKind
	line       int
	start, end int // where the value is in the body; a record includes its key
}

// shortStep is the longest distance to the entry above, in lines, that the tag of an entry can store: five bits.
const shortStep = 31

type indexWriter struct {
	index      []byte
	agentLines []agentLine
	line, end  int // the line number of the previous entry, and where its value ends
	groups     int32
}

// indexWriters keeps buffers for the next file, because the size of an index is not known before the file is parsed.
var indexWriters = sync.Pool{New: func() any { return new(indexWriter) }}

func (x *indexWriter) reset() {
	*x = indexWriter{index: x.index[:0], agentLines: x.agentLines[:0]}
}

func (x *indexWriter) copyTo(f *File) {
	f.index = append([]byte(nil), x.index...)
	f.agentLines = append([]agentLine(nil), x.agentLines...)
}

func (x *indexWriter) addAgent(opens bool, line, start, end int) {
	kind := agentEntry
	if opens {
		kind = openingEntry
		x.groups++
	}
	x.agentLines = append(x.agentLines, agentLine{
		entryStart: uint32(len(x.index)), line: uint32(x.line), end: uint32(x.end),
		start: uint32(start), size: uint32(end - start), group: x.groups - 1,
	})
	x.add(kind, line, start, end)
}

func (x *indexWriter) add(kind entryKind, line, start, end int) {
	step, gap, length := line-x.line, start-x.end, end-start
	x.line, x.end = line, end
	tag := byte(kind) | byte(min(step, shortStep))<<3
	if step < shortStep && gap|length < 0x80 { // nearly every entry has these three bytes
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

type entryReader struct {
	rest  []byte
	entry entry
	group int // the number of the group that was opened last, or -1
}

func (f *File) entries() entryReader { return entryReader{rest: f.index, group: -1} }

// agentLine is a User-agent line. It has all that an entryReader needs to begin at this line.
type agentLine struct {
	entryStart uint32 // where the entry begins in the index
	line, end  uint32 // the line number of the entry before it, and where the value of that entry ends
	start      uint32
	size       uint32
	group      int32
}

// partAfter returns the entries after a User-agent line, up to the end of its group.
func (f *File) partAfter(line int32) groupPart {
	a := &f.agentLines[line]
	r := groupPart{line, a.entryStart, uint32(len(f.index)), a.line, a.end}.reader(f.index)
	r.next()
	part := groupPart{named: line, start: uint32(len(f.index) - len(r.rest)), stop: uint32(len(f.index)), line: uint32(r.entry.line), end: uint32(r.entry.end)}
	for next := int(line) + 1; next < len(f.agentLines); next++ {
		if f.agentLines[next].group != a.group {
			part.stop = f.agentLines[next].entryStart
			break
		}
	}
	return part
}

// The field group of this reader is wrong, because the reader does not know which group it reads.
func (g groupPart) reader(index []byte) entryReader {
	return entryReader{rest: index[g.start:g.stop], entry: entry{line: int(g.line), end: int(g.end)}}
}

func (f *File) openingLine(line int32) int32 {
	for line > 0 && f.agentLines[line-1].group == f.agentLines[line].group {
		line--
	}
	return line
}

func (f *File) agentValue(a *agentLine) string { return f.body[a.start:][:a.size] }

func (r *entryReader) next() bool {
	x := r.rest
	if len(x) < 3 || x[0] >= shortStep<<3 || x[1]|x[2] >= 0x80 || entryKind(x[0]&7) == openingEntry {
		return r.nextLong()
	}
	r.rest = x[3:]
	e := &r.entry
	e.kind, e.line, e.start = entryKind(x[0]&7), e.line+int(x[0]>>3), e.end+int(x[1])
	e.end = e.start + int(x[2])
	return true
}

// nextLong does the work of next in rare cases: a long entry, the start of a group, or no entry.
func (r *entryReader) nextLong() bool {
	if len(r.rest) == 0 {
		return false
	}
	tag := r.rest[0]
	r.rest = r.rest[1:]
	e := &r.entry
	e.kind = entryKind(tag & 7)
	step := int(tag >> 3)
	if step == shortStep {
		step += r.uvarint()
	}
	e.line += step
	e.start = e.end + r.uvarint()
	e.end = e.start + r.uvarint()
	if e.kind == openingEntry {
		r.group++
	}
	return true
}

func (r *entryReader) uvarint() int {
	v, n := binary.Uvarint(r.rest)
	r.rest = r.rest[n:]
	return int(v)
}
