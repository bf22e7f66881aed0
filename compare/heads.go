package compare

import (
	"cmp"
	"slices"
	"strings"
)

// heads finds the rules of a policy by their heads. The head of a rule is the text before its first wildcard.
type heads struct {
	sorted []string // each head once, in sorted order
	rules  [][]int  // for each head: the indexes of its rules, in ascending order
	parent []int    // for each head: the index of the longest other head with which it begins, or -1 if there is none

	lengths []int // the lengths of the heads, each length once, in ascending order
	steps   []int // for each length: the work of searching all heads up to this length
}

func newHeads(rules []*rule) *heads {
	h := &heads{}
	texts, indexes := make([]string, len(rules)), make([]int, len(rules))
	for i, r := range rules {
		texts[i], indexes[i] = r.head(), i
	}
	slices.SortFunc(indexes, func(a, b int) int { return cmp.Or(strings.Compare(texts[a], texts[b]), cmp.Compare(a, b)) })
	for i, index := range indexes {
		if last := len(h.sorted) - 1; last >= 0 && h.sorted[last] == texts[index] {
			h.rules[last] = indexes[i-len(h.rules[last]) : i+1]
			continue
		}
		h.parent = append(h.parent, h.prefixOf(texts[index], len(h.sorted)-1))
		h.sorted, h.rules = append(h.sorted, texts[index]), append(h.rules, indexes[i:i+1])
		h.lengths = append(h.lengths, len(texts[index]))
	}
	slices.Sort(h.lengths)
	h.lengths = slices.Compact(h.lengths)
	steps := 0
	for _, n := range h.lengths {
		steps += 1 + n/comparedAtOnce
		h.steps = append(h.steps, steps)
	}
	return h
}

// prefixOf returns the index of the longest head that is a prefix of text, or -1. The caller knows that no head after the
// index last is a prefix.
func (h *heads) prefixOf(text string, last int) int {
	for last >= 0 && !strings.HasPrefix(text, h.sorted[last]) {
		last = h.parent[last]
	}
	return last
}

// appendBegun appends the indexes of all rules whose head is a prefix of text.
func (h *heads) appendBegun(indexes []int, text string, b *budget) []int {
	n, found := slices.BinarySearch(h.lengths, len(text))
	if found {
		n++
	}
	if n > 0 {
		b.spend(h.steps[n-1])
	}
	at, found := slices.BinarySearch(h.sorted, text)
	if !found {
		at--
	}
	indexes = h.appendChain(indexes, h.prefixOf(text, at))
	b.spend(len(indexes) / 4) // appending an index takes a quarter of a step
	return indexes
}

// appendChain appends the indexes of the rules with one head. A head is the text before the first wildcard. Before
// these indexes, appendChain appends those of all shorter heads with which this head begins.
func (h *heads) appendChain(indexes []int, at int) []int {
	if at < 0 {
		return indexes
	}
	return append(h.appendChain(indexes, h.parent[at]), h.rules[at]...)
}

// appendMeeting looks at all paths that begin with the given head: the text of a pattern before its first wildcard. It
// appends the indexes of all rules that may match such a path.
func (h *heads) appendMeeting(indexes []int, head string, b *budget) []int {
	indexes = h.appendBegun(indexes, head, b)
	at, _ := slices.BinarySearch(h.sorted, head)
	for ; at < len(h.sorted) && strings.HasPrefix(h.sorted[at], head); at++ {
		if h.sorted[at] != head {
			b.spend(1)
			indexes = append(indexes, h.rules[at]...)
		}
	}
	return indexes
}
