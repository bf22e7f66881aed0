package robotstxt

import "strings"

// A lookup finds the pattern that decides without trying all. Patterns are
// filed under their head, the text up to the first wildcard: a path finds the
// longest head that it begins with, and along the parents of that one all
// others. Most patterns are nothing but their head; those with a tail are tried
// in order of precedence, if the path holds every octet that they need.
type lookup struct {
	heads prefixSet
	nodes []headNode // for each head
	tails []tail     // head by head, for each in order of precedence
	sweep *sweep     // nil where there are few tails
}

// headNode is what is filed under a head. Patterns go by their number in the
// policy, which is their precedence: the lower wins.
type headNode struct {
	prefix   int32 // the best that is nothing but this head or a shorter one
	tailsEnd int32 // where its tails end; they begin where those of the head before end
}

// tail is a pattern that is more than its head.
type tail struct {
	octets  uint64 // that it needs; see octetBits
	pattern int32
}

// none is a precedence that loses against every pattern.
const none = int32(1<<31 - 1)

// head returns the text of a pattern up to its first wildcard, or to where a
// path need not hold it to the letter, and whether it must hold more than that.
func (p *pattern) head() (text string, hasTail bool) {
	end := p.segmentEnd(0)
	if query := strings.IndexByte(p.text[:end], '?'); query >= 0 && p.hasLaxSlash() {
		return p.text[:query+1], true
	}
	if end == len(p.text) {
		return p.text, p.anchored
	}
	return p.text[:end], strings.Trim(p.text[end:], "*") != ""
}

// A lookup costs more than a few questions. Policies of a few patterns never
// get one, those that could take long to answer at once, and the others when
// they have been asked often enough.
const (
	fewPatterns  = 4
	oftenAsked   = 16
	manyPatterns = 4096
	manyTails    = 256 // no longer tried one by one on a long path, see sweep
)

// wantsLookup reports whether patterns need a lookup from the start.
func wantsLookup(patterns []pattern) bool {
	tails := 0
	for i := range patterns {
		if patterns[i].wild || patterns[i].anchored {
			tails++
		}
	}
	return len(patterns) > manyPatterns || tails > manyTails
}

func newLookup(patterns []pattern) *lookup {
	heads := make([]string, len(patterns))
	hasTail := make([]bool, len(patterns))
	for i := range patterns {
		heads[i], hasTail[i] = patterns[i].head()
	}
	var l lookup
	var node []int32 // of each pattern
	l.heads, node = newPrefixSet(heads)
	l.nodes = make([]headNode, len(l.heads.texts))
	for i := range l.nodes {
		l.nodes[i].prefix = none
	}
	tails := 0
	for i := range patterns {
		n := &l.nodes[node[i]]
		if hasTail[i] {
			n.tailsEnd++ // a count, for now
			tails++
		} else {
			n.prefix = min(n.prefix, int32(i))
		}
	}
	for i, up := range l.heads.parent {
		if up >= 0 { // sorted before i: done already
			l.nodes[i].prefix = min(l.nodes[i].prefix, l.nodes[up].prefix)
		}
	}
	if tails > 0 {
		l.tails = make([]tail, tails)
		l.fileTails(patterns, hasTail, node)
	}
	if tails > manyTails {
		l.sweep = newSweep(patterns, l.tails)
	}
	return &l
}

// fileTails puts the tails in order, given their count for each head.
func (l *lookup) fileTails(patterns []pattern, hasTail []bool, node []int32) {
	start := int32(0)
	for i := range l.nodes {
		n := &l.nodes[i]
		n.tailsEnd, start = start, start+n.tailsEnd // where they begin, for now
	}
	for i := range patterns {
		if hasTail[i] {
			n := &l.nodes[node[i]]
			l.tails[n.tailsEnd] = tail{patterns[i].octets(), int32(i)}
			n.tailsEnd++
		}
	}
}

func (l *lookup) tailsOf(node int32) []tail {
	start := int32(0)
	if node > 0 {
		start = l.nodes[node-1].tailsEnd
	}
	return l.tails[start:l.nodes[node].tailsEnd]
}

// find returns the pattern that decides about a path, or none.
func (l *lookup) find(patterns []pattern, s subject) int32 {
	deepest := l.heads.deepest(s.path)
	if deepest < 0 {
		return none
	}
	best := l.nodes[deepest].prefix
	if len(l.tails) == 0 {
		return best
	}
	if l.sweep != nil && len(l.tails)*len(s.path) >= l.sweep.work {
		return l.sweep.find(l, patterns, s, deepest, best)
	}
	for node := deepest; node >= 0; node = l.heads.parent[node] {
		for _, t := range l.tailsOf(node) {
			countSteps(1)
			if t.pattern >= best {
				break
			}
			if t.octets&^s.octets == 0 && patterns[t.pattern].matches(s.path, s.slashes) {
				best = t.pattern
				break
			}
		}
	}
	return best
}

// octetBits gives each octet one of 64 bits: letters and digits of a path and
// the marks that tell paths apart have their own.
var octetBits = newOctetBits()

func newOctetBits() (bits [256]uint8) {
	const own = "abcdefghijklmnopqrstuvwxyz0123456789/.-_?=&%+~:"
	for i := range bits {
		bits[i] = uint8(len(own) + i%(64-len(own)))
	}
	for i := range len(own) {
		bits[own[i]] = uint8(i)
	}
	return bits
}

// octets returns the bits of all octets that a path must hold to match.
func (p *pattern) octets() (bits uint64) {
	for i := range len(p.text) {
		if c := p.text[i]; c != '*' {
			bits |= 1 << octetBits[c]
		}
	}
	return bits
}
