package robotstxt

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
)

// A ruleSet has the rules of the groups that apply to a crawler. Crawlers with the same groups share it.
type ruleSet struct {
	file    *File
	dialect *Dialect
	groups  []groupPart
	group   [1]groupPart // the memory of groups if there is only one
	length  int          // size in the index, in bytes; a rule has about three bytes
	sweepAt int          // a decision with more work than this may use a sweep; the value is sweepWork, except in tests

	spentWork atomic.Int64 // the work of all decisions without a lookup
	lookup    atomic.Pointer[lookup]
	bytes     atomic.Int64 // the size in memory, or 0 if it was not computed yet
}

// A groupPart is the part of the file's index with the rules of one group.
type groupPart struct {
	named       int32  // the line that names the crawler, as an index in File.agentLines
	start, stop uint32 // where the part is in File.index
	line        uint32 // the line number of the entry before the part
	end         uint32 // where the value of that entry ends
}

// rulesOf returns the rules of the groups of these User-agent lines. If the file keeps these rules already, they are shared.
func (f *File) rulesOf(lines []int32) *ruleSet {
	f.mu.Lock()
	defer f.mu.Unlock()
	sameGroup := func(g groupPart, line int32) bool { return f.agentLines[g.named].group == f.agentLines[line].group }
	for _, r := range f.keptSets {
		if slices.EqualFunc(r.groups, lines, sameGroup) {
			return r
		}
	}
	r := f.newRules(lines)
	f.keep(r)
	return r
}

func (f *File) newRules(lines []int32) *ruleSet {
	r := &ruleSet{file: f, dialect: f.Dialect(), sweepAt: sweepWork}
	r.groups = r.group[:0]
	for _, line := range lines {
		part := f.partAfter(line)
		r.groups = append(r.groups, part)
		r.length += int(part.stop - part.start)
	}
	return r
}

// maxKept limits how many rule sets a file keeps. Together, they may have three times as many bytes as the index.
const maxKept = 64

func (f *File) keep(r *ruleSet) {
	f.keptSets = append(f.keptSets, r)
	bytes := r.length
	for i := len(f.keptSets) - 2; i >= 0; i-- {
		bytes += f.keptSets[i].length
		if bytes > 3*len(f.index) || len(f.keptSets)-i > maxKept {
			f.keptSets = slices.Delete(f.keptSets, 0, i+1)
			return
		}
	}
}

func (f *File) keeps(r *ruleSet) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Contains(f.keptSets, r)
}

// Compiling takes the time of many decisions without compiled rules. So a rule set gets a lookup (its compiled rules) only
// when its decisions have taken that time. If the rule set has at most fewBytes bytes, only decisions that took longer than
// slowWalk are counted.
const (
	fewBytes   = 3 * 8
	slowWalk   = 200 // in nanoseconds
	lookupWork = 80  // the most nanoseconds for each byte of the index
)

func (r *ruleSet) decide(s *subject) (m match, ok bool) {
	if l := r.lookup.Load(); l != nil {
		return l.find(s)
	}
	best, ok := r.walk(s)
	if !ok {
		return r.build().find(s)
	}
	if r.length > fewBytes || s.work > slowWalk {
		if addWork(&r.spentWork, r.length+s.work, lookupWork*r.length) {
			if l := r.build(); len(l.tails.patterns) > fewTails {
				l.tails.place(l, fewTails)
			}
		}
	}
	return best.match, best.rank > 0
}

// addWork returns true only once: in the call in which the work reaches the limit.
func addWork(spent *atomic.Int64, work, limit int) bool {
	now := int(spent.Add(int64(work)))
	return now >= limit && now-work < limit
}

func (r *ruleSet) build() *lookup {
	l := newLookup(r)
	r.lookup.Store(l)
	return l
}

func (r *ruleSet) eachRule(visit func(e entry)) {
	for _, g := range r.groups {
		entries := g.reader(r.file.index)
		for entries.next() {
			if e := entries.entry; e.kind.isRule() {
				visit(e)
			}
		}
	}
}

func (r *ruleSet) patterns(all []pattern, side []byte) ([]pattern, []byte) {
	all = slices.Grow(all, r.length/3)
	r.eachRule(func(e entry) {
		if e.start < e.end || r.dialect.emptyDecides { // otherwise it is not a rule (R-10, S94-9)
			all, side = r.dialect.appendPattern(all, side, r.file.body, e)
		}
	})
	return all, side
}

func (r *ruleSet) byPrecedence() []pattern {
	all, _ := r.patterns(nil, nil)
	sorted := make([]pattern, len(all))
	for i, at := range r.dialect.order(all) {
		sorted[i] = all[at]
	}
	return sorted
}

// order returns the indexes of patterns by rank, the highest rank first. The patterns must be in file order.
func (d *Dialect) order(patterns []pattern) []int32 {
	order := make([]int32, len(patterns))
	if !d.longest {
		for i := range order {
			order[i] = int32(i)
		}
		return order
	}
	// Nearly all patterns are short, and a counting sort places these. The long patterns come first, and only they
	// are compared with each other. slices.SortStableFunc would be too slow.
	var next [longRank + 1]uint32
	highest := 0
	for i := range patterns {
		rank := patterns[i].shortRank()
		next[rank]++
		highest = max(highest, rank)
	}
	long := order[:0:next[longRank]]
	place := uint32(0)
	for rank := highest; rank >= 0; rank-- {
		place, next[rank] = place+next[rank], place
	}
	for i := range patterns {
		if rank := patterns[i].shortRank(); rank < longRank {
			order[next[rank]] = int32(i)
			next[rank]++
		} else {
			long = append(long, int32(i))
		}
	}
	slices.SortStableFunc(long, func(a, b int32) int {
		return cmp.Compare(d.rank(&patterns[b].match, patterns[b].length), d.rank(&patterns[a].match, patterns[a].length))
	})
	return order
}

const longRank = 2 * 128

// shortRank is a rank for the counting sort in the function order. All patterns with 128 bytes or more have longRank.
func (p *pattern) shortRank() int {
	return min(2*int(p.length)+boolOrder(p.allow), longRank)
}

func boolOrder(b bool) int {
	if b {
		return 1
	}
	return 0
}

type buffers struct {
	patterns []pattern
	side     []byte
}

var compilations = sync.Pool{New: func() any { return new(buffers) }}

// release clears the patterns, because their texts would keep the body in memory.
func (b *buffers) release() {
	clear(b.patterns)
	compilations.Put(b)
}

// size returns how many bytes the rules take after they are compiled, even if they are not compiled yet.
func (r *ruleSet) size() int {
	size := int(r.bytes.Load())
	if size == 0 {
		size = rulesSize + groupSize*len(r.groups) + r.lookupSize()
		r.bytes.Store(int64(size))
	}
	return size
}

func (r *ruleSet) lookupSize() int {
	b := compilations.Get().(*buffers)
	defer b.release()
	b.patterns, b.side = r.patterns(b.patterns[:0], b.side[:0])
	size, tails := len(b.side)+headSize*len(b.patterns), 0
	segments, longer := 0, 0 // the number of all texts after wildcards, and of those with more than one byte
	work := 0
	for i := range b.patterns {
		p := &b.patterns[i]
		work += compareWork
		if p.is(odd) {
			size += oddSize
			work += compileWork
		}
		if p.is(odd | tail) {
			work += len(p.text)
		}
		if p.is(tail) {
			tails++
			for from := segmentEnd(p.text); from < len(p.text); segments++ {
				end := segmentAfter(p.text, from)
				longer += boolOrder(end-from > 2)
				from = end
			}
		}
	}
	if tails > fewTails {
		size += tailSize * tails
	}
	if segments > manySegments {
		// There are at most 256 different segments of one byte.
		size += sweptSize*tails + partSize*segments + segmentSize*min(segments, 256+longer)
	}
	if r.length <= fewBytes && work <= slowWalk { // such a rule set hardly ever gets a lookup
		return 0
	}
	return size + lookupBytes
}

// Sizes in memory, in bytes.
const (
	rulesSize    = 88
	groupSize    = 20
	lookupBytes  = 400
	headSize     = 32 // a tail takes about as much
	oddSize      = 20
	tailSize     = 40   // for a tail that is stored under its head, see places
	manySegments = 1024 // with fewer segments, the size of a sweep is not counted
	sweptSize    = 16
	partSize     = 4
	segmentSize  = 36
)
