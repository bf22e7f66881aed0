package robotstxt

import (
	"math/bits"
	"strings"
	"sync"
)

// A sweep tries many tails on a long path together, in one pass over the path from left to
// right. Each tail waits for its next segment. Where that segment begins in the path, the
// tail goes on to the segment after it. A tail that has found all its segments matches, if
// the end of the path fits too where the tail is anchored.
//
// The tail /*ab*cd on the path /xabcd:
//
//	at  what begins there  what the tail waits for then
//	0   "/", its head      "ab", at 1 or later
//	2   "ab"               "cd", at 4 or later
//	4   "cd"               nothing: it matches
type sweep struct {
	tails    []int32   // in order of precedence
	segments prefixSet // of all tails, each once, without heads and anchored ends
	parts    []int32   // the segments of each tail in turn, as numbers in segments
	partsEnd []int32   // for each tail: where its segments end in parts
	states   sync.Pool
}

// A sweep takes over where a decision costs more than sweepWork. To build it costs about
// sweepBuildWork for each octet of the tails; a decision that has cost as much builds it.
// Rules with more than manyTails, or of more than manyOctets of them, have it from the start.
const (
	sweepWork      = 100_000
	sweepBuildWork = 2
	manyTails      = 4096
	manyOctets     = 100_000
)

// sweepState says what each tail waits for. The tails that wait for one segment are a
// linked list: waiting has its first tail, and next the tail behind each.
type sweepState struct {
	waiting []int32 // for each segment: the first tail that waits for it; -1: none
	next    []int32 // for each tail: the next tail that waits for the same segment; -1: none
	part    []int32 // for each tail: where in parts the segment is that it waits for
	from    []int32 // for each tail: the first place in the path where that segment may begin
}

func newSweep(r *rules) *sweep {
	w := &sweep{tails: make([]int32, 0, r.tails), partsEnd: make([]int32, 0, r.tails)}
	parts := 0
	for i := range r.patterns {
		if p := &r.patterns[i]; p.is(tail) {
			parts += strings.Count(p.text, "*")
		}
	}
	w.parts = make([]int32, 0, parts)
	segments := newDistinctTexts(parts)
	for i := range r.patterns {
		p := &r.patterns[i]
		if !p.is(tail) {
			continue
		}
		for rest := p.text[segmentEnd(p.text):]; rest != ""; {
			var segment string
			if segment, rest = cutSegment(rest); rest != "" || !p.is(anchored) {
				w.parts = append(w.parts, segments.add(segment))
			}
		}
		w.tails = append(w.tails, int32(i))
		w.partsEnd = append(w.partsEnd, int32(len(w.parts)))
	}
	var number []int32
	w.segments, number = newPrefixSet(segments.texts)
	for i, text := range w.parts {
		w.parts[i] = number[text]
	}
	w.states.New = func() any { return w.newState() }
	return w
}

// distinctTexts are texts of which most of those that come again are not added again:
// a hostile file repeats one by the hundred thousand.
type distinctTexts struct {
	texts  []string
	latest []int32 // of each hash: 1 more than where in texts
	shift  int     // of a hash
}

// newDistinctTexts returns room for what is distinct of so many texts.
func newDistinctTexts(count int) distinctTexts {
	const mostHashes = 1 << 16
	size := bits.Len(uint(min(count, mostHashes-1)))
	return distinctTexts{texts: make([]string, 0, min(count, mostHashes)), latest: make([]int32, 1<<size), shift: 64 - size}
}

// add returns where the text is in texts.
func (d *distinctTexts) add(text string) int32 {
	latest := &d.latest[(firstOctets(text)^uint64(len(text)))*0x9E3779B97F4A7C15>>d.shift]
	if at := *latest - 1; at < 0 || d.texts[at] != text {
		d.texts = append(d.texts, text)
		*latest = int32(len(d.texts))
	}
	return *latest - 1
}

func (w *sweep) newState() *sweepState {
	st := &sweepState{
		waiting: make([]int32, len(w.segments.texts)),
		next:    make([]int32, len(w.partsEnd)),
		part:    make([]int32, len(w.partsEnd)),
		from:    make([]int32, len(w.partsEnd)),
	}
	for i := range st.waiting {
		st.waiting[i] = -1
	}
	return st
}

// sweepRun is one sweep over one path.
type sweepRun struct {
	*sweep
	*sweepState
	patterns []pattern
	path     string
	best     int32
	waits    int // tails that wait for something
}

// find returns the first tail that matches, if it comes before best; else best.
func (w *sweep) find(r *rules, s *subject, best int32) int32 {
	st := w.states.Get().(*sweepState)
	run := sweepRun{sweep: w, sweepState: st, patterns: r.patterns, path: s.path, best: best}
	for id, i := range w.tails {
		if i >= run.best {
			break
		}
		countSteps(1)
		p := &r.patterns[i]
		switch {
		case s.isExcludedBy(&r.keys[i]):
		case p.is(wild) && !(s.slashes && p.is(lax)): // its segments have a fixed size
			run.start(int32(id))
		case p.matches(s):
			run.best = i
		}
	}
	for at := 0; at < len(run.path) && run.waits > 0; at++ {
		rest := run.path[at:]
		for segment := w.segments.deepest(rest, firstOctets(rest)); segment >= 0; segment = w.segments.parent[segment] {
			countSteps(1)
			if run.waiting[segment] >= 0 {
				run.arrive(segment, int32(at))
			}
		}
	}
	run.clear()
	w.states.Put(st)
	return run.best
}

// start lets a tail wait for its first segment behind a wildcard.
func (r *sweepRun) start(id int32) {
	p := &r.patterns[r.tails[id]]
	end := segmentEnd(p.text)
	if !strings.HasPrefix(r.path, p.text[:end]) {
		return
	}
	r.part[id] = 0
	if id > 0 {
		r.part[id] = r.partsEnd[id-1]
	}
	r.from[id] = int32(end)
	r.wait(id)
}

// wait lets a tail wait for its next segment, or sees whether it matches where
// there is none left.
func (r *sweepRun) wait(id int32) {
	if r.part[id] < r.partsEnd[id] {
		segment := r.parts[r.part[id]]
		r.next[id], r.waiting[segment] = r.waiting[segment], id
		r.waits++
		return
	}
	p := &r.patterns[r.tails[id]]
	if p.is(anchored) {
		last := p.text[strings.LastIndexByte(p.text, '*')+1:]
		if !strings.HasSuffix(r.path[r.from[id]:], last) {
			return
		}
	}
	r.best = min(r.best, r.tails[id])
}

// arrive moves on the tails that wait for a segment which begins at a place.
func (r *sweepRun) arrive(segment, at int32) {
	id := r.waiting[segment]
	r.waiting[segment] = -1
	size := int32(len(r.segments.texts[segment]))
	for id >= 0 {
		countSteps(1)
		next := r.next[id]
		r.waits--
		switch {
		case r.tails[id] >= r.best: // has lost already
		case r.from[id] > at: // overlaps the segment before
			r.wait(id)
		default:
			r.part[id]++
			r.from[id] = at + size
			r.wait(id)
		}
		id = next
	}
}

// clear empties the state for the next run.
func (r *sweepRun) clear() {
	if r.waits == 0 {
		return
	}
	for i := range r.waiting {
		r.waiting[i] = -1
	}
}
