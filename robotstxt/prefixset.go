package robotstxt

import (
	"math"
	"math/bits"
	"strings"
)

// A prefixSet is a set of strings that finds the longest of them with which a text begins,
// in a number of comparisons that grows with the logarithm of the set's size.
//
// The set of "/a", "/a/b", "/a/c" and "/b", and the text "/a/x":
//
//  1. Of the sorted members, "/a/c" is the last that does not sort behind the text. Every
//     member with which the text begins is a prefix of that one.
//  2. The text and "/a/c" have "/a/" in common, so such a member has at most 3 octets.
//  3. "/a/c" has 4. Its parent "/a" has 2: this is the longest.
type prefixSet struct {
	texts  []string // sorted, each once
	octets []uint64 // the first octets of each
	parent []int32  // for each: the longest other member that is a prefix of it; -1: none
	jump   []int32  // for each: a parent of a parent … of it; -1: none; nil: the set is small
}

// newPrefixSet returns the set of the given strings, and for each of them its
// number in the set.
func newPrefixSet(texts []string) (prefixSet, []int32) {
	number, sorted := sortTexts(texts)
	s := prefixSet{texts: make([]string, len(sorted)), octets: make([]uint64, len(sorted))}
	for n, i := range sorted {
		s.texts[n], s.octets[n] = texts[i], firstOctets(texts[i])
	}
	s.link()
	return s, number
}

// In a set of at most fewTexts, jumps would save less than they take in memory.
const fewTexts = 64

// link finds the parent and the jump of each member. Jumps are skew-binary jump pointers
// (E. W. Myers, "An applicative random-access stack", 1983): where two jumps in a row have
// the same length, the member in front of them jumps over both. So a logarithmic number of
// steps leads from a member to each of its ancestors.
func (s *prefixSet) link() {
	s.parent = make([]int32, len(s.texts))
	up := int32(-1)
	for i, text := range s.texts {
		for up >= 0 && !strings.HasPrefix(text, s.texts[up]) {
			up = s.parent[up]
		}
		s.parent[i] = up
		up = int32(i)
	}
	if len(s.texts) <= fewTexts {
		return
	}
	s.jump = make([]int32, len(s.texts))
	depth := make([]int32, len(s.texts))
	for i, up := range s.parent {
		s.jump[i] = up
		if up < 0 {
			continue
		}
		depth[i] = depth[up] + 1
		if j := s.jump[up]; j >= 0 && s.jump[j] >= 0 && depth[up]-depth[j] == depth[j]-depth[s.jump[j]] {
			s.jump[i] = s.jump[j]
		}
	}
}

// deepest returns the number of the longest member that text begins with; -1
// where there is none. The others are its parent, the parent of that, and so on.
// first is firstOctets of the text.
func (s *prefixSet) deepest(text string, first uint64) int32 {
	low := lowerBound(s.octets, first)
	high := low
	if low < len(s.octets) && s.octets[low] == first {
		high = len(s.octets)
		if first < math.MaxUint64 {
			high = low + lowerBound(s.octets[low:], first+1)
		}
	}
	for low < high {
		countSteps(1)
		mid := int(uint(low+high) >> 1)
		if s.texts[mid] <= text {
			low = mid + 1
		} else {
			high = mid
		}
	}
	// Every member that text begins with is a prefix of the last one that does
	// not sort behind it.
	at := int32(low - 1)
	if at < 0 {
		return -1
	}
	common := s.common(at, text, first)
	for at >= 0 && len(s.texts[at]) > common {
		countSteps(1)
		at = s.climb(at, common)
	}
	return at
}

// climb returns a parent of a member, or a parent of that and so on, as far as a jump leads
// to a member of more octets than given.
func (s *prefixSet) climb(at int32, octets int) int32 {
	if s.jump != nil {
		if j := s.jump[at]; j >= 0 && len(s.texts[j]) > octets {
			return j
		}
	}
	return s.parent[at]
}

// lowerBound returns the first place in sorted octets that is not below first.
func lowerBound(octets []uint64, first uint64) int {
	low := 0
	for n := len(octets); n > 0; {
		half := (n + 1) >> 1
		if octets[low+half-1] < first { // no branch: one that is taken at random costs more
			low += half
		}
		n -= half
	}
	return low
}

// manyAtOnce is how many octets are compared at once where much may be in common.
const manyAtOnce = 64

// common returns how many octets a text has in common with a member. first is firstOctets
// of the text.
func (s *prefixSet) common(member int32, text string, first uint64) int {
	n := min(len(s.texts[member]), len(text))
	if differs := s.octets[member] ^ first; differs != 0 {
		return min(n, bits.LeadingZeros64(differs)/8)
	}
	i := min(n, 8)
	for n-i >= manyAtOnce && s.texts[member][i:i+manyAtOnce] == text[i:i+manyAtOnce] {
		i += manyAtOnce
	}
	for i < n && s.texts[member][i] == text[i] {
		i++
	}
	return i
}
