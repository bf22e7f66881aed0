package robotstxt

import "strings"

// A lookup finds the pattern that decides without trying all. Patterns are
// filed under their head, the text up to the first wildcard: a path finds the
// longest head that it begins with, and along the parents of that one all
// others. Patterns without wildcards need no more than that; the others are
// tried in order of precedence, if the path holds every octet that they need.
type lookup struct {
	heads prefixSet
	nodes []headNode // for each head
	wilds []wild     // head by head, for each in order of precedence
	sweep *sweep     // nil where there are few wilds
}

// headNode is what is filed under a head. Patterns go by their number in the
// policy, which is their precedence: the lower wins.
type headNode struct {
	prefix   int32 // the best that matches whatever follows, of this head or a shorter one
	exact    int32 // the best that matches the head alone
	wildsEnd int32 // where its wilds end; they begin where those of the head before end
}

// wild is a pattern that must be tried.
type wild struct {
	octets  uint64 // that it needs; see octetBits
	pattern int32
}

// none is a precedence that loses against every pattern.
const none = int32(1<<31 - 1)

// shape is what has to be done to see whether a pattern matches.
type shape uint8

const (
	prefixShape shape = iota // nothing but its head
	exactShape               // its head alone
	wildShape                // what follows its head has to be looked for
)

// head returns the text of a pattern up to its first wildcard, and its shape.
func (p *pattern) head() (string, shape) {
	end := p.segmentEnd(0)
	switch {
	case strings.Trim(p.text[end:], "*") != "" || end < len(p.text) && p.anchored && p.text[len(p.text)-1] != '*':
		return p.text[:end], wildShape
	case end == len(p.text) && p.anchored:
		return p.text, exactShape
	}
	return p.text[:end], prefixShape
}

// A lookup costs more than a few questions. Policies of a few patterns never
// get one, those that could take long to answer at once, and the others when
// they have been asked often enough.
const (
	fewPatterns  = 4
	oftenAsked   = 16
	manyPatterns = 4096
	manyWilds    = 256 // no longer tried one by one on a long path, see sweep
)

func newLookup(patterns []pattern) *lookup {
	heads := make([]string, len(patterns))
	shapes := make([]shape, len(patterns))
	for i := range patterns {
		heads[i], shapes[i] = patterns[i].head()
	}
	var l lookup
	var node []int32 // of each pattern
	l.heads, node = newPrefixSet(heads)
	l.nodes = make([]headNode, len(l.heads.texts))
	for i := range l.nodes {
		l.nodes[i] = headNode{prefix: none, exact: none}
	}
	wilds := 0
	for i, shape := range shapes {
		n := &l.nodes[node[i]]
		switch shape {
		case prefixShape:
			n.prefix = min(n.prefix, int32(i))
		case exactShape:
			n.exact = min(n.exact, int32(i))
		case wildShape:
			n.wildsEnd++ // a count, for now
			wilds++
		}
	}
	l.fileWilds(patterns, shapes, node, wilds)
	for i, up := range l.heads.parent {
		if up >= 0 { // sorted before i: done already
			l.nodes[i].prefix = min(l.nodes[i].prefix, l.nodes[up].prefix)
		}
	}
	if wilds > manyWilds {
		l.sweep = newSweep(patterns, l.wilds)
	}
	return &l
}

// fileWilds puts the wilds in order, given their count for each head.
func (l *lookup) fileWilds(patterns []pattern, shapes []shape, node []int32, count int) {
	if count == 0 {
		return
	}
	l.wilds = make([]wild, count)
	start := int32(0)
	for i := range l.nodes {
		n := &l.nodes[i]
		n.wildsEnd, start = start, start+n.wildsEnd // where they begin, for now
	}
	for i, shape := range shapes {
		if shape == wildShape {
			n := &l.nodes[node[i]]
			l.wilds[n.wildsEnd] = wild{patterns[i].octets(), int32(i)}
			n.wildsEnd++
		}
	}
}

func (l *lookup) wildsOf(node int32) []wild {
	start := int32(0)
	if node > 0 {
		start = l.nodes[node-1].wildsEnd
	}
	return l.wilds[start:l.nodes[node].wildsEnd]
}

// find returns the pattern that decides about a path with the given octets, or
// none.
func (l *lookup) find(patterns []pattern, path string, octets uint64, slashes bool) int32 {
	deepest := l.heads.deepest(path)
	if deepest < 0 {
		return none
	}
	best := l.nodes[deepest].prefix
	if len(l.heads.texts[deepest]) == len(path) {
		best = min(best, l.nodes[deepest].exact)
	}
	if len(l.wilds) == 0 {
		return best
	}
	if l.sweep != nil && len(l.wilds)*len(path) >= l.sweep.work {
		return l.sweep.find(l, patterns, path, octets, slashes, deepest, best)
	}
	for node := deepest; node >= 0; node = l.heads.parent[node] {
		for _, w := range l.wildsOf(node) {
			countSteps(1)
			if w.pattern >= best {
				break
			}
			if w.octets&^octets == 0 && patterns[w.pattern].matches(path, slashes) {
				best = w.pattern
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
