package compare

import (
	"slices"
	"sort"
	"strings"
)

// heads finds the rules of a side by their heads.
type heads struct {
	sorted  []string         // each head once
	rules   map[string][]int // the indexes of the rules with a head, ascending
	lengths []int            // of the heads, each once, ascending
}

func newHeads(rules []*rule) *heads {
	h := &heads{rules: make(map[string][]int, len(rules))}
	for i, r := range rules {
		head := r.head()
		if _, known := h.rules[head]; !known {
			h.sorted = append(h.sorted, head)
			h.lengths = append(h.lengths, len(head))
		}
		h.rules[head] = append(h.rules[head], i)
	}
	slices.Sort(h.sorted)
	slices.Sort(h.lengths)
	h.lengths = slices.Compact(h.lengths)
	return h
}

// appendBegun appends the indexes of the rules with whose heads a text begins.
func (h *heads) appendBegun(indexes []int, text string, b *budget) []int {
	for _, n := range h.lengths {
		if n > len(text) {
			break
		}
		b.spend(1 + n/comparedAtOnce)
		indexes = append(indexes, h.rules[text[:n]]...)
	}
	b.spend(len(indexes) / 4) // steps that cost less
	return indexes
}

// appendMeeting appends the indexes of the rules whose heads begin with a head, or with which it
// begins: other rules match no path that begins with that head.
func (h *heads) appendMeeting(indexes []int, head string, b *budget) []int {
	indexes = h.appendBegun(indexes, head, b)
	at := sort.SearchStrings(h.sorted, head)
	for ; at < len(h.sorted) && strings.HasPrefix(h.sorted[at], head); at++ {
		if h.sorted[at] != head {
			b.spend(1)
			indexes = append(indexes, h.rules[h.sorted[at]]...)
		}
	}
	return indexes
}
