package robotstxt

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// A ruleSet is the compiled rules of some groups of a file. Policies to which the same groups
// apply share it.
type ruleSet struct {
	lines    []int32   // for each group: the number in File.agentLines of the line that names the crawler
	count    int       // of rules, with those that have no pattern
	patterns []pattern // by precedence: the first that matches decides, so a lower number is better
	keys     []key     // of each pattern

	tails       int          // how many patterns are tails
	octets      int          // of the texts of all tails
	sweepAt     int          // a decision with more work may use a sweep: sweepWork, except in tests
	spent       atomic.Int64 // the work of all decisions so far, until there is a lookup
	bytes       atomic.Int64 // what size returns; 0: not yet measured
	builtLookup atomic.Pointer[lookup]
	builtSweep  atomic.Pointer[sweep]
}

// rulesOf returns the compiled rules of groups, given by their agent lines: kept ones if
// there are any, else new ones.
func (f *File) rulesOf(lines []int32) *ruleSet {
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

// maxKept limits how many rule sets a file keeps. The number of their patterns is limited
// too, by the size of the index, which has three bytes for each rule of the file. The latest
// rule set is always kept.
const maxKept = 64

// keep adds the latest rule set to the kept ones, and drops the oldest if a limit is
// exceeded.
func (f *File) keep(r *ruleSet) {
	f.kept = append(f.kept, r)
	patterns := len(r.patterns)
	for i := len(f.kept) - 2; i >= 0; i-- {
		patterns += len(f.kept[i].patterns)
		if patterns > len(f.index) || len(f.kept)-i > maxKept {
			f.kept = slices.Delete(f.kept, 0, i+1)
			return
		}
	}
}

// sameGroups reports whether two lists of agent lines are from the same groups.
func (f *File) sameGroups(a, b []int32) bool {
	return slices.EqualFunc(a, b, func(a, b int32) bool { return f.agentLines[a].group == f.agentLines[b].group })
}

// keeps reports whether the file keeps a rule set.
func (f *File) keeps(r *ruleSet) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Contains(f.kept, r)
}

// compile compiles the rules of groups, given by their agent lines.
func (f *File) compile(lines []int32) *ruleSet {
	d := f.Dialect()
	r := &ruleSet{lines: slices.Clone(lines), sweepAt: sweepWork}
	unsorted := unsortedPatterns.Get().(*[]ranked)
	patterns := slices.Grow((*unsorted)[:0], f.maxRules(lines))
	for _, line := range lines {
		e := f.entriesBehind(line)
		for e.nextOfGroup() {
			if e.entry.kind != allowEntry && e.entry.kind != disallowEntry {
				continue
			}
			r.count++
			if e.entry.start < e.entry.end || d.emptyDecides { // otherwise the line is no rule (R-10, S94-9)
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
	clear(patterns) // their texts would keep the body in memory
	*unsorted = patterns
	unsortedPatterns.Put(unsorted)
	if r.tails > manyTails || r.octets > manyOctets {
		r.builtSweep.Store(newSweep(r))
	}
	return r
}

// unsortedPatterns has buffers for compile.
var unsortedPatterns = sync.Pool{New: func() any { return new([]ranked) }}

// sort sets patterns and keys by precedence: the longest pattern first; of equally long ones
// Allow before Disallow, then the first in the file (R-5, M-3, M-4).
func (r *ruleSet) sort(patterns []ranked) {
	// Nearly all patterns are short, and get their places by a counting sort. The long ones
	// have the first places, and are sorted by comparison. For 200 patterns or more,
	// slices.SortStableFunc alone would take longer than parsing and compiling together.
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

func (r *ruleSet) place(i int, p *ranked) {
	r.patterns[i], r.keys[i] = p.pattern, p.key
	if p.is(tail) {
		r.tails++
		r.octets += len(p.text)
	}
}

// longRank is the rank of all patterns with 128 octets or more.
const longRank = 2 * 128

// rank returns a number that is higher for a pattern of higher precedence.
func (p *ranked) rank() int {
	return min(2*int(p.length)+boolOrder(p.is(allows)), longRank)
}

func boolOrder(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Building a lookup costs as much as many decisions without one. A rule set of more than
// fewPatterns patterns gets a lookup when its decisions have cost as much as building it.
const (
	fewPatterns = 24
	lookupWork  = 64 // of building a lookup, in nanoseconds for each pattern
	fewTails    = 32 // a lookup tries up to so many tails without a pairTable
)

// first returns the number of the first pattern that matches, or none.
func (r *ruleSet) first(s *subject) int32 {
	if l := r.builtLookup.Load(); l != nil {
		return l.find(r, s)
	}
	best := r.scan(s)
	if len(r.patterns) > fewPatterns && s.work <= r.sweepAt { // otherwise a lookup would not help
		work := int64(min(int(best), len(r.patterns)) + s.work)
		limit := int64(lookupWork * len(r.patterns))
		if spent := r.spent.Add(work); spent >= limit && spent-work < limit {
			r.builtLookup.Store(newLookup(r, fewTails))
		}
	}
	return best
}

// scan tries one pattern after the other.
func (r *ruleSet) scan(s *subject) int32 {
	countSteps(len(r.keys))
	for i := range r.keys {
		if s.isExcludedBy(&r.keys[i]) || !r.patterns[i].matches(s) {
			if r.wantsSweep(s) {
				return r.sweep(s, r.scanHeads(s, i+1))
			}
			continue
		}
		return int32(i)
	}
	return none
}

// scanHeads is scan for heads only, from a pattern on.
func (r *ruleSet) scanHeads(s *subject, from int) int32 {
	for i := from; i < len(r.keys); i++ {
		if !r.patterns[i].is(tail) && !s.isExcludedBy(&r.keys[i]) && r.patterns[i].matches(s) {
			return int32(i)
		}
	}
	return none
}

// firstTail returns the first of some tails that matches, if it is better than best; else
// best. The tails are sorted by precedence. If swept is true, a sweep has tried all tails of
// the rule set.
func (r *ruleSet) firstTail(tails []int32, s *subject, best int32) (first int32, swept bool) {
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

// wantsSweep reports whether a sweep should try the tails; see sweepWork.
func (r *ruleSet) wantsSweep(s *subject) bool {
	return s.work > r.sweepAt && (s.work > r.sweepAt+sweepBuildWork*r.octets || r.builtSweep.Load() != nil)
}

// sweep returns the first tail that matches, if it is better than best; else best.
func (r *ruleSet) sweep(s *subject, best int32) int32 {
	w := r.builtSweep.Load()
	if w == nil {
		w = newSweep(r)
		r.builtSweep.Store(w)
	}
	return w.find(r, s, best)
}

// none is a pattern number that is worse than every real one.
const none = int32(1<<31 - 1)

// size returns about how many bytes of memory the rule set takes besides the body. That
// includes the lookup that it may get, and the sweep if that may be large.
func (r *ruleSet) size(body string) int {
	size := int(r.bytes.Load())
	if size == 0 {
		size = r.measure(body)
		r.bytes.Store(int64(size))
	}
	return size
}

func (r *ruleSet) measure(body string) int {
	size := rulesSize + patternSize*len(r.patterns) + 4*len(r.lines)
	segments, longer := 0, 0 // behind wildcards; and of these, with more than one octet
	for i := range r.patterns {
		p := &r.patterns[i]
		if !strings.HasPrefix(body[p.start:], p.text) { // the text is no part of the body
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

// Sizes in memory, by fields and elements.
const (
	rulesSize    = 200
	patternSize  = 48
	headSize     = 40
	manySegments = 1024 // a sweep of fewer segments is small compared with its file
	tailSize     = 20
	partSize     = 4
	segmentSize  = 44
)
