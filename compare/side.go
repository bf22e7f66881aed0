package compare

import (
	"slices"

	"github.com/heed-robots/heed/robotstxt"
)

type side struct {
	policy    *robotstxt.Policy
	rules     []*rule // sorted by precedence: the first one that matches decides
	otherwise bool    // the verdict about paths that no rule matches

	// buildIndexes sets these fields before the first search.
	indexes map[key]int // for each key: the index of the first rule with this key
	first   []int       // for each rule: the index of the first rule with the same key
	heads   *heads
}

func newSide(p *robotstxt.Policy, b *budget) *side {
	s := &side{policy: p, otherwise: p.Otherwise().Allowed}
	dialect := p.Dialect().String()
	for pattern := range p.Patterns() {
		r := newRule(dialect, pattern)
		s.rules = append(s.rules, r)
		b.spend(newRuleWork + len(r.key.text))
	}
	return s
}

const newRuleWork = 32

func (s *side) buildIndexes() {
	if s.indexes != nil {
		return
	}
	s.indexes = make(map[key]int, len(s.rules))
	for i, r := range s.rules {
		first, known := s.indexes[r.key]
		if !known {
			first = i
			s.indexes[r.key] = i
		}
		s.first = append(s.first, first)
	}
	s.heads = newHeads(s.rules)
}

func (s *side) equals(other *side) bool {
	return s.otherwise == other.otherwise &&
		slices.EqualFunc(s.rules, other.rules, func(a, b *rule) bool { return a.key == b.key })
}

// verdict returns the verdict of the rule with the given index. The index len(s.rules) stands for "no rule matches".
func (s *side) verdict(index int) bool {
	if index == len(s.rules) {
		return s.otherwise
	}
	return s.rules[index].Allowed
}
