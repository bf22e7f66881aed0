package compare

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/heed-robots/heed/robotstxt"
)

// MaxWork limits the steps of one comparison. In one step, one automaton reads about one byte.
const MaxWork = 1 << 26

type budget struct {
	usedSteps, limit int
	ctx              context.Context // after the context has ended, no work is allowed; nil never ends
	nextCheck        int             // when usedSteps reaches this number, ctx is checked again
}

func (b *budget) spend(steps int) { b.usedSteps += steps }

func (b *budget) isSpent() bool { return b.usedSteps >= b.nextCheck && b.checkContext() }

// checkInterval is how many steps, about a millisecond, pass until the context is checked again.
const checkInterval = 1 << 14

func (b *budget) checkContext() bool {
	if ended(b.ctx) {
		b.limit = -1
	}
	if b.usedSteps > b.limit {
		return true
	}
	b.nextCheck = min(b.usedSteps+checkInterval, b.limit+1)
	return false
}

func ended(ctx context.Context) bool { return ctx != nil && ctx.Err() != nil }

const comparedAtOnce = 16

type searchResult uint8

const (
	noPath    searchResult = iota // it is proved that there is no such path
	foundPath                     // the shortest such path was found
	outOfWork                     // no work was left before the search could end
)

// A search finds the shortest path that all required rules match and no avoided rule matches. The same search is used for
// many paths, to save memory.
type search struct {
	paths  robotstxt.Paths
	plain  byteSet // the bytes that are a unit of a path by themselves; an escape such as "%2F" is one unit of three bytes
	budget *budget
	limit  int // only paths whose length (see lengthOf) is less than limit are searched

	rules    []*rule // first the required rules, then the avoided rules
	required int     // how many of the rules are required
	machines []automaton
	lax      bool // true if one of the machines is a laxAutomaton

	width       int     // how many numbers a state has: one for paths, and one for each automaton
	states      []int32 // the numbers of all states, one state after the other
	came        []step  // for each state: the step that led to it
	slots       []int32 // a hash table: the index of a state, plus one; 0 means that the slot is free
	commonStart string  // the text with which every path must begin
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

func (s *search) place(from uint8, c byte) (to uint8, ok bool) {
	if from == 0 && s.plain.has(c) { // the usual case, in which paths.Next need not be called
		return 0, true
	}
	return s.paths.Next(from, c)
}

type step struct {
	from int32
	last byte
}

const noLimit = math.MaxInt

// hostLike is added to the length of a path that begins with "//". So such a path counts as the longest, because Google's
// parser and browsers read a host there.
const hostLike = 1 << 30

func lengthOf(path string) int {
	if strings.HasPrefix(path, "//") {
		return hostLike + len(path)
	}
	return len(path)
}

// shortestPath returns the shortest path, shorter than limit, that all required rules and no avoided rules match. Call it
// first without avoided rules, and then with one more each time.
func (s *search) shortestPath(b *budget, required, avoided []*rule, limit int) (string, searchResult) {
	if b.isSpent() {
		return "", outOfWork
	}
	s.budget, s.limit, s.required = b, limit, len(required)
	s.rules = append(append(s.rules[:0], required...), avoided...)
	if len(avoided) == 0 {
		if path, ok := s.tryCommonPath(); ok && lengthOf(path) < limit {
			return path, foundPath
		}
	} else if last := avoided[len(avoided)-1]; last.coversAny(required, b) {
		return "", noPath
	}
	s.width = 1 + len(s.rules)
	s.machines, s.lax = s.machines[:0], false
	for _, r := range s.rules {
		s.machines = append(s.machines, r.automaton(b))
		s.lax = s.lax || r.Lax
	}
	if !s.findCommonStart() {
		return "", noPath
	}
	return s.run()
}

// tryCommonPath takes the shortest path of each rule, and tries the longest of these paths. No path that all rules
// match is shorter. There must be no avoided rules.
func (s *search) tryCommonPath() (string, bool) {
	path := "/"
	for _, r := range s.rules {
		if len(r.shortestPath) > len(path) {
			path = r.shortestPath
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

// findCommonStart sets s.commonStart: each path that the required rules match begins with this text. It returns false if no
// such path can be shorter than s.limit.
func (s *search) findCommonStart() bool {
	s.commonStart = "/"
	for _, r := range s.rules[:s.required] {
		head := r.head()
		if len(head) > len(s.commonStart) {
			head, s.commonStart = s.commonStart, head
		}
		if !strings.HasPrefix(s.commonStart, head) {
			return false
		}
	}
	return lengthOf(s.commonStart) < s.limit
}

// run is a breadth-first search. It tries paths that begin with "//" after all other paths.
func (s *search) run() (string, searchResult) {
	first := make([]int32, s.width)
	if f := s.beginSearch(first); f != foundPath {
		return "", f
	}
	if s.isGoal(first) {
		return s.commonStart, foundPath
	}
	length := lengthOf(s.commonStart)
	wait := s.commonStart == "/"
	if wait {
		first[0] |= atStart
	}
	s.states, s.came, s.slots = s.states[:0], s.came[:0], slices.Grow(s.slots[:0], firstSlots)[:firstSlots]
	clear(s.slots)
	s.visit(first, step{from: -1})
	next := make([]int32, s.width)
	bytes := s.alphabet()
	lengthEnd := len(s.came)
	for at := 0; at < len(s.came); at++ {
		if at == lengthEnd {
			length, lengthEnd = length+1, len(s.came)
		}
		if length+1 >= s.limit {
			return "", noPath
		}
		if path, f := s.visitAfter(at, bytes, wait && at == 0, next); f != noPath {
			return path, f
		}
		if wait && at == len(s.came)-1 { // no states are left, so only paths that begin with "//" can be found
			wait, length, lengthEnd = false, lengthOf("//")-1, len(s.came)
			if length+1 >= s.limit {
				return "", noPath
			}
			if path, f := s.visitNext(0, '/', next); f != noPath {
				return path, f
			}
		}
	}
	return "", noPath
}

// beginSearch computes the state after s.commonStart, and stores it in the slice "reached". It returns foundPath if a path
// may continue from this state.
func (s *search) beginSearch(reached []int32) searchResult {
	for i, m := range s.machines {
		reached[1+i] = m.start()
	}
	if !s.lax {
		return s.beginQuickly(reached)
	}
	for i := range len(s.commonStart) {
		s.budget.spend(s.width)
		if s.budget.isSpent() {
			return outOfWork
		}
		if !s.step(reached, reached, s.commonStart[i]) {
			return noPath
		}
	}
	return foundPath
}

// beginQuickly does the same as beginSearch, but faster. It must not be called if one of the automata is a laxAutomaton.
func (s *search) beginQuickly(reached []int32) searchResult {
	place, text, f := uint8(0), s.commonStart, foundPath
	for i := range len(text) {
		next, ok := s.place(place, text[i])
		if !ok {
			text, f = text[:i], noPath
			break
		}
		place = next
	}
	reached[0] = int32(place)
	for i, m := range s.machines {
		end := dead
		if i >= s.required {
			end = matched
		}
		after, bytes, ok := m.(*segmentAutomaton).readText(text, end)
		if !ok {
			text, f = text[:bytes-1], noPath
		}
		reached[1+i] = after
	}
	if f == noPath {
		s.budget.spend(s.width) // the work for the byte after the text
	}
	s.budget.spend(s.width * len(text))
	if s.budget.isSpent() {
		return outOfWork
	}
	return f
}

const firstSlots = 64

// atStart is a bit that only the first state of a search has. With this bit, the first state is different from all states
// that are reached later.
const atStart = 1 << 8

func (s *search) visitAfter(at int, bytes alphabet, skipSlash bool, next []int32) (string, searchResult) {
	if skipSlash {
		bytes.used.remove('/')
		bytes.all = slices.DeleteFunc(slices.Clone(bytes.all), func(c byte) bool { return c == '/' })
	}
	var marked byteSet
	for i, m := range s.machines {
		m.addMarked(&marked, s.state(at)[1+i])
	}
	switch isBetween := uint8(s.states[at*s.width]) == 0; {
	case !isBetween:
		return s.visitEach(at, hexDigits, byteSet{}, next)
	case s.lax:
		return s.visitEach(at, bytes.all, s.plain.without(&marked), next)
	}
	return s.visitMarked(at, bytes, marked, next)
}

// visitEach visits the state after each of the given bytes. All bytes in sameNext lead to the same state, so only one of
// them is tried.
func (s *search) visitEach(at int, bytes []byte, sameNext byteSet, next []int32) (string, searchResult) {
	tried := false
	for _, c := range bytes {
		switch again := sameNext.has(c); {
		case again && tried:
			s.budget.spend(s.width)
			if s.budget.isSpent() {
				return "", outOfWork
			}
			s.step(next, s.state(at), c) // a lax automaton counts its work when it reads a byte
			continue
		case again:
			tried = true
		}
		if path, f := s.visitNext(at, c, next); f != noPath {
			return path, f
		}
	}
	return "", noPath
}

// visitMarked does the same as visitEach, but faster. It must not be called if one of the automata is a laxAutomaton. The
// bytes that it skips are also counted as work.
func (s *search) visitMarked(at int, bytes alphabet, marked byteSet, next []int32) (string, searchResult) {
	alike := s.plain.without(&marked)
	read := bytes.used.without(&alike)
	if bytes.other == 0 {
		read.addFirst(bytes.used.without(&read))
	} else if path, f := s.visitNext(at, bytes.other, next); f != noPath {
		return path, f
	}
	counted := 0
	for c := range read.all {
		before := bytes.used.rank(c)
		s.budget.spend(s.width * (before - counted))
		if path, f := s.visitNext(at, c, next); f != noPath {
			return path, f
		}
		counted = before + 1
	}
	s.budget.spend(s.width * (bytes.used.count() - counted))
	if s.budget.isSpent() {
		return "", outOfWork
	}
	return "", noPath
}

func (s *search) visitNext(at int, c byte, next []int32) (string, searchResult) {
	s.budget.spend(s.width)
	switch {
	case s.budget.isSpent():
		return "", outOfWork
	case s.step(next, s.state(at), c) && s.visit(next, step{int32(at), c}) && s.isGoal(next):
		return s.commonStart + s.pathTo(len(s.came)-1), foundPath
	}
	return "", noPath
}

func (s *search) step(next, current []int32, c byte) bool {
	place, ok := s.place(uint8(current[0]), c)
	if !ok {
		return false
	}
	next[0] = int32(place)
	for i, m := range s.machines {
		state := m.next(current[1+i], c)
		next[1+i] = state
		if i < s.required && state == dead || i >= s.required && state == matched {
			return false
		}
	}
	return true
}

func (s *search) visit(state []int32, by step) bool {
	slot := s.slotOf(state)
	if s.slots[slot] != 0 {
		return false
	}
	s.budget.spend(s.width) // the work to store the state
	s.states = append(s.states, state...)
	s.came = append(s.came, by)
	s.slots[slot] = int32(len(s.came))
	if 2*len(s.came) > len(s.slots) {
		s.grow()
	}
	return true
}

func (s *search) grow() {
	size := 2 * len(s.slots)
	s.slots = slices.Grow(s.slots[:0], size)[:size]
	clear(s.slots)
	for at := range s.came {
		s.slots[s.slotOf(s.state(at))] = int32(at + 1)
	}
}

func (s *search) slotOf(state []int32) int {
	hash := uint64(len(state))
	for _, n := range state {
		hash = (hash ^ uint64(uint32(n))) * 0x9E3779B97F4A7C15 // the number is 2^64 divided by the golden ratio
		hash ^= hash >> 29
	}
	for slot := int(hash) & (len(s.slots) - 1); ; slot = (slot + 1) & (len(s.slots) - 1) {
		if at := s.slots[slot]; at == 0 || slices.Equal(s.state(int(at-1)), state) {
			return slot
		}
	}
}

func (s *search) state(at int) []int32 { return s.states[at*s.width:][:s.width] }

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

func (s *search) pathTo(index int) string {
	var bytes []byte
	for ; s.came[index].from >= 0; index = int(s.came[index].from) {
		bytes = append(bytes, s.came[index].last)
	}
	slices.Reverse(bytes)
	return string(bytes)
}

// An alphabet has the bytes that a search tries. One of them stands for all bytes that are in no pattern.
type alphabet struct {
	other byte    // a byte that is in no pattern; it is tried first; 0 if there is no such byte
	used  byteSet // the bytes that are in patterns
	all   []byte  // all bytes to try, in this order
}

var hexDigits = []byte("0123456789ABCDEF")

const otherCandidates = "xyzwabcdefghijklmnopqrstuvXYZABCDEFGHIJKLMNOPQRSTUVW0123456789-_.~!'(),;:@[]+/&=?"

func (s *search) alphabet() (a alphabet) {
	a.other, a.used = s.otherByte()
	if a.other == 0 {
		a.used.add('%') // an escape replaces the bytes that are in no pattern
	} else {
		a.all = append(a.all, a.other)
	}
	a.all = slices.AppendSeq(a.all, a.used.all)
	return a
}

func (s *search) otherByte() (other byte, used byteSet) {
	for _, r := range s.rules {
		used.union(&r.bytes)
	}
	for i := range len(otherCandidates) {
		if s.plain.has(otherCandidates[i]) && !used.has(otherCandidates[i]) {
			return otherCandidates[i], used
		}
	}
	return 0, used
}
