package robotstxt

import (
	"math/bits"
	"strings"
	"sync"
)

// A sweep tries many tails (patterns with wildcards) in one pass over the path. Each tail waits for its next segment, the
// text after a "*". A tail without a further segment matches; an anchored one must also fit the end of the path.
//
// Example: the tail /*ab*cd and the path /xabcd.
//
//	at offset 0, "/" begins, the text before the first "*"   the tail now waits for "ab", at offset 1 or later
//	at offset 2, "ab" begins                                 the tail now waits for "cd", at offset 4 or later
//	at offset 4, "cd" begins                                 the tail has found all its segments, so it matches
type sweep struct {
	segments prefixSet // the texts after each "*" of all tails, except the last text of an anchored tail
	parts    []int32   // the segments of the first tail, then of the second, …; a segment is an index in segments
	partsEnd []int32   // for each tail: where its segments end in parts
	states   sync.Pool
}

// If a decision takes more than sweepWork nanoseconds, it uses a sweep (one pass for all tails). If there is no sweep yet,
// the decision makes one only after sweepWork + sweepBuildWork * (the bytes of the patterns) nanoseconds.
const (
	sweepWork      = 100_000
	sweepBuildWork = 2
)

// sweepState has a linked list for each segment. A segment is the text after a "*" in a pattern. The list has the tails
// (the patterns with wildcards) that wait for this segment.
type sweepState struct {
	firstWaiting []int32 // for each segment: the first tail that waits for it, or -1
	nextWaiting  []int32 // for each tail: the next tail that waits for the same segment, or -1
	part         []int32 // for each tail: the segment that it waits for, as an index in parts
	from         []int32 // for each tail: the first offset in the path at which that segment may begin
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

// distinctTexts collects texts without most repetitions, because a hostile file may repeat a text many times. It remembers
// only one text for each hash.
type distinctTexts struct {
	all    []storedPattern
	texts  []string // the texts of all, as strings
	latest []int32  // for each hash: the latest text with this hash, stored as its index in texts, plus 1; 0 means none
	shift  int      // hash >> shift is an index in latest
}

func newDistinctTexts(count int) distinctTexts {
	const maxHashes = 1 << 16
	size := bits.Len(uint(min(count, maxHashes-1)))
	return distinctTexts{texts: make([]string, 0, min(count, maxHashes)), latest: make([]int32, 1<<size), shift: 64 - size}
}

// add adds a text and returns its index in d.all. The parameter textStart is where the text begins in the texts of the
// lookup.
func (d *distinctTexts) add(text string, textStart uint32) int32 {
	latest := &d.latest[(firstBytes(text)^uint64(len(text)))*0x9E3779B97F4A7C15>>d.shift]
	if at := *latest - 1; at < 0 || d.texts[at] != text {
		d.texts, d.all = append(d.texts, text), append(d.all, storedPattern{at: textStart, size: uint32(len(text))})
		*latest = int32(len(d.texts))
	}
	return *latest - 1
}

func (w *sweep) newState() *sweepState {
	st := &sweepState{
		firstWaiting: make([]int32, len(w.segments.members)),
		nextWaiting:  make([]int32, len(w.partsEnd)),
		part:         make([]int32, len(w.partsEnd)),
		from:         make([]int32, len(w.partsEnd)),
	}
	for i := range st.firstWaiting {
		st.firstWaiting[i] = -1
	}
	return st
}

// sweepRun is one use of a sweep, for one path.
type sweepRun struct {
	*sweep
	*sweepState
	l     *lookup
	path  string
	best  int32 // the lowest number of a tail that was found to match; at the start, the limit of find
	waits int   // how many tails wait for a segment
}

// find returns the first tail (a pattern with wildcards) that matches the path and has a number below limit. It returns
// limit if there is none. Tails are numbered by precedence.
func (w *sweep) find(l *lookup, s *subject, limit int32) int32 {
	st := w.states.Get().(*sweepState)
	run := sweepRun{sweep: w, sweepState: st, l: l, path: s.path, best: limit}
	for id := int32(0); id < run.best; id++ {
		countSteps(1)
		p := &l.tails.patterns[id]
		switch {
		case s.lacksBytes(l.tails.bytes[id]):
		case p.is(wild) && !(s.slashes && p.is(lax)): // without lax slashes, a segment is as long as the part of the path that it matches
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

// startTail makes a tail (a pattern with wildcards) wait for its first segment if the path begins with the text before the
// first "*" of the tail.
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

// waitForNext makes a tail (a pattern with wildcards) wait for its next segment, the text after a "*". If no segment is
// left and the tail matches, waitForNext updates best.
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

// reachSegment is called when the sweep finds a segment (a text after a "*") in the path. The tails that waited for this
// segment then wait for their next segment.
func (r *sweepRun) reachSegment(segment, offset int32) {
	id := r.firstWaiting[segment]
	r.firstWaiting[segment] = -1
	size := int32(r.segments.members[segment].size)
	for id >= 0 {
		countSteps(1)
		next := r.nextWaiting[id]
		r.waits--
		switch {
		case id >= r.best: // a tail of higher precedence matches, so this tail is not needed any longer
		case r.from[id] > offset: // the segment begins too early: it overlaps the segment before it
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
