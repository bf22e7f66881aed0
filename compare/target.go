package compare

import (
	"cmp"
	"slices"
)

// A target is a rule of one of the two policies. The search is for a path about which this rule decides, and about which
// the other policy has the opposite verdict.
type target struct {
	own, other *side
	index      int // the index of the rule; len(own.rules) stands for the paths that no rule matches
	without    int // the line of a rule that the other side must ignore, or noLine
}

// noLine is not a line number. It is not 0, because the rule that always allows /robots.txt has line 0.
const noLine = -1

func (t target) wildcards() int {
	if t.index == len(t.own.rules) {
		return 0
	}
	return len(t.own.rules[t.index].Segments) - 1
}

// find returns the shortest path about which the rule of a target decides, and about which the other policy has the
// opposite verdict.
func (c *comparison) find(t target) (path string, f found) {
	if c.budget.isSpent() {
		return "", tooMuch
	}
	verdict := t.own.verdict(t.index)
	limit, undecided := noLimit, false
	least := 0 // the path has at least this many bytes
	if t.index < len(t.own.rules) {
		least = t.own.rules[t.index].least()
	}
	// open is how many rules of the other side may decide about a path with the opposite verdict. The case that no rule of the
	// other side matches counts as one more rule.
	open := 0
	better := len(t.other.rules) // only rules of the other side with a lower index can give the opposite verdict
	if t.other.otherwise != verdict {
		p, f, blocker := c.pair(t, len(t.other.rules), limit)
		switch f {
		case aPath:
			path, limit = p, lengthOf(p)
			open++
		case nothing:
			better = blocker
		case tooMuch:
			return "", tooMuch // no work is left for the other rules
		}
	}
	opposite := c.opposite(t, better)
	open += len(opposite)
	for _, index := range opposite {
		if max(least, t.other.rules[index].least()) >= limit {
			break // the rules are sorted by this length, so all later ones are too long
		}
		switch p, f, _ := c.pair(t, index, limit); {
		case f == aPath:
			path, limit = p, lengthOf(p)
		case f == tooMuch:
			undecided = true
		case limit == noLimit:
			open--
		}
	}
	switch {
	case path != "":
		c.result.More = c.result.More || open > 1
		return path, aPath
	case undecided:
		return "", tooMuch
	}
	return "", nothing
}

// opposite returns the indexes of rules of the other policy that have the opposite verdict and may match the same paths as
// the target. The rules with the shortest paths come first. Only indexes below before are returned.
func (c *comparison) opposite(t target, before int) []int {
	head := ""
	if t.index < len(t.own.rules) {
		head = t.own.rules[t.index].head()
	}
	verdict := t.own.verdict(t.index)
	c.indexes = t.other.heads.appendMeeting(c.indexes[:0], head, &c.budget)
	indexes := c.opposites[:0]
	for _, i := range c.indexes {
		if i >= before || t.other.rules[i].Allowed == verdict {
			continue
		}
		c.budget.spend(oppositeWork)
		if t.other.first[i] == i && !t.own.hasBetter(t.other, i, t.index) {
			indexes = append(indexes, i)
		}
	}
	c.opposites = indexes
	slices.SortFunc(indexes, func(a, b int) int {
		return cmp.Or(cmp.Compare(t.other.rules[a].least(), t.other.rules[b].least()), cmp.Compare(a, b))
	})
	return indexes
}

// oppositeWork is about how many steps it takes to find and sort one opposite rule.
const oppositeWork = 4

// hasBetter reports whether s has a rule that equals rule i of the other policy and comes before the rule of s with the given
// index. If the result is true, the rule with the given index never decides about a path that rule i matches.
func (s *side) hasBetter(other *side, i, index int) bool {
	if s == other {
		return s.first[i] < index
	}
	own, has := s.indexes[other.rules[i].key]
	return has && own < index
}

// pair returns the shortest path about which the rule of the target decides, and which the other policy's rule with the
// given index also matches. The path must be shorter than limit. The other policy has the opposite verdict about this
// path, because no better rule with the verdict of the target matches. The index len(t.other.rules) stands for paths that
// no rule of the other policy matches.
//
// If there is no such path, worst is the largest index of a rule of the other policy that is in the way. If no rule is in
// the way, worst is 0.
func (c *comparison) pair(t target, index, limit int) (path string, f found, worst int) {
	verdict := t.own.verdict(t.index)
	required, avoided := c.required[:0], c.avoided[:0]
	defer func() { c.required, c.avoided = required, avoided }()
	if t.index < len(t.own.rules) {
		required = append(required, t.own.rules[t.index])
	}
	if index < len(t.other.rules) {
		required = append(required, t.other.rules[index])
	}
	for {
		path, f := c.search.shortest(&c.budget, required, avoided, limit)
		if f != aPath {
			return "", f, worst
		}
		if r := c.blocker(t.own, t.index, path, nil); r >= 0 {
			avoided = append(avoided, t.own.rules[r])
			continue
		}
		r := c.blocker(t.other, index, path, func(r *rule) bool { return r.Allowed == verdict && r.Rule.Line != t.without })
		if r < 0 {
			return path, aPath, worst
		}
		worst = max(worst, r)
		avoided = append(avoided, t.other.rules[r])
	}
}

// blocker returns a rule that matches a path and decides before the rule with the given index. Only rules for which kind
// returns true are considered; if kind is nil, all rules are considered. If there is no such rule, blocker returns -1. If there
// are several, it returns the one that probably matches the most paths: the shortest of the rules with the fewest wildcards.
func (c *comparison) blocker(s *side, index int, path string, kind func(*rule) bool) int {
	c.indexes = s.heads.appendBegun(c.indexes[:0], path, &c.budget)
	var bytes byteSet
	bytes.addAll(path)
	best := -1
	for _, i := range c.indexes {
		r := s.rules[i]
		if i >= index || kind != nil && !kind(r) {
			continue
		}
		if !r.Lax && !r.bytes.isIn(&bytes) {
			c.budget.spend(r.matchWork(path)) // the same work as if the rule had been tried
			continue
		}
		if !r.matches(path, &c.budget) {
			continue
		}
		if best < 0 || cmp.Or(cmp.Compare(len(r.Segments), len(s.rules[best].Segments)), cmp.Compare(r.least(), s.rules[best].least())) < 0 {
			best = i
		}
	}
	return best
}
