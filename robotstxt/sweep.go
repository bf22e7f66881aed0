package robotstxt

import (
	"strings"
	"sync"
)

// A sweep tries many patterns on a long path at once. It goes over the path
// from left to right, one time: at each place it finds which segments begin
// there, and the patterns that wait for one of them go on to wait for their
// next. A pattern whose segments have all come, and whose anchored end fits,
// matches.
type sweep struct {
	segments prefixSet
	parts    []int32 // the segments of the tails between head and anchored end, tail by tail
	partsEnd []int32 // where those of each tail end
	work     int     // octets times tails from which on it is used: sweepWork
	states   sync.Pool
}

// sweepWork is from how many octets times tails on a sweep takes less time than
// trying the tails one by one.
const sweepWork = 1 << 20

// sweepState is how far each tail has come.
type sweepState struct {
	waiting []int32 // for each segment: the first tail that waits for it; -1: none
	next    []int32 // for each tail: the next one that waits for the same
	part    []int32 // for each tail: what it waits for, in parts
	from    []int32 // for each tail: where that may begin
}

func newSweep(patterns []pattern, tails []tail) *sweep {
	s := &sweep{work: sweepWork, partsEnd: make([]int32, 0, len(tails))}
	var texts []string
	for _, t := range tails {
		p := &patterns[t.pattern]
		for from := p.segmentEnd(0) + 1; from <= len(p.text); {
			end := p.segmentEnd(from)
			if text := p.text[from:end]; text != "" && !(end == len(p.text) && p.anchored) {
				texts = append(texts, text)
			}
			from = end + 1
		}
		s.partsEnd = append(s.partsEnd, int32(len(texts)))
	}
	s.segments, s.parts = newPrefixSet(texts)
	s.states.New = func() any { return s.newState() }
	return s
}

func (s *sweep) newState() *sweepState {
	st := &sweepState{
		waiting: make([]int32, len(s.segments.texts)),
		next:    make([]int32, len(s.partsEnd)),
		part:    make([]int32, len(s.partsEnd)),
		from:    make([]int32, len(s.partsEnd)),
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
	tails    []tail
	patterns []pattern
	path     string
	best     int32
	waits    int // tails that wait for something
}

// find is lookup.find from the deepest head of a path on, given the best
// pattern that is nothing but a head.
func (s *sweep) find(l *lookup, patterns []pattern, on subject, deepest, best int32) int32 {
	st := s.states.Get().(*sweepState)
	run := sweepRun{sweep: s, sweepState: st, tails: l.tails, patterns: patterns, path: on.path, best: best}
	for node := deepest; node >= 0; node = l.heads.parent[node] {
		end := l.nodes[node].tailsEnd
		for id := end - int32(len(l.tailsOf(node))); id < end; id++ {
			if l.tails[id].pattern >= run.best {
				break
			}
			countSteps(1)
			p := &patterns[l.tails[id].pattern]
			switch {
			case l.tails[id].octets&^on.octets != 0:
			case p.wild && !(on.slashes && p.hasLaxSlash()): // its segments have a fixed size
				run.start(id)
			case p.matches(on.path, on.slashes):
				run.best = min(run.best, l.tails[id].pattern)
			}
		}
	}
	for at := 0; at < len(on.path) && run.waits > 0; at++ {
		for segment := s.segments.deepest(on.path[at:]); segment >= 0; segment = s.segments.parent[segment] {
			countSteps(1)
			if run.waiting[segment] >= 0 {
				run.arrive(segment, int32(at))
			}
		}
	}
	run.clear()
	s.states.Put(st)
	return run.best
}

// start lets a tail wait for its first segment behind a wildcard.
func (r *sweepRun) start(id int32) {
	p := &r.patterns[r.tails[id].pattern]
	end := p.segmentEnd(0)
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
	p := &r.patterns[r.tails[id].pattern]
	if p.anchored {
		last := p.text[strings.LastIndexByte(p.text, '*')+1:]
		if !strings.HasSuffix(r.path[r.from[id]:], last) {
			return
		}
	}
	r.best = min(r.best, r.tails[id].pattern)
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
		case r.tails[id].pattern >= r.best: // has lost already
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
