package robotstxt

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// rules are the compiled rules of some groups of a file. Policies of the same groups
// share them.
type rules struct {
	lines    []int32   // of File.agentLines: one for each group, by which it was chosen
	count    int       // of rules, matching or not
	patterns []pattern // in the order in which they decide
	keys     []key     // of each pattern

	tails   int          // how many patterns are tails
	octets  int          // how many their texts have together
	sweepAt int          // the work of a decision from which on a sweep helps: sweepWork, but in tests
	spent   atomic.Int64 // the work of all decisions so far, until there is a lookup
	bytes   atomic.Int64 // what size returns; 0: it was not asked yet
	index   atomic.Pointer[lookup]
	swept   atomic.Pointer[sweep]
}

// rulesOf returns the rules of groups, from those that are kept or compiled.
func (f *File) rulesOf(lines []int32) *rules {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range f.kept {
		if f.sameGroups(r.lines, lines) {
			return r
		}
	}
	r := f.compile(lines)
	f.keep(r)
	return r
}

// mostKept is how many compiled rules a file keeps at most. Together they have no more
// patterns than the index has octets (three for each rule of the file), unless the latest
// alone has more.
const mostKept = 64

// keep adds the latest rules to those that are kept, and drops the oldest where that is
// too many.
func (f *File) keep(r *rules) {
	f.kept = append(f.kept, r)
	patterns := len(r.patterns)
	for i := len(f.kept) - 2; i >= 0; i-- {
		patterns += len(f.kept[i].patterns)
		if patterns > len(f.index) || len(f.kept)-i > mostKept {
			f.kept = slices.Delete(f.kept, 0, i+1)
			return
		}
	}
}

// sameGroups reports whether two lists of agent lines stand for the same groups.
func (f *File) sameGroups(a, b []int32) bool {
	return slices.EqualFunc(a, b, func(a, b int32) bool { return f.agentLines[a].group == f.agentLines[b].group })
}

// keeps reports whether the file holds on to rules.
func (f *File) keeps(r *rules) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Contains(f.kept, r)
}

// compile brings the rules of groups to the form that matches.
func (f *File) compile(lines []int32) *rules {
	d := f.Dialect()
	r := &rules{lines: slices.Clone(lines), sweepAt: sweepWork}
	unsorted := unsortedPatterns.Get().(*[]ranked)
	patterns := slices.Grow((*unsorted)[:0], f.mostRules(lines))
	for _, line := range lines {
		e := f.entriesBehind(line)
		for e.nextOfGroup() {
			if e.entry.kind != allowEntry && e.entry.kind != disallowEntry {
				continue
			}
			r.count++
			if e.entry.start < e.entry.end || d.emptyDecides { // else no rule (R-10, S94-9)
				patterns = d.appendPattern(patterns, f.body, &e.entry)
			}
		}
	}
	r.patterns, r.keys = make([]pattern, len(patterns)), make([]key, len(patterns))
	if d.longest {
		r.sort(patterns)
	} else {
		for i := range patterns {
			r.place(i, &patterns[i])
		}
	}
	clear(patterns) // they hold on to the body
	*unsorted = patterns
	unsortedPatterns.Put(unsorted)
	if r.tails > manyTails || r.octets > manyOctets {
		r.swept.Store(newSweep(r))
	}
	return r
}

// unsortedPatterns holds room for the patterns of rules that are compiled.
var unsortedPatterns = sync.Pool{New: func() any { return new([]ranked) }}

// sort puts the patterns into the order in which they decide: the longest first, Allow
// before Disallow where they are equally long, then the first in the file (R-5, M-3, M-4).
func (r *rules) sort(patterns []ranked) {
	// Nearly all patterns are short: counting those of each length is enough.
	// The long ones share the first places, and are sorted there.
	var next [longRank + 1]uint32 // the next place of each rank
	highest := 0
	for i := range patterns {
		rank := patterns[i].rank()
		next[rank]++
		highest = max(highest, rank)
	}
	long := make([]*ranked, 0, next[longRank])
	place := uint32(0)
	for rank := highest; rank >= 0; rank-- {
		place, next[rank] = place+next[rank], place
	}
	for i := range patterns {
		p := &patterns[i]
		if rank := p.rank(); rank < longRank {
			r.place(int(next[rank]), p)
			next[rank]++
		} else {
			long = append(long, p)
		}
	}
	slices.SortStableFunc(long, func(a, b *ranked) int {
		return cmp.Or(cmp.Compare(b.length, a.length), boolOrder(b.is(allows))-boolOrder(a.is(allows)))
	})
	for i, p := range long {
		r.place(i, p)
	}
}

func (r *rules) place(i int, p *ranked) {
	r.patterns[i], r.keys[i] = p.pattern, p.key
	if p.is(tail) {
		r.tails++
		r.octets += len(p.text)
	}
}

// longRank is the rank of all patterns that are too long to be counted.
const longRank = 2 * 128

// rank is higher for a pattern that decides before another.
func (p *ranked) rank() int {
	return min(2*int(p.length)+boolOrder(p.is(allows)), longRank)
}

func boolOrder(b bool) int {
	if b {
		return 1
	}
	return 0
}

// To build a lookup costs as much as some decisions without it: rules of a few patterns
// never get one, and the others when their decisions have cost as much.
const (
	fewPatterns = 24
	lookupWork  = 64 // in nanoseconds, for each pattern
	fewTails    = 32
)

// first returns the first pattern that matches, or none.
func (r *rules) first(s *subject) int32 {
	if l := r.index.Load(); l != nil {
		return l.find(r, s)
	}
	best := r.scan(s)
	if len(r.patterns) > fewPatterns && s.work <= r.sweepAt { // else a lookup does not help
		work := int64(min(int(best), len(r.patterns)) + s.work)
		limit := int64(lookupWork * len(r.patterns))
		if spent := r.spent.Add(work); spent >= limit && spent-work < limit {
			r.index.Store(newLookup(r, fewTails))
		}
	}
	return best
}

// scan tries one pattern after the other.
func (r *rules) scan(s *subject) int32 {
	countSteps(len(r.keys))
	for i := range r.keys {
		if s.isExcludedBy(&r.keys[i]) || !r.patterns[i].matches(s) {
			if r.wantsSweep(s) {
				return r.sweep(s, r.scanPlain(s, i+1))
			}
			continue
		}
		return int32(i)
	}
	return none
}

// scanPlain is scan for the patterns that are no tail, from one on.
func (r *rules) scanPlain(s *subject, from int) int32 {
	for i := from; i < len(r.keys); i++ {
		if !r.patterns[i].is(tail) && !s.isExcludedBy(&r.keys[i]) && r.patterns[i].matches(s) {
			return int32(i)
		}
	}
	return none
}

// firstTail returns the first of some tails, in order of precedence, that matches if it
// comes before best; else best. Where a sweep takes over, it has tried all tails.
func (r *rules) firstTail(tails []int32, s *subject, best int32) (first int32, swept bool) {
	for _, id := range tails {
		if id >= best {
			break
		}
		s.work++
		if !s.isExcludedBy(&r.keys[id]) && r.patterns[id].matches(s) {
			return id, false
		}
		if r.wantsSweep(s) {
			return r.sweep(s, best), true
		}
	}
	return best, false
}

// wantsSweep reports whether a sweep should take over.
func (r *rules) wantsSweep(s *subject) bool {
	return s.work > r.sweepAt && (s.work > r.sweepAt+sweepBuildWork*r.octets || r.swept.Load() != nil)
}

// sweep returns the first tail that matches, if it comes before best; else best.
func (r *rules) sweep(s *subject, best int32) int32 {
	w := r.swept.Load()
	if w == nil {
		w = newSweep(r)
		r.swept.Store(w)
	}
	return w.find(r, s, best)
}

// none is a precedence that loses against every pattern.
const none = int32(1<<31 - 1)

// size returns how many bytes of memory the rules take beside the body, about, with the
// lookup that they get when they are asked often, and with the sweep that a decision may
// need, where that may be large.
func (r *rules) size(body string) int {
	size := int(r.bytes.Load())
	if size == 0 {
		size = r.measure(body)
		r.bytes.Store(int64(size))
	}
	return size
}

func (r *rules) measure(body string) int {
	size := rulesSize + patternSize*len(r.patterns) + 4*len(r.lines)
	segments, longer := 0, 0 // behind wildcards, and those of more than an octet
	for i := range r.patterns {
		p := &r.patterns[i]
		if !strings.HasPrefix(body[p.start:], p.text) { // a normal form that is not a part of the file
			size += len(p.text)
		}
		for rest := p.text[segmentEnd(p.text):]; p.is(wild) && rest != ""; segments++ {
			var segment string
			if segment, rest = cutSegment(rest); len(segment) > 1 {
				longer++
			}
		}
	}
	if len(r.patterns) > fewPatterns {
		size += headSize*(len(r.patterns)-r.tails) + 4*r.tails
		if r.tails > fewTails {
			size += 4 * bucketsFor(r.tails)
		}
	}
	if segments > manySegments {
		size += tailSize*r.tails + partSize*segments + segmentSize*min(segments, 256+longer) // one octet has 256 values
	}
	return size
}

// By the fields and elements that are counted.
const (
	rulesSize    = 200
	patternSize  = 48
	headSize     = 40
	manySegments = 1024 // a sweep of fewer is small beside its file
	tailSize     = 20
	partSize     = 4
	segmentSize  = 44
)
