package robotstxt

import "math/bits"

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
