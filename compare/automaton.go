package compare

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/heed-robots/heed/robotstxt"
)

// An automaton reads a path byte by byte and finds out if one pattern matches. Its states are numbers.
type automaton interface {
	start() int32
	next(state int32, c byte) int32
	// accepts reports whether the pattern matches a path that ends in the state.
	accepts(state int32) bool
	// addMarked adds to the set the bytes that matter in a state. All other bytes lead to one and the same next state.
	addMarked(set *byteSet, state int32)
}

// The final states of every automaton. After a final state, no byte changes the state.
const (
	dead    int32 = -1 // however a path continues from here, the pattern does not match it
	matched int32 = -2 // however a path continues from here, the pattern matches it
)

const unknownState int32 = -3

func newAutomaton(r *rule, b *budget) automaton {
	if r.Lax {
		return &laxAutomaton{segments: r.marked, anchored: r.Anchored, head: r.head(), afterHead: unknownState, budget: b, numbers: map[string]int32{}}
	}
	b.spend(len(r.key.text))
	return newSegmentAutomaton(&r.Pattern)
}

// A segmentAutomaton matches segments of a pattern by the algorithm of Knuth, Morris and Pratt. Its state counts the
// matched bytes.
type segmentAutomaton struct {
	text   string  // all segments (texts between wildcards), one after the other
	starts []int32 // where each segment begins in text
	// If a byte does not fit in a state, borders[state] is the state that is tried next. If there is no such state,
	// it is dead.
	borders  []int32
	segment  []int32 // for each state: the number of its segment
	anchored bool
}

func newSegmentAutomaton(p *robotstxt.Pattern) *segmentAutomaton {
	a := &segmentAutomaton{anchored: p.Anchored}
	a.text = strings.Join(p.Segments, "")
	a.borders, a.segment = make([]int32, len(a.text)+1), make([]int32, len(a.text)+1)
	start := int32(0)
	for i, s := range p.Segments {
		a.starts = append(a.starts, start)
		a.addSegment(int32(i), start, s)
		start += int32(len(s))
	}
	return a
}

func (a *segmentAutomaton) addSegment(number, start int32, s string) {
	a.borders[start] = dead
	border := int32(-1)
	for i := range int32(len(s)) {
		a.segment[start+i] = number
		for border >= 0 && s[border] != s[i] {
			border = a.borderOf(start, border)
		}
		border++
		a.borders[start+i+1] = start + border
	}
	a.segment[start+int32(len(s))] = number
	for state := start + 1; state < start+int32(len(s)); state++ {
		if b := a.borders[state]; a.text[b] == a.text[state] {
			a.borders[state] = a.borders[b]
		}
	}
}

func (a *segmentAutomaton) borderOf(start, k int32) int32 {
	if k == 0 {
		return -1
	}
	return a.borders[start+k] - start
}

func (a *segmentAutomaton) start() int32 {
	if a.text == "" && !a.anchored {
		return matched
	}
	return 0
}

func (a *segmentAutomaton) next(state int32, c byte) int32 {
	if state < 0 {
		return state
	}
	end := int32(len(a.text))
	number := a.segment[state]
	start := a.starts[number]
	for state == end || a.text[state] != c {
		if number == 0 { // the first segment must be at the start of the path
			return dead
		}
		if state = a.borders[state]; state < 0 {
			return start
		}
	}
	state++
	if state == end && !a.anchored {
		return matched
	}
	return state
}

// readText reads a text from the first state. It returns the next state, and the number of bytes that it read. At stopState,
// it ends, and ok is false.
func (a *segmentAutomaton) readText(text string, stopState int32) (state int32, bytes int, ok bool) {
	first := a.text
	if len(a.starts) > 1 {
		first = a.text[:a.starts[1]]
	}
	state = a.start()
	if n := min(len(first), len(text)); n > 0 && n < len(a.text) && first[:n] == text[:n] {
		state, bytes = int32(n), n
	}
	for bytes < len(text) {
		state = a.next(state, text[bytes])
		if bytes++; state == stopState {
			return stopState, bytes, false
		}
	}
	return state, bytes, true
}

func (a *segmentAutomaton) accepts(state int32) bool {
	return state == matched || a.anchored && state == int32(len(a.text))
}

func (a *segmentAutomaton) addMarked(set *byteSet, state int32) {
	for state >= 0 {
		if state < int32(len(a.text)) {
			set.add(a.text[state])
		}
		if a.segment[state] == 0 {
			return
		}
		state = a.borders[state]
	}
}

// A laxAutomaton is for a pattern with a "/" that also matches "%2F". A state is made when the search first reaches it.
type laxAutomaton struct {
	segments []string // the texts between the wildcards, in which laxMark stands for a "/" that also matches "%2F"
	anchored bool
	head     string // the text with which every path that matches begins

	afterHead int32 // the state after the head, computed when the first path is matched

	budget  *budget
	states  []*laxState
	numbers map[string]int32
}

// A laxState is a segment (a text between wildcards), and the places in this segment that the path may have reached.
type laxState struct {
	segment int
	places  []laxPlace

	marked byteSet // the bytes that addMarked adds; all other bytes lead to one next state
	next   []int32 // the next states: first the state for all other bytes, then one for each marked byte
	read   byteSet // the bytes that were already read in this state
}

// A laxPlace says how many bytes of a segment are matched. The path may then be inside a "%2F" that stands for the next
// "/". In this case, escapeBytes says how many bytes of this "%2F" were read.
type laxPlace struct{ matchedBytes, escapeBytes int32 }

func (a *laxAutomaton) start() int32 { return a.number(a.settle(0, []laxPlace{{}})) }

// settle moves to the next segment if a place is the end of this one. If isComplete is true, the path matches, however it
// continues.
func (a *laxAutomaton) settle(segment int, places []laxPlace) (in int, settled []laxPlace, isComplete bool) {
	last := segment == len(a.segments)-1
	complete := slices.ContainsFunc(places, func(p laxPlace) bool { return int(p.matchedBytes) == len(a.segments[segment]) })
	switch {
	case complete && !last:
		return a.settle(segment+1, []laxPlace{{}})
	case complete && !a.anchored:
		return segment, nil, true
	}
	return segment, places, false
}

func (a *laxAutomaton) number(segment int, places []laxPlace, isComplete bool) int32 {
	switch {
	case isComplete:
		return matched
	case len(places) == 0:
		return dead
	}
	key := binary.AppendUvarint(make([]byte, 0, 64), uint64(segment))
	for _, p := range places {
		key = binary.AppendUvarint(key, uint64(p.matchedBytes)*4+uint64(p.escapeBytes))
	}
	number, known := a.numbers[string(key)]
	if !known {
		number = int32(len(a.states))
		a.numbers[string(key)] = number
		a.states = append(a.states, a.newState(segment, places))
	}
	return number
}

func (a *laxAutomaton) newState(segment int, places []laxPlace) *laxState {
	s := &laxState{segment: segment, places: places}
	text := a.segments[segment]
	for _, p := range places {
		switch {
		case int(p.matchedBytes) == len(text):
		case text[p.matchedBytes] == laxMark[0]:
			s.marked.add('/')
			s.marked.add(encodedSlash[p.escapeBytes])
		default:
			s.marked.add(text[p.matchedBytes])
		}
	}
	s.next = slices.Repeat([]int32{unknownState}, 1+s.marked.count())
	return s
}

func (a *laxAutomaton) next(state int32, c byte) int32 {
	if state < 0 {
		return state
	}
	s := a.states[state]
	next := &s.next[0]
	if s.marked.has(c) {
		next = &s.next[1+s.marked.rank(c)]
	}
	if !s.read.has(c) {
		s.read.add(c)
		a.budget.spend(newLaxWork * (1 + len(s.places)))
	}
	if *next == unknownState {
		*next = a.number(a.settle(s.segment, a.placesAfter(s, c)))
	}
	return *next
}

// matchesPath expects a path that begins with the head of the pattern (the text before its first wildcard).
func (a *laxAutomaton) matchesPath(path string) bool {
	if a.afterHead == unknownState {
		a.afterHead = a.start()
		for i := range len(a.head) {
			a.afterHead = a.next(a.afterHead, a.head[i])
		}
	}
	state := a.afterHead
	for i := len(a.head); i < len(path) && state >= 0; i++ {
		state = a.next(state, path[i])
	}
	return a.accepts(state)
}

// placesAfter returns the places in the segment of s that the path may have reached after the byte c.
func (a *laxAutomaton) placesAfter(s *laxState, c byte) (places []laxPlace) {
	text := a.segments[s.segment]
	for _, p := range s.places {
		if int(p.matchedBytes) == len(text) {
			continue
		}
		isLax := text[p.matchedBytes] == laxMark[0]
		if p.escapeBytes == 0 && (text[p.matchedBytes] == c || isLax && c == '/') {
			places = append(places, laxPlace{p.matchedBytes + 1, 0})
		}
		if isLax && encodedSlash[p.escapeBytes] == c {
			p.escapeBytes++
			if int(p.escapeBytes) == len(encodedSlash) {
				p = laxPlace{p.matchedBytes + 1, 0}
			}
			places = append(places, p)
		}
	}
	if s.segment > 0 {
		places = append(places, laxPlace{})
	}
	slices.SortFunc(places, func(a, b laxPlace) int {
		return cmp.Or(cmp.Compare(a.matchedBytes, b.matchedBytes), cmp.Compare(a.escapeBytes, b.escapeBytes))
	})
	return places
}

const (
	laxWork    = 2 // steps to read one byte
	newLaxWork = 8 // steps to make one place of a new state
)

const encodedSlash = "%2F"

func (a *laxAutomaton) accepts(state int32) bool {
	if state < 0 {
		return state == matched
	}
	s := a.states[state]
	last := len(a.segments) - 1
	return a.anchored && s.segment == last && slices.Contains(s.places, laxPlace{int32(len(a.segments[last])), 0})
}

func (a *laxAutomaton) addMarked(set *byteSet, state int32) {
	if state >= 0 {
		set.union(&a.states[state].marked)
	}
}
