package robotstxt

import (
	"math"
	"strings"
)

// A key excludes most patterns that do not match a path. A pattern is excluded if the path
// begins with other octets, or lacks an octet that the pattern needs. The keys of a policy
// are in one slice, so checking one takes about a nanosecond.
//
//	/shop/*.pdf has the first octets "/shop/" and needs / . d f h o p s
type key struct {
	first  uint64 // up to eight octets with which the path must begin, see firstOctets
	octets uint64 // that the path must contain, see octetBits; in the highest four bits: how many octets first has
}

// key returns the key of a pattern, given the bits of its octets.
func (p *pattern) key(octets uint64) key {
	head := p.text[:p.headEnd()]
	first := firstOctets(head)
	return key{first, octets&(1<<keyBits-1) | uint64(min(len(head), 8))<<keyBits}
}

// headEnd returns the length of the beginning that every matching path has too: up to the
// first wildcard, or up to the "?" of a pattern with lax slashes.
func (p *pattern) headEnd() int {
	end := len(p.text)
	if p.is(wild) {
		end = strings.IndexByte(p.text, '*')
	}
	if p.is(lax) {
		end = min(end, strings.IndexByte(p.text, '?')+1)
	}
	return end
}

var queryBit = uint64(1) << octetBits['?']

// firstMasks[n] has the bits of the first n octets in a number of firstOctets.
var firstMasks = func() (masks [16]uint64) {
	for n := range masks {
		masks[n] = ^(^uint64(0) >> min(8*n, 64))
	}
	return masks
}()

// A subject is the path of a URL in normal form, and what is known of it. Do not keep the
// path: it may be in a buffer that is used again.
type subject struct {
	path    string
	first   uint64 // firstOctets of the path
	octets  uint64 // that the path contains, see octetBits; the highest four bits are set
	slashes bool   // the path contains an encodedSlash
	work    int    // of matching the path so far, in about nanoseconds
}

func newSubject(path string, octets uint64, slashes bool) subject {
	return subject{path: path, first: firstOctets(path), octets: octets | math.MaxUint64&^(1<<keyBits-1), slashes: slashes}
}

// isExcludedBy reports whether the pattern with that key cannot match.
func (s *subject) isExcludedBy(k *key) bool {
	return (s.first^k.first)&firstMasks[k.octets>>keyBits]|k.octets&^s.octets != 0
}

// The work of searching the path for a segment, in nanoseconds: segmentWork and one for
// each octet of the path that is searched. The search for a single octet is faster: it
// takes one for octetsAtOnce octets.
const (
	segmentWork  = 3
	octetsAtOnce = 16
)
