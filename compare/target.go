package compare

import (
	"cmp"
	"slices"
)

// A target is a rule of ownSide. The search wants a path about which this rule decides, and for which otherSide has the
// opposite verdict.
type target struct {
	ownSide, otherSide *side
	index              int // the index of the rule; len(ownSide.rules) stands for the paths that no rule matches
	withoutLine        int // the line of a rule that the other side must ignore, or noLine
}

// noLine is not a line number. It is not 0, because the rule that always allows /robots.txt has line 0.
const noLine = -1

func (t target) wildcards() int {
	if t.index == len(t.ownSide.rules) {
		return 0
	}
	return len(t.ownSide.rules[t.index].Segments) - 1
}

func (c *comparison) find(t target) (path string, f searchResult) {
	if c.budget.isSpent() {
		return "", outOfWork
	}
	verdict := t.ownSide.verdict(t.index)
	limit, undecided := noLimit, false
	minLength := 0
	if t.index < len(t.ownSide.rules) {
		minLength = t.ownSide.rules[t.index].minLength()
	}
	// openCount is the number of rules of the other side that may give the opposite verdict. The case "no rule matches" is
	// counted like a rule.
	openCount := 0
	better := len(t.otherSide.rules) // only rules of the other side with a lower index can give the opposite verdict
	if t.otherSide.otherwise != verdict {
		p, f, blocker := c.pathOfPair(t, len(t.otherSide.rules), limit)
		switch f {
		case foundPath:
			path, limit = p, lengthOf(p)
			openCount++
		case noPath:
			better = blocker
		case outOfWork:
			return "", outOfWork
		}
	}
	opposite := c.oppositeRules(t, better)
	if last := c.covering(t, opposite); last < len(t.otherSide.rules) {
		opposite = slices.DeleteFunc(opposite, func(index int) bool { return index > last })
		openCount = 0 // the other side has a rule for each path of the target
	}
	openCount += len(opposite)
	for _, index := range opposite {
		if max(minLength, t.otherSide.rules[index].minLength()) >= limit {
			break // the rules are sorted by this length, so all later ones are too long
		}
		switch p, f, _ := c.pathOfPair(t, index, limit); {
		case f == foundPath:
			path, limit = p, lengthOf(p)
		case f == outOfWork:
			undecided = true
		case limit == noLimit:
			openCount--
		}
	}
	switch {
	case path != "":
		c.result.More = c.result.More || openCount > 1
		return path, foundPath
	case undecided:
		return "", outOfWork
	}
	return "", noPath
}

// oppositeRules returns the indexes of rules of the other side that have the opposite verdict and may match paths of the
// target. Each index is less than limit. Rules for short paths come first.
func (c *comparison) oppositeRules(t target, limit int) []int {
	head := ""
	if t.index < len(t.ownSide.rules) {
		head = t.ownSide.rules[t.index].head()
	}
	verdict := t.ownSide.verdict(t.index)
	c.indexes = t.otherSide.heads.appendMeeting(c.indexes[:0], head, &c.budget)
	indexes := c.opposites[:0]
	for _, i := range c.indexes {
		if i >= limit || t.otherSide.rules[i].Allowed == verdict {
			continue
		}
		c.budget.spend(oppositeWork)
		if t.otherSide.first[i] == i && !t.ownSide.hasEarlier(t.otherSide, i, t.index) {
			indexes = append(indexes, i)
		}
	}
	c.opposites = indexes
	slices.SortFunc(indexes, func(a, b int) int {
		return cmp.Or(cmp.Compare(t.otherSide.rules[a].minLength(), t.otherSide.rules[b].minLength()), cmp.Compare(a, b))
	})
	return indexes
}

const oppositeWork = 4

// covering returns the least of the indexes whose rule matches all paths of the target. No rule after this rule decides
// about these paths. If there is no such index, covering returns len(t.otherSide.rules).
func (c *comparison) covering(t target, indexes []int) int {
	least := len(t.otherSide.rules)
	if t.index == len(t.ownSide.rules) {
		return least
	}
	own := []*rule{t.ownSide.rules[t.index]}
	for _, i := range indexes {
		if i < least && t.otherSide.rules[i].coversAny(own, &c.budget) {
			least = i
		}
	}
	return least
}

// hasEarlier reports whether a rule equal to other.rules[i] comes before s.rules[index] in s. Then s.rules[index] never
// decides about a path that the earlier rule matches.
func (s *side) hasEarlier(other *side, i, index int) bool {
	if s == other {
		return s.first[i] < index
	}
	own, has := s.indexes[other.rules[i].key]
	return has && own < index
}

// pathOfPair returns a path about which two rules decide: on its own side, the rule of the target, and on the other
// side, the rule with the given index. maxBlocker is the largest index of a rule of the other side that excluded a
// path. If no rule excluded a path, maxBlocker is 0.
func (c *comparison) pathOfPair(t target, index, limit int) (path string, f searchResult, maxBlocker int) {
	verdict := t.ownSide.verdict(t.index)
	required, avoided := c.required[:0], c.avoided[:0]
	defer func() { c.required, c.avoided = required, avoided }()
	if t.index < len(t.ownSide.rules) {
		required = append(required, t.ownSide.rules[t.index])
	}
	if index < len(t.otherSide.rules) {
		required = append(required, t.otherSide.rules[index])
	}
	for {
		path, f := c.search.shortestPath(&c.budget, required, avoided, limit)
		if f != foundPath {
			return "", f, maxBlocker
		}
		if r := c.blocker(t.ownSide, t.index, path, nil); r >= 0 {
			avoided = append(avoided, t.ownSide.rules[r])
			continue
		}
		r := c.blocker(t.otherSide, index, path, func(r *rule) bool { return r.Allowed == verdict && r.Rule.Line != t.withoutLine })
		if r < 0 {
			return path, foundPath, maxBlocker
		}
		maxBlocker = max(maxBlocker, r)
		avoided = append(avoided, t.otherSide.rules[r])
	}
}

// blocker searches the rules before the rule with the given index. It returns the index of a wanted rule that matches
// the path, or -1 if there is none. It prefers rules with few wildcards.
func (c *comparison) blocker(s *side, index int, path string, isWanted func(*rule) bool) int {
	c.indexes = s.heads.appendBegun(c.indexes[:0], path, &c.budget)
	var bytes byteSet
	bytes.addAll(path)
	best := -1
	for _, i := range c.indexes {
		r := s.rules[i]
		if i >= index || isWanted != nil && !isWanted(r) {
			continue
		}
		if !r.Lax && !r.bytes.isIn(&bytes) {
			c.budget.spend(r.matchWork(path)) // the same work as if the rule had been tried
			continue
		}
		if !r.matches(path, &c.budget) {
			continue
		}
		if best < 0 || cmp.Or(cmp.Compare(len(r.Segments), len(s.rules[best].Segments)), cmp.Compare(r.minLength(), s.rules[best].minLength())) < 0 {
			best = i
		}
	}
	return best
}
