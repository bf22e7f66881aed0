package robotstxt

import (
	"maps"
	"slices"
)

// Compact returns policies with the same decisions as the given ones of one File, and about how many bytes of memory
// they take together. They do not keep that File in memory, but only the groups that apply to one of them, which are
// a third of usual files. To all methods it is as if the File had no other groups; lines keep their numbers.
// A nil policy stays nil.
func Compact(policies []*Policy) (compact []*Policy, size int) {
	c := compaction{to: new(File)}
	for _, p := range policies {
		if p != nil && p.file != nil {
			c.from, c.to.dialect = p.file, p.file.dialect
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

// A compaction copies some groups of a file to another one.
type compaction struct {
	from *File
	to   *File           // not a part of this, or it would keep from in memory
	line map[int32]int32 // the number in to.agentLines of those in from.agentLines
}

// copyGroups copies the groups that apply to policies, in file order.
func (c *compaction) copyGroups(policies []*Policy) {
	c.line = map[int32]int32{}
	for _, p := range policies {
		if p != nil && p.rules != nil {
			for _, g := range p.rules.groups {
				c.line[c.from.opening(g.named)] = 0
			}
		}
	}
	var body []byte
	x := indexWriter{}
	for _, opening := range slices.Sorted(maps.Keys(c.line)) {
		body = c.copyGroup(opening, body, &x)
	}
	c.to.body, c.to.index, c.to.agentLines = string(body), slices.Clip(x.index), slices.Clip(x.agentLines)
}

// copyGroup appends what is written in a group to a body, one value after the other.
func (c *compaction) copyGroup(opening int32, body []byte, x *indexWriter) []byte {
	a := &c.from.agentLines[opening]
	part := c.from.partBehind(opening)
	part.at, part.line, part.end = a.at, a.line, a.end
	line := opening
	for r := part.reader(c.from.index); r.next(); {
		e := &r.entry
		start := len(body)
		body = append(body, c.from.body[e.start:e.end]...)
		switch e.kind {
		case agentEntry, openingEntry:
			c.line[line] = int32(len(x.agentLines))
			line++
			x.addAgent(e.kind == openingEntry, e.line, start, len(body))
		default:
			x.add(e.kind, e.line, start, len(body))
		}
	}
	return body
}

// policy returns the policy of the copied groups that a policy is for.
func (c *compaction) policy(p *Policy) *Policy {
	if p.file == nil {
		return new(Policy)
	}
	compact := &Policy{file: c.to, dialect: p.dialect, fixed: p.fixed, ignores: p.ignores}
	compact.agents = append(compact.agent[:0], p.agents...) // p.agents may be a part of p
	if p.rules != nil {
		lines := make([]int32, len(p.rules.groups))
		for i, g := range p.rules.groups {
			lines[i] = c.line[g.named]
		}
		compact.rules = c.to.rulesOf(lines)
	}
	return compact
}
