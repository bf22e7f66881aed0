package robotstxt

import (
	"math/bits"
	"slices"
	"sync/atomic"
)

// tails are the patterns with wildcards, or with a "/" that also matches "%2F".
type tails struct {
	patterns  []storedPattern // sorted by precedence: the first one that matches decides
	bytes     []uint64        // for each pattern: the set of the bytes that a matching path contains, see byteBits
	textBytes int
	sweepAt   int // a decision that takes more nanoseconds may use a sweep

	spentWork atomic.Int64 // the work of all decisions while places is nil
	places    atomic.Pointer[places]
	swept     atomic.Pointer[sweep]
}

// places says which tails (patterns with a wildcard, for example) must be tried for a path. Each tail is in one of three places:
//
//   - under its head, the text before the first wildcard, if few tails have this head
//   - under its rarest pair of neighbouring bytes
//   - in the list alwaysTried, if the tail has no pair, or if there are few tails
//
// A tail is only tried if the path begins with its head, or contains its pair. An example:
//
//	/shop/*/cart     under "/shop/"
//	/*/cart.html$    under "/c", not under ".h", a pair that other tails have too
//	/*/help.html     under "/h"
//	/*?              always tried
type places struct {
	heads prefixSet
	// The tails of head i are underHeads[headStarts[i]:headStarts[i+1]].
	headStarts  []int32
	underHeads  []int32
	pairs       pairTable
	alwaysTried []int32
}

const (
	fewTails     = 32 // so few tails are always tried, and have no other place
	fewUnderHead = 16 // a head with more tails is not used
	placeWork    = 64 // nanoseconds to find a place for one tail
)

func (l *lookup) addTails(patterns []pattern, count int) {
	t := &l.tails
	t.patterns, t.bytes = make([]storedPattern, 0, count), make([]uint64, 0, count)
	for _, i := range l.dialect.order(patterns) {
		if p := &patterns[i]; p.is(tail) {
			t.patterns, t.bytes = append(t.patterns, l.store(p)), append(t.bytes, p.bytes)
			t.textBytes += len(p.text)
		}
	}
}

func (t *tails) place(l *lookup, fewTails int) {
	p := &places{}
	if p.alwaysTried = p.addHeads(l); len(p.alwaysTried) > fewTails {
		p.alwaysTried = p.pairs.fill(l, p.alwaysTried)
	}
	t.places.Store(p)
}

func (t *places) addHeads(l *lookup) (others []int32) {
	var heads []storedPattern
	var tailOf []int32
	for i := range l.tails.patterns {
		p := &l.tails.patterns[i]
		if end := headEnd(l.textOf(p), p.traits); end > 1 {
			heads, tailOf = append(heads, storedPattern{at: p.at, size: uint32(end)}), append(tailOf, int32(i))
		} else {
			others = append(others, int32(i))
		}
	}
	number, sorted := sortTexts(l.textsOf(heads))
	counts := make([]int32, len(sorted))
	for _, n := range number {
		counts[n]++
	}
	places := make([]int32, len(sorted)) // for each head: its index in members, or -1 if it has too many tails
	var members []storedPattern
	end := int32(0)
	for n, i := range sorted {
		places[n] = -1
		if counts[n] <= fewUnderHead {
			places[n] = int32(len(members))
			members, t.headStarts = append(members, heads[i]), append(t.headStarts, end)
			end += counts[n]
		}
	}
	t.heads = l.prefixSet(members)
	next := slices.Clone(t.headStarts) // for each head: where its next tail goes
	t.headStarts, t.underHeads = append(t.headStarts, end), make([]int32, end)
	for i, n := range number {
		if at := places[n]; at >= 0 {
			t.underHeads[next[at]] = tailOf[i]
			next[at]++
		} else {
			others = append(others, tailOf[i])
		}
	}
	slices.Sort(others)
	return others
}

func (l *lookup) betterTails(rank uint64) int32 {
	low, high := 0, len(l.tails.patterns)
	for low < high {
		if mid := (low + high) / 2; l.rank(&l.tails.patterns[mid]) > rank {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return int32(low)
}

// firstMatch returns the first tail that matches, or limit if no tail before limit matches. Tails are sorted by precedence.
func (t *tails) firstMatch(l *lookup, s *subject, firstEight uint64, limit int32) int32 {
	p := t.places.Load()
	if p == nil {
		first := t.firstOfAll(l, s, limit)
		if len(t.patterns) > fewTails && s.work <= t.sweepAt {
			if addWork(&t.spentWork, s.work, placeWork*len(t.patterns)) {
				t.place(l, fewTails)
			}
		}
		return first
	}
	best, isSwept := t.firstOf(l, s, p.alwaysTried, limit)
	for at := p.heads.longestMember(s.path, firstEight); at >= 0 && !isSwept; at = p.heads.parent[at] {
		countSteps(1)
		best, isSwept = t.firstOf(l, s, p.underHeads[p.headStarts[at]:p.headStarts[at+1]], best)
	}
	if isSwept || p.pairs.starts == nil {
		return best
	}
	return p.pairs.find(l, s, best)
}

func (t *tails) firstOfAll(l *lookup, s *subject, limit int32) int32 {
	for id := range limit {
		if t.matches(l, s, id) {
			return id
		}
		if t.wantsSweep(s) {
			return t.runSweep(l, s, limit)
		}
	}
	return limit
}

func (t *tails) matches(l *lookup, s *subject, id int32) bool {
	s.work++
	p := &t.patterns[id]
	return !s.lacksBytes(t.bytes[id]) && s.matches(l.textOf(p), p.traits)
}

// firstOf tries the tails whose numbers are in ids. If that takes too long, it uses a sweep: one pass for all tails. Then
// isSwept is true.
func (t *tails) firstOf(l *lookup, s *subject, ids []int32, limit int32) (first int32, isSwept bool) {
	for _, id := range ids {
		if id >= limit {
			break
		}
		if t.matches(l, s, id) {
			return id, false
		}
		if t.wantsSweep(s) {
			return t.runSweep(l, s, limit), true
		}
	}
	return limit, false
}

func (t *tails) wantsSweep(s *subject) bool {
	return s.work > t.sweepAt && (s.work > t.sweepAt+sweepBuildWork*t.textBytes || t.swept.Load() != nil)
}

func (t *tails) runSweep(l *lookup, s *subject, limit int32) int32 {
	w := t.swept.Load()
	if w == nil {
		w = newSweep(l)
		t.swept.Store(w)
	}
	return w.find(l, s, limit)
}

// A pairTable is a hash table: it stores each tail under a pair of neighbouring bytes that every matching path contains.
type pairTable struct {
	shift int
	// The tails of a bucket are tails[starts[bucket]:starts[bucket+1]]. If the table is empty, starts is nil.
	starts []int32
	tails  []int32 // by bucket, then by precedence
}

const (
	bucketsPerTail = 4 // then most pairs in a path have an empty bucket
	maxBuckets     = 1 << 12
	maxPairBytes   = 128 // only pairs at the end of a tail are used, because they are rarer
)

func bucketsFor(tails int) int {
	return 1 << bits.Len(uint(min(tails*bucketsPerTail, maxBuckets)-1))
}

func (t *pairTable) bucket(a, b byte) uint32 {
	return (uint32(a)<<8 | uint32(b)) * 0x9E3779B1 >> (t.shift & 31)
}

func (t *pairTable) fill(l *lookup, tails []int32) (withoutPair []int32) {
	buckets := bucketsFor(len(tails))
	t.shift = 32 - bits.Len(uint(buckets-1))
	counts := make([]int32, buckets)
	for _, i := range tails {
		t.eachPair(l, i, func(bucket uint32) { counts[bucket]++ })
	}
	t.starts = make([]int32, buckets+1)
	rarest := make([]int32, len(tails)) // for each tail: the bucket with the fewest pairs, or -1 if the tail has no pair
	for at, i := range tails {
		rarest[at] = -1
		t.eachPair(l, i, func(bucket uint32) {
			if rarest[at] < 0 || counts[bucket] < counts[rarest[at]] {
				rarest[at] = int32(bucket)
			}
		})
		if rarest[at] < 0 {
			withoutPair = append(withoutPair, i)
		} else {
			t.starts[rarest[at]+1]++
		}
	}
	for i := range buckets {
		t.starts[i+1] += t.starts[i]
	}
	t.tails = make([]int32, len(tails)-len(withoutPair))
	next := counts // for each bucket: where its next tail goes
	copy(next, t.starts)
	for at, i := range tails {
		if bucket := rarest[at]; bucket >= 0 {
			t.tails[next[bucket]] = i
			next[bucket]++
		}
	}
	return withoutPair
}

// eachPair visits the pairs of neighbouring bytes that every matching path contains.
//
//	/ab*c*de has the pairs "/a", "ab" and "de"
func (t *pairTable) eachPair(l *lookup, tail int32, visit func(bucket uint32)) {
	p := &l.tails.patterns[tail]
	text := l.textOf(p)
	if p.is(lax) {
		text = text[:headEnd(text, p.traits)]
	}
	text = text[max(0, len(text)-maxPairBytes):]
	for i := 1; i < len(text); i++ {
		if text[i-1] != '*' && text[i] != '*' {
			visit(t.bucket(text[i-1], text[i]))
		}
	}
}

func (t *pairTable) find(l *lookup, s *subject, limit int32) int32 {
	for i := 1; i < len(s.path); i++ {
		bucket := t.bucket(s.path[i-1], s.path[i])
		start, end := t.starts[bucket], t.starts[bucket+1]
		if start == end { // nearly always
			continue
		}
		var isSwept bool
		if limit, isSwept = l.tails.firstOf(l, s, t.tails[start:end], limit); isSwept {
			break
		}
	}
	return limit
}
