package robotstxt

import (
	"math"
	"math/bits"
	"strings"
)

// A key tells at a glance that a pattern does not match a path: because the path begins
// with other octets, or lacks one that the pattern needs. Keys of a policy lie side by
// side, so that trying one costs about a nanosecond.
//
//	/shop/*.pdf has the first octets "/shop/" and needs / . d f h o p s
type key struct {
	first  uint64 // up to eight octets that the path must begin with, see firstOctets
	octets uint64 // that it must hold, see octetBits; in the highest four bits, how many first has
}

// octetBits gives each octet one of 60 bits: letters and digits of a path and
// the marks that tell paths apart have their own.
var octetBits = newOctetBits()

const keyBits = 60

func newOctetBits() (bits [256]uint8) {
	const own = "abcdefghijklmnopqrstuvwxyz0123456789/.-_?=&%+~:"
	for i := range bits {
		bits[i] = uint8(len(own) + i%(keyBits-len(own)))
	}
	for i := range len(own) {
		bits[own[i]] = uint8(i)
	}
	return bits
}

// key returns the key of a pattern, given the bits of its octets.
func (p *pattern) key(octets uint64) key {
	head := p.text[:p.headEnd()]
	first := firstOctets(head)
	return key{first, octets&(1<<keyBits-1) | uint64(min(len(head), 8))<<keyBits}
}

// headEnd returns up to where a path must hold the text to the letter: the first
// wildcard, or where a slash may be written as "%2F" too.
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

// firstOctets returns the first eight octets, so that they compare as the
// texts do, but for what comes after them.
func firstOctets(text string) uint64 {
	if len(text) >= 8 {
		return bits.ReverseBytes64(eight(text, 0))
	}
	first := uint64(0)
	for i := range len(text) {
		first |= uint64(text[i]) << (56 - 8*i)
	}
	return first
}

// firstMasks has, for each number of octets, those bits of firstOctets which they are.
var firstMasks = func() (masks [16]uint64) {
	for n := range masks {
		masks[n] = ^(^uint64(0) >> min(8*n, 64))
	}
	return masks
}()

// A subject is the path of a URL in normal form, with what is known of it. Nothing keeps
// it: it may lie in a buffer that is used again.
type subject struct {
	path    string
	first   uint64 // firstOctets
	octets  uint64 // that it holds, and all of a key's highest bits
	slashes bool   // it holds an encodedSlash
	work    int    // so far, of matching it: in nanoseconds, about
}

func newSubject(path string, octets uint64, slashes bool) subject {
	return subject{path: path, first: firstOctets(path), octets: octets | math.MaxUint64&^(1<<keyBits-1), slashes: slashes}
}

// isExcludedBy reports whether a pattern with that key does not match.
func (s *subject) isExcludedBy(k *key) bool {
	return (s.first^k.first)&firstMasks[k.octets>>keyBits]|k.octets&^s.octets != 0
}

// What matching costs, in nanoseconds.
const (
	segmentWork  = 3
	octetsAtOnce = 16 // looked through in one, for one octet; else it is about one
)
