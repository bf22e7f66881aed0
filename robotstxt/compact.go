package robotstxt

import (
	"slices"
	"sync"
)

// Compact returns copies of policies that take less memory, and their approximate size in bytes. All policies must be of
// one File. Copies make the same decisions, with the same line numbers. The copy of a nil policy is nil.
func Compact(policies []*Policy) (compact []*Policy, size int) {
	c := compactions.Get().(*compaction)
	defer c.release()
	for _, p := range policies {
		if p != nil && p.file != nil {
			c.from = p.file
		}
	}
	c.copyGroups(policies)
	compact = make([]*Policy, len(policies))
	for i, p := range policies {
		if p != nil {
			compact[i] = c.policy(p)
			size += compact[i].Size()
		}
	}
	return compact, size + c.to.Size()
}

type compaction struct {
	from, to *File
	openings []int32
	// copiedLines[i] is the index, in from.agentLines, of User-agent line i of the new File.
	copiedLines []int32
	body        []byte
	index       indexWriter
}

var compactions = sync.Pool{New: func() any { return new(compaction) }}

func (c *compaction) release() {
	const most = 1 << 20
	if c.from, c.to = nil, nil; cap(c.body) > most {
		c.body = nil
	}
	compactions.Put(c)
}

func (c *compaction) copyGroups(policies []*Policy) {
	c.openings, c.copiedLines, c.body = c.openings[:0], c.copiedLines[:0], c.body[:0]
	c.index.reset()
	for _, p := range policies {
		if p != nil && p.rules != nil {
			for _, g := range p.rules.groups {
				c.openings = append(c.openings, c.from.openingLine(g.named))
			}
		}
	}
	slices.Sort(c.openings)
	c.openings = slices.Compact(c.openings)
	for _, opening := range c.openings {
		c.copyGroup(opening)
	}
	c.to = &File{body: string(c.body)}
	c.index.copyTo(c.to)
	if c.from != nil {
		c.to.dialect = c.from.dialect
	}
}

// copyGroup copies only the values of lines, because decisions need no keys, comments and line ends.
func (c *compaction) copyGroup(opening int32) {
	a := &c.from.agentLines[opening]
	part := c.from.partAfter(opening)
	part.start, part.line, part.end = a.entryStart, a.line, a.end
	line := opening
	for r := part.reader(c.from.index); r.next(); {
		e := &r.entry
		start := len(c.body)
		c.body = append(c.body, c.from.body[e.start:e.end]...)
		switch e.kind {
		case agentEntry, openingEntry:
			c.copiedLines = append(c.copiedLines, line)
			line++
			c.index.addAgent(e.kind == openingEntry, e.line, start, len(c.body))
		default:
			c.index.add(e.kind, e.line, start, len(c.body))
		}
	}
}

func (c *compaction) policy(p *Policy) *Policy {
	if p.file == nil {
		return new(Policy)
	}
	compact := &Policy{file: c.to, dialect: p.dialect, fixed: p.fixed, ignoresEveryone: p.ignoresEveryone}
	compact.agents = append(compact.agent[:0], p.agents...) // p.agents may be memory inside p
	if p.rules != nil {
		var room [4]int32
		lines := room[:0]
		for _, g := range p.rules.groups {
			at, _ := slices.BinarySearch(c.copiedLines, g.named)
			lines = append(lines, int32(at))
		}
		compact.rules = c.to.rulesOf(lines)
	}
	return compact
}
