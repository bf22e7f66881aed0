package robotstxt

import (
	"math/bits"
	"slices"
	"strings"
	"sync"
)

// A sweep tries many tails (patterns with wildcards) in one pass over the path. Each tail waits for its next segment,
// the text after a "*". A tail without a further segment matches. An anchored tail must also fit the end of the path.
//
// Example: the tail /*ab*cd and the path /xabcd.
//
//	at offset 0, "/" begins, the text before the first "*"   the tail now waits for "ab", at offset 1 or later
//	at offset 2, "ab" begins                                 the tail now waits for "cd", at offset 4 or later
//	at offset 4, "cd" begins                                 the tail has found all its segments, so it matches
type sweep struct {
	segments prefixSet // the texts after each "*" of all tails, except the last text of an anchored tail
	parts    []int32   // the segments of the first tail, then of the second, …, as indexes in segments
	partsEnd []int32   // for each tail: where its segments end in parts
	states   sync.Pool
}

// After sweepWork nanoseconds without a result, a decision uses the sweep of the rules, if one was made before. If not, it
// continues for sweepBuildWork nanoseconds for each byte of the patterns, and then makes the sweep.
const (
	sweepWork      = 100_000
	sweepBuildWork = 2
)

// sweepState has, for each segment (the text after a "*"), a linked list of the tails that wait for it. Hostile files have
// thousands of tails that wait for the same segment.
type sweepState struct {
	firstWaiting []int32 // for each segment: the first tail that waits for it, or -1
	nextWaiting  []int32 // for each tail: the next tail that waits for the same segment, or -1
	part         []int32 // for each tail: the segment for which it waits, as an index in parts
	from         []int32 // for each tail: where in the path that segment may begin at the earliest
}

func newSweep(l *lookup) *sweep {
	all := l.tails.patterns
	w := &sweep{partsEnd: make([]int32, 0, len(all))}
	parts := 0
	for i := range all {
		parts += strings.Count(l.textOf(&all[i]), "*")
	}
	w.parts = make([]int32, 0, parts)
	segments := newDistinctTexts(parts)
	for i := range all {
		p := &all[i]
		text := l.textOf(p)
		for from := segmentEnd(text); from < len(text); {
			end := segmentAfter(text, from)
			if end < len(text) || !p.is(anchored) {
				w.parts = append(w.parts, segments.add(text[from+1:end], p.at+uint32(from+1)))
			}
			from = end
		}
		w.partsEnd = append(w.partsEnd, int32(len(w.parts)))
	}
	var number []int32
	w.segments, number = newPrefixSet(&l.texts, segments.all)
	for i, text := range w.parts {
		w.parts[i] = number[text]
	}
	w.states.New = func() any { return w.newState() }
	return w
}

// A hostile file may repeat a text many times. distinctTexts remembers one text for each hash, and so leaves out most
// repetitions.
type distinctTexts struct {
	all    []storedPattern
	texts  []string
	latest []int32 // for each hash: the index of the latest text with this hash, plus 1; 0 if there is none
	shift  int     // hash >> shift is an index in latest
}

func newDistinctTexts(count int) distinctTexts {
	const maxHashes = 1 << 16
	size := bits.Len(uint(min(count, maxHashes-1)))
	return distinctTexts{texts: make([]string, 0, min(count, maxHashes)), latest: make([]int32, 1<<size), shift: 64 - size}
}

func (d *distinctTexts) add(text string, textStart uint32) int32 {
	latest := &d.latest[(firstBytes(text)^uint64(len(text)))*0x9E3779B97F4A7C15>>d.shift]
	if at := *latest - 1; at < 0 || d.texts[at] != text {
		d.texts, d.all = append(d.texts, text), append(d.all, storedPattern{at: textStart, size: uint32(len(text))})
		*latest = int32(len(d.texts))
	}
	return *latest - 1
}

func (w *sweep) newState() *sweepState {
	return &sweepState{
		firstWaiting: slices.Repeat([]int32{-1}, len(w.segments.members)),
		nextWaiting:  make([]int32, len(w.partsEnd)),
		part:         make([]int32, len(w.partsEnd)),
		from:         make([]int32, len(w.partsEnd)),
	}
}

type sweepRun struct {
	*sweep
	*sweepState
	l     *lookup
	path  string
	best  int32 // the first tail that was found to match; at the start, the limit of find
	waits int
}

// find returns the first tail that matches, or limit if no tail before limit matches. Tails are sorted by precedence.
func (w *sweep) find(l *lookup, s *subject, limit int32) int32 {
	st := w.states.Get().(*sweepState)
	run := sweepRun{sweep: w, sweepState: st, l: l, path: s.path, best: limit}
	for id := int32(0); id < run.best; id++ {
		countSteps(1)
		p := &l.tails.patterns[id]
		switch {
		case s.lacksBytes(l.tails.bytes[id]):
		case p.is(wild) && !(s.slashes && p.is(lax)): // otherwise "/" may match three bytes, "%2F"
			run.startTail(id)
		case s.matches(l.textOf(p), p.traits):
			run.best = id
		}
	}
	for at := 0; at < len(run.path) && run.waits > 0; at++ {
		rest := run.path[at:]
		for segment := w.segments.longestMember(rest, firstBytes(rest)); segment >= 0; segment = w.segments.parent[segment] {
			countSteps(1)
			if run.firstWaiting[segment] >= 0 {
				run.reachSegment(segment, int32(at))
			}
		}
	}
	run.clear()
	w.states.Put(st)
	return run.best
}

func (r *sweepRun) startTail(id int32) {
	text := r.l.textOf(&r.l.tails.patterns[id])
	end := segmentEnd(text)
	if !strings.HasPrefix(r.path, text[:end]) {
		return
	}
	r.part[id] = 0
	if id > 0 {
		r.part[id] = r.partsEnd[id-1]
	}
	r.from[id] = int32(end)
	r.waitForNext(id)
}

func (r *sweepRun) waitForNext(id int32) {
	if r.part[id] < r.partsEnd[id] {
		segment := r.parts[r.part[id]]
		r.nextWaiting[id], r.firstWaiting[segment] = r.firstWaiting[segment], id
		r.waits++
		return
	}
	p := &r.l.tails.patterns[id]
	if p.is(anchored) {
		text := r.l.textOf(p)
		last := text[strings.LastIndexByte(text, '*')+1:]
		if !strings.HasSuffix(r.path[r.from[id]:], last) {
			return
		}
	}
	r.best = min(r.best, id)
}

func (r *sweepRun) reachSegment(segment, offset int32) {
	id := r.firstWaiting[segment]
	r.firstWaiting[segment] = -1
	size := int32(r.segments.members[segment].size)
	for id >= 0 {
		countSteps(1)
		next := r.nextWaiting[id]
		r.waits--
		switch {
		case id >= r.best: // this tail cannot decide any more
		case r.from[id] > offset: // too early: it overlaps the segment before it
			r.waitForNext(id)
		default:
			r.part[id]++
			r.from[id] = offset + size
			r.waitForNext(id)
		}
		id = next
	}
}

func (r *sweepRun) clear() {
	if r.waits == 0 {
		return
	}
	for i := range r.firstWaiting {
		r.firstWaiting[i] = -1
	}
}
