package robotstxt

import (
	"math/bits"
)

// A lookup finds the pattern that decides, without trying all patterns.
//
// The best pattern is the one of the highest precedence. Patterns without wildcards and lax
// slashes are heads. A lookup finds the longest head with which the path begins. For each
// head it knows the best pattern among this head and the shorter heads with which it begins.
//
// The other patterns are tails. A tail is stored under a pair of neighbouring octets that it
// needs: the pair that the fewest tails need. It is only tried if the path has this pair:
//
//	/shop/          a head
//	/*/cart.html$   a tail under "/c": the next tail needs the pairs of ".html" too
//	/*/help.html    a tail under "/h"
//	/*?             a tail without a pair: always tried
//
// For "/shop/help.html" the best head is "/shop/". It decides unless a better tail matches.
// Of the pairs "/s", "sh", … of the path, only "/h" has a tail: "/*/help.html". This tail
// matches and is longer, so it decides.
type lookup struct {
	heads    prefixSet
	nodes    []headNode // for each head
	unpaired []int32    // tails that are always tried, by precedence
	pairs    pairTable
}

// headNode has the best patterns for a head, as numbers in ruleSet.patterns. A lower number
// is better.
type headNode struct {
	prefix int32 // the best that matches all paths which begin with the head
	exact  int32 // the best that matches only the path which is equal to the head
}

// newLookup returns a lookup of r. Up to fewTails tails are all in unpaired.
func newLookup(r *ruleSet, fewTails int) *lookup {
	l := &lookup{}
	var heads []string
	var plain, tails []int32
	for i := range r.patterns {
		if p := &r.patterns[i]; p.is(tail) {
			tails = append(tails, int32(i))
		} else {
			heads = append(heads, p.text)
			plain = append(plain, int32(i))
		}
	}
	l.addHeads(r, heads, plain)
	if len(tails) > fewTails {
		l.unpaired = l.pairs.fill(r, tails)
	} else {
		l.unpaired = tails
	}
	return l
}

func (l *lookup) addHeads(r *ruleSet, heads []string, plain []int32) {
	var node []int32 // of each pattern
	l.heads, node = newPrefixSet(heads)
	l.nodes = make([]headNode, len(l.heads.texts))
	for i := range l.nodes {
		l.nodes[i] = headNode{none, none}
	}
	for i, pattern := range plain {
		n := &l.nodes[node[i]]
		if r.patterns[pattern].is(anchored) {
			n.exact = min(n.exact, pattern)
		} else {
			n.prefix = min(n.prefix, pattern)
		}
	}
	for i, up := range l.heads.parent {
		if up >= 0 { // up < i, so its node is complete
			l.nodes[i].prefix = min(l.nodes[i].prefix, l.nodes[up].prefix)
		}
	}
}

// find returns the pattern that decides about a path, or none.
func (l *lookup) find(r *ruleSet, s *subject) int32 {
	best := none
	if head := l.heads.longest(s.path, s.first); head >= 0 {
		best = l.nodes[head].prefix
		if len(l.heads.texts[head]) == len(s.path) {
			best = min(best, l.nodes[head].exact)
		}
	}
	best, swept := r.firstTail(l.unpaired, s, best)
	if swept || l.pairs.starts == nil {
		return best
	}
	return l.pairs.find(r, s, best)
}

// A pairTable stores each tail under a pair of neighbouring octets that every matching path
// contains. It is a hash table: a bucket has the tails of one pair, or of several.
type pairTable struct {
	shift  int     // shifted by this, the hash of a pair is the number of its bucket
	starts []int32 // where each bucket begins in tails, and where the last one ends; nil: no tails
	tails  []int32 // bucket by bucket, by precedence
}

const (
	bucketsPerTail = 4 // so many that most pairs of a path find an empty bucket
	maxBuckets     = 1 << 12
	maxPairOctets  = 128 // of a tail whose pairs are considered
)

// bucketsFor returns how many buckets a table of so many tails has: a power of two.
func bucketsFor(tails int) int {
	return 1 << bits.Len(uint(min(tails*bucketsPerTail, maxBuckets)-1))
}

func (t *pairTable) bucket(a, b byte) uint32 {
	return (uint32(a)<<8 | uint32(b)) * 0x9E3779B1 >> (t.shift & 31)
}

// fill stores tails, each under the rarest of its pairs, and returns those without a pair.
func (t *pairTable) fill(r *ruleSet, tails []int32) (without []int32) {
	buckets := bucketsFor(len(tails))
	t.shift = 32 - bits.Len(uint(buckets-1))
	counts := make([]int32, buckets) // how many pairs of tails have each bucket
	for _, i := range tails {
		t.eachPair(&r.patterns[i], func(bucket uint32) { counts[bucket]++ })
	}
	t.starts = make([]int32, buckets+1)
	rarest := make([]int32, len(tails)) // the bucket of each tail; -1: no pair
	for at, i := range tails {
		rarest[at] = -1
		t.eachPair(&r.patterns[i], func(bucket uint32) {
			if rarest[at] < 0 || counts[bucket] < counts[rarest[at]] {
				rarest[at] = int32(bucket)
			}
		})
		if rarest[at] < 0 {
			without = append(without, i)
		} else {
			t.starts[rarest[at]+1]++
		}
	}
	for i := range buckets {
		t.starts[i+1] += t.starts[i]
	}
	t.tails = make([]int32, len(tails)-len(without))
	next := counts // the next place of each bucket
	copy(next, t.starts)
	for at, i := range tails {
		if bucket := rarest[at]; bucket >= 0 {
			t.tails[next[bucket]] = i
			next[bucket]++
		}
	}
	return without
}

// eachPair calls do with the bucket of each pair of neighbouring octets that every matching
// path contains. A pair has no wildcard, and does not come from a part with lax slashes.
//
//	/ab*c*de has the pairs "/a", "ab" and "de"
func (t *pairTable) eachPair(p *pattern, do func(bucket uint32)) {
	text := p.text
	if p.is(lax) {
		text = text[:p.headEnd()]
	}
	text = text[max(0, len(text)-maxPairOctets):] // rare pairs are often at the end
	for i := 1; i < len(text); i++ {
		if text[i-1] != '*' && text[i] != '*' {
			do(t.bucket(text[i-1], text[i]))
		}
	}
}

// find returns the first tail that matches, if it is better than best; else best.
func (t *pairTable) find(r *ruleSet, s *subject, best int32) int32 {
	for i := 1; i < len(s.path); i++ {
		bucket := t.bucket(s.path[i-1], s.path[i])
		start, end := t.starts[bucket], t.starts[bucket+1]
		if start == end { // nearly always
			continue
		}
		var swept bool
		if best, swept = r.firstTail(t.tails[start:end], s, best); swept {
			break
		}
	}
	return best
}
