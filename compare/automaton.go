package compare

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/heed-robots/heed/robotstxt"
)

// An automaton reads a path byte by byte and finds out if one pattern matches. Its states
// are numbers.
type automaton interface {
	start() int32
	next(state int32, c byte) int32
	// accepts reports whether the pattern matches a path that ends in the state.
	accepts(state int32) bool
	// addMarked adds the bytes that may lead elsewhere than the others: all these lead to one state.
	addMarked(marked *byteSet, state int32)
}

// States of every automaton that do not change any more.
const (
	dead    int32 = -1 // no path that goes on from here matches
	matched int32 = -2 // every path that goes on from here matches
)

// unread stands for a state that is not yet known.
const unread int32 = -3

func newAutomaton(r *rule, b *budget) automaton {
	if r.Lax {
		return &laxAutomaton{segments: r.marked, anchored: r.Anchored, head: r.head(), behindHead: unread, budget: b, numbers: map[string]int32{}}
	}
	b.spend(len(r.key.text))
	return newSegmentAutomaton(&r.Pattern)
}

// A segmentAutomaton finds each segment at the first place where it fits, which leaves most of
// the path for the others. A state is the number of bytes of all segments that are matched.
// Where a byte does not fit, the search of Knuth, Morris and Pratt goes on with the longest
// part of the segment that still fits.
type segmentAutomaton struct {
	text     string  // all segments, one after the other
	starts   []int32 // of each segment in text
	borders  []int32 // for each state: the next shorter one whose bytes fit as well, and whose next byte is another one
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

// addSegment sets the borders of a segment. The state at the end of a segment belongs to the
// next one, except at the end of the text.
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
		if number == 0 { // the first segment begins where the path does
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

// read returns the state behind a text. If a byte leads to an end, it returns only how many bytes are up to
// there. It begins behind what the text and the first segment have in common.
func (a *segmentAutomaton) read(text string, end int32) (state int32, octets int, ok bool) {
	first := a.text
	if len(a.starts) > 1 {
		first = a.text[:a.starts[1]]
	}
	state = a.start()
	if n := min(len(first), len(text)); n > 0 && n < len(a.text) && first[:n] == text[:n] {
		state, octets = int32(n), n
	}
	for octets < len(text) {
		state = a.next(state, text[octets])
		if octets++; state == end {
			return end, octets, false
		}
	}
	return state, octets, true
}

func (a *segmentAutomaton) accepts(state int32) bool {
	return state == matched || a.anchored && state == int32(len(a.text))
}

func (a *segmentAutomaton) addMarked(marked *byteSet, state int32) {
	for state >= 0 {
		if state < int32(len(a.text)) {
			marked.add(a.text[state])
		}
		if a.segment[state] == 0 {
			return
		}
		state = a.borders[state]
	}
}

// A laxAutomaton is for a pattern with a "/" that also matches "%2F". Its states are sets of
// positions in the pattern, which are made when they are reached.
type laxAutomaton struct {
	segments []string // with laxMark
	anchored bool
	head     string // see rule.head

	behindHead int32 // the state behind the head; unread: no path was matched yet

	budget  *budget
	states  []*laxState
	numbers map[string]int32
}

// A laxState is the places in one segment that the path may have reached.
type laxState struct {
	segment int
	places  []laxPlace

	marked byteSet // see addMarked
	next   []int32 // behind all other bytes, and then behind each marked one
	read   byteSet // the bytes that were read
}

// A laxPlace is how many bytes of a segment are matched, and how many bytes of "%2F" instead
// of the next one.
type laxPlace struct{ octets, escape int32 }

func (a *laxAutomaton) start() int32 { return a.number(a.settle(0, []laxPlace{{}})) }

// settle returns the segment and the places that a path has reached which has reached some places in a
// segment: it goes on to the next segment where this one is complete.
func (a *laxAutomaton) settle(segment int, places []laxPlace) (in int, settled []laxPlace, done bool) {
	last := segment == len(a.segments)-1
	complete := slices.ContainsFunc(places, func(p laxPlace) bool { return int(p.octets) == len(a.segments[segment]) })
	switch {
	case complete && !last:
		return a.settle(segment+1, []laxPlace{{}})
	case complete && !a.anchored:
		return segment, nil, true
	}
	return segment, places, false
}

// number returns the number of a state.
func (a *laxAutomaton) number(segment int, places []laxPlace, done bool) int32 {
	switch {
	case done:
		return matched
	case len(places) == 0:
		return dead
	}
	key := binary.AppendUvarint(make([]byte, 0, 64), uint64(segment))
	for _, p := range places {
		key = binary.AppendUvarint(key, uint64(p.octets)*4+uint64(p.escape))
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
		case int(p.octets) == len(text):
		case text[p.octets] == laxMark[0]:
			s.marked.add('/')
			s.marked.add(encodedSlash[p.escape])
		default:
			s.marked.add(text[p.octets])
		}
	}
	s.next = slices.Repeat([]int32{unread}, 1+s.marked.count())
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
	if *next == unread {
		*next = a.number(a.settle(s.segment, a.placesBehind(s, c)))
	}
	return *next
}

// matches reports whether the pattern matches a path that begins with its head.
func (a *laxAutomaton) matches(path string) bool {
	if a.behindHead == unread {
		a.behindHead = a.start()
		for i := range len(a.head) {
			a.behindHead = a.next(a.behindHead, a.head[i])
		}
	}
	state := a.behindHead
	for i := len(a.head); i < len(path) && state >= 0; i++ {
		state = a.next(state, path[i])
	}
	return a.accepts(state)
}

// placesBehind returns the places in the segment of a state that a path reaches with one more byte.
func (a *laxAutomaton) placesBehind(s *laxState, c byte) (places []laxPlace) {
	text := a.segments[s.segment]
	for _, p := range s.places {
		if int(p.octets) == len(text) {
			continue
		}
		isLax := text[p.octets] == laxMark[0]
		if p.escape == 0 && (text[p.octets] == c || isLax && c == '/') {
			places = append(places, laxPlace{p.octets + 1, 0})
		}
		if isLax && encodedSlash[p.escape] == c {
			p.escape++
			if int(p.escape) == len(encodedSlash) {
				p = laxPlace{p.octets + 1, 0}
			}
			places = append(places, p)
		}
	}
	if s.segment > 0 {
		places = append(places, laxPlace{})
	}
	slices.SortFunc(places, func(a, b laxPlace) int { // no place is there twice: none leads where another one does
		return cmp.Or(cmp.Compare(a.octets, b.octets), cmp.Compare(a.escape, b.escape))
	})
	return places
}

// About how many steps it takes to read one byte with a laxAutomaton, and to make one place of
// a new state.
const (
	laxWork    = 2
	newLaxWork = 8
)

// encodedSlash is what a lax slash also matches.
const encodedSlash = "%2F"

func (a *laxAutomaton) accepts(state int32) bool {
	if state < 0 {
		return state == matched
	}
	s := a.states[state]
	last := len(a.segments) - 1
	return a.anchored && s.segment == last && slices.Contains(s.places, laxPlace{int32(len(a.segments[last])), 0})
}

func (a *laxAutomaton) addMarked(marked *byteSet, state int32) {
	if state >= 0 {
		marked.union(&a.states[state].marked)
	}
}
