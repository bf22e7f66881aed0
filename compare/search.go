package compare

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/heed-robots/heed/robotstxt"
)

// MaxWork limits the steps of one comparison; see the documentation of the package. A step is
// one byte that one automaton reads, or about as much other work.
const MaxWork = 1 << 26

// A budget counts the work of a comparison.
type budget struct {
	used, limit int
	ctx         context.Context // after its end, nothing is left; nil: it never ends
	next        int             // how much is used when ctx is looked at again
}

func (b *budget) spend(steps int) { b.used += steps }

// isSpent reports whether there is nothing left.
func (b *budget) isSpent() bool { return b.used >= b.next && b.look() }

// lookAfter is how many steps, about a millisecond, pass until a context is looked at again.
const lookAfter = 1 << 14

// look is isSpent, and looks whether ctx has ended.
func (b *budget) look() bool {
	if ended(b.ctx) {
		b.limit = -1
	}
	if b.used > b.limit {
		return true
	}
	b.next = min(b.used+lookAfter, b.limit+1)
	return false
}

// ended reports whether a context has ended. That of a zero budget is nil: it never ends.
func ended(ctx context.Context) bool { return ctx != nil && ctx.Err() != nil }

// comparedAtOnce is how many bytes of two texts are compared in one step.
const comparedAtOnce = 16

// A found is what a search has found.
type found uint8

const (
	nothing found = iota // a proof that there is no path
	aPath                // the shortest path
	tooMuch              // neither, within the budget
)

// A search finds the shortest path that some rules match and others do not. It can be used again: it keeps
// its memory.
type search struct {
	paths  robotstxt.Paths
	plain  byteSet // the bytes that are a unit of a path
	budget *budget
	limit  int // of the length of the path; see lengthOf

	rules    []*rule // the first ones must match, the others must not
	required int     // how many must match
	machines []automaton
	lax      bool // one of them is a laxAutomaton

	width  int     // numbers of a state: one for the place in paths, and one for each automaton
	states []int32 // all states, one after the other
	came   []step  // how each state was reached
	slots  []int32 // a hash table of the numbers of the states, plus one; 0: free
	forced string  // what the path begins with
}

func newSearch(paths robotstxt.Paths) *search {
	s := &search{paths: paths}
	for c := range 256 {
		if place, ok := paths.Next(0, byte(c)); ok && place == 0 {
			s.plain.add(byte(c))
		}
	}
	return s
}

// place returns the place in paths behind a byte. ok is false if no path goes on with it.
func (s *search) place(from uint8, c byte) (to uint8, ok bool) {
	if from == 0 && s.plain.has(c) { // the usual case, decided quickly
		return 0, true
	}
	return s.paths.Next(from, c)
}

// A step leads to a state.
type step struct {
	from  int32
	octet byte
}

// noLimit is for searches that may find a path of any length.
const noLimit = math.MaxInt

// hostLike is how much longer than its bytes a path counts that begins with "//". By itself, such a
// path is read as a host by Google's parser and by browsers, so it is found only if there is no other.
const hostLike = 1 << 30

// lengthOf returns the length of a path, by which the shortest one is found.
func lengthOf(path string) int {
	if strings.HasPrefix(path, "//") {
		return hostLike + len(path)
	}
	return len(path)
}

// shortest returns the shortest path that all required rules match, and no avoided one, if it is
// shorter than limit. It is called without avoided rules first, and then with one more each
// time.
func (s *search) shortest(b *budget, required, avoided []*rule, limit int) (string, found) {
	if b.isSpent() {
		return "", tooMuch
	}
	s.budget, s.limit, s.required = b, limit, len(required)
	s.rules = append(append(s.rules[:0], required...), avoided...)
	if len(avoided) == 0 {
		if path, ok := s.simplest(); ok && lengthOf(path) < limit {
			return path, aPath
		}
	} else if last := avoided[len(avoided)-1]; last.coversAny(required, b) {
		return "", nothing
	}
	s.width = 1 + len(s.rules)
	s.machines, s.lax = s.machines[:0], false
	for _, r := range s.rules {
		s.machines = append(s.machines, r.automaton(b))
		s.lax = s.lax || r.Lax
	}
	if !s.force() {
		return "", nothing
	}
	return s.run()
}

// simplest returns the shortest path of one of the rules, which are all required, if all of them match
// it. Then there is no shorter one. If it begins with "//", one more byte behind the first "/" makes the
// shortest of the others.
func (s *search) simplest() (string, bool) {
	path := "/"
	for _, r := range s.rules {
		if len(r.shortest) > len(path) {
			path = r.shortest
		}
	}
	if strings.HasPrefix(path, "//") {
		c, _ := s.otherByte()
		if c == 0 {
			return "", false
		}
		path = "/" + string(c) + path[1:]
	}
	for _, r := range s.rules {
		if !r.matches(path, s.budget) {
			return "", false
		}
	}
	s.budget.spend(len(path))
	place := uint8(0)
	for i := range len(path) {
		next, ok := s.place(place, path[i])
		if !ok {
			return "", false
		}
		place = next
	}
	return path, s.paths.Ends(place)
}

// force finds what each path begins with: the longest head of the required rules. It reports
// whether their heads allow a path.
func (s *search) force() bool {
	s.forced = "/"
	for _, r := range s.rules[:s.required] {
		head := r.head()
		if len(head) > len(s.forced) {
			head, s.forced = s.forced, head
		}
		if !strings.HasPrefix(s.forced, head) {
			return false
		}
	}
	return lengthOf(s.forced) < s.limit
}

// run searches breadth first. A path that may begin with "//" waits until all others are searched.
func (s *search) run() (string, found) {
	first := make([]int32, s.width)
	if f := s.begin(first); f != aPath {
		return "", f
	}
	if s.isGoal(first) {
		return s.forced, aPath
	}
	length := lengthOf(s.forced)
	wait := s.forced == "/"
	if wait {
		first[0] |= atStart
	}
	s.states, s.came, s.slots = s.states[:0], s.came[:0], slices.Grow(s.slots[:0], firstSlots)[:firstSlots]
	clear(s.slots)
	s.visit(first, step{from: -1})
	next := make([]int32, s.width)
	octets := s.alphabet()
	lengthEnd := len(s.came)
	for at := 0; at < len(s.came); at++ {
		if at == lengthEnd {
			length, lengthEnd = length+1, len(s.came)
		}
		if length+1 >= s.limit {
			return "", nothing
		}
		if path, f := s.visitBehind(at, octets, wait && at == 0, next); f != nothing {
			return path, f
		}
		if wait && at == len(s.came)-1 { // none but "//" is left; its state is new, or leads to no path
			wait, length, lengthEnd = false, lengthOf("//")-1, len(s.came)
			if length+1 >= s.limit {
				return "", nothing
			}
			if path, f := s.visitNext(0, '/', next); f != nothing {
				return path, f
			}
		}
	}
	return "", nothing
}

// begin sets state to the one behind what each path begins with. It returns aPath if a path that goes on from
// there can be one that is searched.
func (s *search) begin(state []int32) found {
	for i, m := range s.machines {
		state[1+i] = m.start()
	}
	if !s.lax {
		return s.beginQuickly(state)
	}
	for i := range len(s.forced) {
		s.budget.spend(s.width)
		if s.budget.isSpent() {
			return tooMuch
		}
		if !s.step(state, state, s.forced[i]) {
			return nothing
		}
	}
	return aPath
}

// beginQuickly is begin for automata that count no steps: one after the other reads the bytes.
func (s *search) beginQuickly(state []int32) found {
	place, text, f := uint8(0), s.forced, aPath
	for i := range len(text) {
		next, ok := s.place(place, text[i])
		if !ok {
			text, f = text[:i], nothing
			break
		}
		place = next
	}
	state[0] = int32(place)
	for i, m := range s.machines {
		end := dead
		if i >= s.required {
			end = matched
		}
		behind, octets, ok := m.(*segmentAutomaton).read(text, end)
		if !ok {
			text, f = text[:octets-1], nothing
		}
		state[1+i] = behind
	}
	if f == nothing {
		s.budget.spend(s.width) // for the byte behind the text
	}
	s.budget.spend(s.width * len(text))
	if s.budget.isSpent() {
		return tooMuch
	}
	return f
}

// firstSlots is the size of a new hash table.
const firstSlots = 64

// atStart is a bit of the place of the first state. A longer path may lead to the same place, and may
// go on with "/".
const atStart = 1 << 8

// visitBehind visits the states behind a state; if it waits, not that behind "/".
func (s *search) visitBehind(at int, octets alphabet, wait bool, next []int32) (string, found) {
	if wait {
		octets.used.remove('/')
		octets.all = slices.DeleteFunc(slices.Clone(octets.all), func(c byte) bool { return c == '/' })
	}
	var marked byteSet
	for i, m := range s.machines {
		m.addMarked(&marked, s.state(at)[1+i])
	}
	switch isBetween := uint8(s.states[at*s.width]) == 0; {
	case !isBetween:
		return s.visitEach(at, insideUnits, byteSet{}, next)
	case s.lax:
		return s.visitEach(at, octets.all, s.plain.without(&marked), next)
	}
	return s.visitMarked(at, octets, marked, next)
}

// visitEach visits the states behind some bytes. Of those that are alike, all lead to the same state.
func (s *search) visitEach(at int, octets []byte, alike byteSet, next []int32) (string, found) {
	tried := false
	for _, c := range octets {
		switch again := alike.has(c); {
		case again && tried:
			s.budget.spend(s.width)
			if s.budget.isSpent() {
				return "", tooMuch
			}
			s.step(next, s.state(at), c) // it counts what the automata read
			continue
		case again:
			tried = true
		}
		if path, f := s.visitNext(at, c, next); f != nothing {
			return path, f
		}
	}
	return "", nothing
}

// visitMarked is visitEach for automata that count no steps: it reads only the marked bytes and one of the others.
// The rest counts as if it were read.
func (s *search) visitMarked(at int, octets alphabet, marked byteSet, next []int32) (string, found) {
	alike := s.plain.without(&marked)
	read := octets.used.without(&alike)
	if octets.other == 0 {
		read.addFirst(octets.used.without(&read))
	} else if path, f := s.visitNext(at, octets.other, next); f != nothing {
		return path, f
	}
	counted := 0
	for c := range read.all {
		before := octets.used.rank(c)
		s.budget.spend(s.width * (before - counted))
		if path, f := s.visitNext(at, c, next); f != nothing {
			return path, f
		}
		counted = before + 1
	}
	s.budget.spend(s.width * (octets.used.count() - counted))
	if s.budget.isSpent() {
		return "", tooMuch
	}
	return "", nothing
}

// visitNext visits the state behind a byte. It returns aPath if a path that is searched ends there.
func (s *search) visitNext(at int, c byte, next []int32) (string, found) {
	s.budget.spend(s.width)
	switch {
	case s.budget.isSpent():
		return "", tooMuch
	case s.step(next, s.state(at), c) && s.visit(next, step{int32(at), c}) && s.isGoal(next):
		return s.forced + s.path(len(s.came)-1), aPath
	}
	return "", nothing
}

// step sets to to the state behind a byte. It reports whether a path that goes on from there
// can be one that is searched.
func (s *search) step(to, from []int32, c byte) bool {
	place, ok := s.place(uint8(from[0]), c)
	if !ok {
		return false
	}
	to[0] = int32(place)
	for i, m := range s.machines {
		state := m.next(from[1+i], c)
		to[1+i] = state
		if i < s.required && state == dead || i >= s.required && state == matched {
			return false
		}
	}
	return true
}

// visit adds a state, and reports whether it is a new one.
func (s *search) visit(state []int32, by step) bool {
	slot := s.slotOf(state)
	if s.slots[slot] != 0 {
		return false
	}
	s.budget.spend(s.width) // for the memory
	s.states = append(s.states, state...)
	s.came = append(s.came, by)
	s.slots[slot] = int32(len(s.came))
	if 2*len(s.came) > len(s.slots) {
		s.grow()
	}
	return true
}

// grow doubles the hash table.
func (s *search) grow() {
	size := 2 * len(s.slots)
	s.slots = slices.Grow(s.slots[:0], size)[:size]
	clear(s.slots)
	for at := range s.came {
		s.slots[s.slotOf(s.state(at))] = int32(at + 1)
	}
}

// slotOf returns the slot of a state, or the free one where it belongs.
func (s *search) slotOf(state []int32) int {
	hash := uint64(len(state))
	for _, n := range state {
		hash = (hash ^ uint64(uint32(n))) * 0x9E3779B97F4A7C15 // 2^64 divided by the golden ratio
		hash ^= hash >> 29
	}
	for slot := int(hash) & (len(s.slots) - 1); ; slot = (slot + 1) & (len(s.slots) - 1) {
		if at := s.slots[slot]; at == 0 || slices.Equal(s.state(int(at-1)), state) {
			return slot
		}
	}
}

// state returns the state with a number.
func (s *search) state(at int) []int32 { return s.states[at*s.width:][:s.width] }

// isGoal reports whether a path that ends in the state is one that is searched.
func (s *search) isGoal(state []int32) bool {
	if !s.paths.Ends(uint8(state[0])) {
		return false
	}
	for i, m := range s.machines {
		if m.accepts(state[1+i]) != (i < s.required) {
			return false
		}
	}
	return true
}

// path returns the bytes that lead to a state.
func (s *search) path(at int) string {
	var octets []byte
	for ; s.came[at].from >= 0; at = int(s.came[at].from) {
		octets = append(octets, s.came[at].octet)
	}
	slices.Reverse(octets)
	return string(octets)
}

// An alphabet has the bytes that a search tries between units. Bytes that are in no pattern lead to the
// same states, so one of them stands for all.
type alphabet struct {
	other byte    // is in no pattern, and is tried first; 0: there is none
	used  byteSet // is in patterns
	all   []byte  // in the order in which they are tried
}

// insideUnits are the bytes that a search tries inside of a unit of several bytes.
var insideUnits = []byte("0123456789ABCDEF")

// others are the bytes that may stand for all others, the best first: all that paths have besides
// "%" in dialects with wildcards. Without wildcards, no search needs any.
const others = "xyzwabcdefghijklmnopqrstuvXYZABCDEFGHIJKLMNOPQRSTUVW0123456789-_.~!'(),;:@[]+/&=?"

func (s *search) alphabet() (a alphabet) {
	a.other, a.used = s.otherByte()
	if a.other == 0 {
		a.used.add('%') // an escape stands for all others
	} else {
		a.all = append(a.all, a.other)
	}
	a.all = slices.AppendSeq(a.all, a.used.all)
	return a
}

// otherByte returns a byte that is in no pattern, or 0, and the bytes that are.
func (s *search) otherByte() (other byte, used byteSet) {
	for _, r := range s.rules {
		used.union(&r.octets)
	}
	for i := range len(others) {
		if s.plain.has(others[i]) && !used.has(others[i]) {
			return others[i], used
		}
	}
	return 0, used
}
