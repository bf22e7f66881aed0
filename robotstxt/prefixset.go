package robotstxt

import (
	"math"
	"math/bits"
	"strings"
)

// A prefixSet is a set of texts. It finds the longest member with which a given text begins, in logarithmic time.
//
// Example: the members "/a", "/a/b", "/a/c" and "/b", and the text "/a/x".
//
//  1. Binary search finds "/a/c", the last member that does not sort after the text.
//     Every member with which the text begins is a prefix of "/a/c", or equal to it.
//  2. The text and "/a/c" have 3 bytes in common: "/a/". So the result has at most 3 bytes.
//  3. "/a/c" has 4 bytes. Its parent "/a" has 2, so "/a" is the result.
type prefixSet struct {
	*texts
	members []storedPattern // sorted by text; only in heads, a text may be there twice
	bytes   []uint64        // the first eight bytes of each text, see firstBytes
	// parent[member] is the longest other member with which the member begins, or -1. Anchored members are no parents.
	parent []int32
	// jump[member] is an ancestor of the member (see link), or -1. If the set is small, jump is nil.
	jump []int32
}

func newPrefixSet(t *texts, all []storedPattern) (set prefixSet, indexes []int32) {
	number, sorted := sortTexts(t.textsOf(all))
	members := make([]storedPattern, len(sorted))
	for n, i := range sorted {
		members[n] = all[i]
	}
	return t.prefixSet(members), number
}

func (t *texts) prefixSet(members []storedPattern) prefixSet {
	s := prefixSet{texts: t, members: members, bytes: make([]uint64, len(members))}
	for i := range members {
		s.bytes[i] = firstBytes(s.text(int32(i)))
	}
	s.link()
	return s
}

func (s *prefixSet) text(member int32) string { return s.textOf(&s.members[member]) }

// A set with at most fewTexts members has no jumps (see link), because they would save little time and take memory.
const fewTexts = 64

// link sets the parent and the jump of each member. A jump skips ancestors. So every ancestor can be reached in a
// logarithmic number of steps. This is the skew-binary jump pointer of E. W. Myers, 1983.
//
// Usually a member jumps to its parent. But if the jump of the parent and the jump after it have the same length, the
// member jumps to the end of the second jump.
func (s *prefixSet) link() {
	s.parent = make([]int32, len(s.members))
	up := int32(-1)
	for i := range s.members {
		text := s.text(int32(i))
		for up >= 0 && !strings.HasPrefix(text, s.text(up)) {
			up = s.parent[up]
		}
		s.parent[i] = up
		if !s.members[i].is(anchored) {
			up = int32(i)
		}
	}
	if len(s.members) <= fewTexts {
		return
	}
	s.jump = make([]int32, len(s.members))
	depth := make([]int32, len(s.members))
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

// longestMember returns the longest member with which the text begins, or -1. Its ancestors are the shorter ones.
func (s *prefixSet) longestMember(text string, firstEight uint64) int32 {
	low := lowerBound(s.bytes, firstEight)
	high := low
	if low < len(s.bytes) && s.bytes[low] == firstEight {
		high = len(s.bytes)
		if firstEight < math.MaxUint64 {
			high = low + lowerBound(s.bytes[low:], firstEight+1)
		}
	}
	for low < high {
		countSteps(1)
		mid := int(uint(low+high) >> 1)
		if s.text(int32(mid)) <= text {
			low = mid + 1
		} else {
			high = mid
		}
	}
	at := int32(low - 1) // the last member that does not sort after text
	if at < 0 {
		return -1
	}
	shared := s.commonLength(at, text, firstEight)
	for at >= 0 && int(s.members[at].size) > shared {
		countSteps(1)
		at = s.climb(at, shared)
	}
	return at
}

func (s *prefixSet) climb(at int32, bytes int) int32 {
	if s.jump != nil {
		if j := s.jump[at]; j >= 0 && int(s.members[j].size) > bytes {
			return j
		}
	}
	return s.parent[at]
}

func lowerBound(bytes []uint64, value uint64) int {
	low := 0
	for n := len(bytes); n > 0; {
		half := (n + 1) >> 1
		if bytes[low+half-1] < value { // compiled without a branch, which would be slow, because it cannot be predicted
			low += half
		}
		n -= half
	}
	return low
}

func (s *prefixSet) commonLength(member int32, text string, firstEight uint64) int {
	if differs := s.bytes[member] ^ firstEight; differs != 0 {
		return min(int(s.members[member].size), len(text), bits.LeadingZeros64(differs)/8)
	}
	return commonBytes(s.text(member), text)
}
