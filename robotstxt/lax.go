package robotstxt

import "strings"

// A laxMatcher compares a pattern with a path that contains "%2F". A "/" of the pattern
// behind the "?" at offset query is lax: it equals "/" and "%2F".
type laxMatcher struct {
	text  string
	query int
	*subject
}

// matches is pattern.matchesSegments for a pattern with lax slashes.
func (m *laxMatcher) matches(p *pattern) bool {
	end := segmentEnd(m.text)
	size := m.fits(m.path, 0, end)
	if size < 0 {
		return false
	}
	path := m.path[size:]
	if end == len(m.text) {
		return !p.is(anchored) || path == ""
	}
	for {
		from := end + 1
		end = from + segmentEnd(m.text[from:])
		if end == len(m.text) && p.is(anchored) {
			return m.fitsEnd(path, from) >= 0
		}
		at, size := m.find(path, from, end)
		if at < 0 || end == len(m.text) {
			return at >= 0
		}
		path = path[at+size:]
	}
}

// find returns where text[from:end] first fits in the path, and how many octets of the path
// it takes there; -1: nowhere. The part before the first lax slash is found by a fast
// search.
func (m *laxMatcher) find(path string, from, end int) (at, size int) {
	exact := from
	for exact < end && !m.equalsEncodedSlash(exact) {
		exact++
	}
	for start := 0; ; {
		at := m.index(path[start:], m.text[from:exact])
		if at < 0 {
			return -1, 0
		}
		at += start
		slash := at + exact - from
		if size := m.fits(path[slash:], exact, end); size >= 0 {
			return at, exact - from + size
		}
		if at == len(path) {
			return -1, 0
		}
		start = at + 1
	}
}

// fits returns how many octets text[from:end] takes at the start of the path; -1 if it
// does not fit there.
func (m *laxMatcher) fits(path string, from, end int) int {
	at := 0
	for i := from; i < end; i++ {
		m.work++
		switch {
		case at < len(path) && path[at] == m.text[i]:
			at++
		case m.equalsEncodedSlash(i) && strings.HasPrefix(path[at:], encodedSlash):
			at += len(encodedSlash)
		default:
			return -1
		}
	}
	return at
}

// fitsEnd returns how many octets text[from:] takes at the end of the path; -1 if it does
// not fit there.
func (m *laxMatcher) fitsEnd(path string, from int) int {
	before := len(path)
	for i := len(m.text) - 1; i >= from; i-- {
		switch {
		case path != "" && path[len(path)-1] == m.text[i]:
			path = path[:len(path)-1]
		case m.equalsEncodedSlash(i) && strings.HasSuffix(path, encodedSlash):
			path = path[:len(path)-len(encodedSlash)]
		default:
			return -1
		}
	}
	return before - len(path)
}

// equalsEncodedSlash reports whether text[i] is a lax slash.
func (m *laxMatcher) equalsEncodedSlash(i int) bool { return m.text[i] == '/' && i > m.query }
