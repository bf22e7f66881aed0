package compare

import (
	"cmp"
	"slices"
)

// A target is a rule of the policy own. The search looks for a path about which this rule decides and the policy other
// has the opposite verdict.
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

// find searches the shortest path for a target: the rule of the target decides about this path, and the other policy has
// the opposite verdict.
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
	// The variable open is the number of rules of the other side that may give the opposite verdict. "No rule matches" counts
	// as one of them.
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

// opposite returns rules of the other policy that have the opposite verdict and may match the same paths as the target.
// It returns their indexes below limit. The rules with the shortest paths come first.
func (c *comparison) opposite(t target, limit int) []int {
	head := ""
	if t.index < len(t.own.rules) {
		head = t.own.rules[t.index].head()
	}
	verdict := t.own.verdict(t.index)
	c.indexes = t.other.heads.appendMeeting(c.indexes[:0], head, &c.budget)
	indexes := c.opposites[:0]
	for _, i := range c.indexes {
		if i >= limit || t.other.rules[i].Allowed == verdict {
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

const oppositeWork = 4

// hasBetter reports whether the side s has a rule that is equal to rule i of the other side, before the rule of s with
// the given index. If so, the rule of s with this index never decides about a path that rule i matches.
func (s *side) hasBetter(other *side, i, index int) bool {
	if s == other {
		return s.first[i] < index
	}
	own, has := s.indexes[other.rules[i].key]
	return has && own < index
}

// pair returns the shortest path for two rules: the rule of the target decides about this path, and the rule with the given
// index in the other policy gives the opposite verdict. The index len(t.other.rules) stands for "no rule matches". The path
// is shorter than limit.
//
// If there is no such path, the result worst is the largest index of a rule of the other policy that prevents it; 0 if
// there is no such rule.
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

// blocker returns the index of a rule that matches a path and decides before the rule with the given index; -1 if there
// is none. If kind is not nil, blocker considers only rules for which kind returns true. Of several rules, it returns
// the one with the fewest wildcards.
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
