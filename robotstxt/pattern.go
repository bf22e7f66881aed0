package robotstxt

import (
	"slices"
	"strings"
)

// A pattern is the compiled form of a rule, ready to match.
type pattern struct {
	text        string // in normal form, "*" between its segments, without the anchor
	start, size uint32 // of the pattern as written, in the body
	line        uint32
	allow       bool
	wild        bool // holds wildcards
	anchored    bool // must match to the end of the path
	indexPage   bool // stands for the directory of an allowed index page (M6)
}

// compile sets p to the form that matches of the rule of an entry.
func (d *Dialect) compile(p *pattern, body string, e *entry) {
	p.start, p.size, p.line = uint32(e.start), uint32(e.end-e.start), uint32(e.line)
	p.allow = e.kind == allowEntry
	text := body[e.start:e.end]
	if n := len(text); d.wildcards && n > 0 && text[n-1] == '$' {
		p.anchored = true
		text = text[:n-1]
	}
	p.text = d.patternForm(text)
	p.wild = d.wildcards && strings.IndexByte(p.text, '*') >= 0
}

// length is that of the pattern in octets of its normal form, anchor included:
// what makes it specific (R-5, M3).
func (p *pattern) length() int {
	if p.anchored {
		return len(p.text) + 1
	}
	return len(p.text)
}

// directory returns the pattern that Google's parser tries when an Allow of an
// index page does not match: its directory, and nothing below (M6).
func (p *pattern) directory() (pattern, bool) {
	slash := strings.LastIndexByte(p.text, '/')
	if slash < 0 || !p.allow || !strings.HasPrefix(p.text[slash:], "/index.htm") {
		return pattern{}, false
	}
	dir := *p
	dir.text, dir.anchored, dir.indexPage = p.text[:slash+1], true, true
	dir.wild = strings.IndexByte(dir.text, '*') >= 0
	return dir, true
}

// sortByPrecedence puts the patterns into sorted in the order in which they
// decide: the longest first, Allow before Disallow where they are equally long,
// then the first in the file (R-5, M3, M4).
func sortByPrecedence(sorted, patterns []pattern) {
	// Nearly all patterns are short: counting those of each length is enough.
	// The long ones share the first places, and are sorted there.
	var next [2*sortedByCount + 1]uint32 // the next place of each rank
	highest := 0
	for i := range patterns {
		rank := patterns[i].rank()
		next[rank]++
		highest = max(highest, rank)
	}
	place, long := uint32(0), next[len(next)-1]
	for rank := highest; rank >= 0; rank-- {
		place, next[rank] = place+next[rank], place
	}
	for i := range patterns {
		at := &next[patterns[i].rank()]
		sorted[*at] = patterns[i]
		*at++
	}
	slices.SortStableFunc(sorted[:long], func(a, b pattern) int {
		if a.length() != b.length() {
			return b.length() - a.length()
		}
		return boolOrder(b.allow) - boolOrder(a.allow)
	})
}

// sortedByCount is the first length that sortByPrecedence does not count.
const sortedByCount = 128

// rank is higher for a pattern that decides before another; those of
// sortedByCount and more octets share the highest.
func (p *pattern) rank() int {
	if n := p.length(); n < sortedByCount {
		return 2*n + boolOrder(p.allow)
	}
	return 2 * sortedByCount
}

func boolOrder(b bool) int {
	if b {
		return 1
	}
	return 0
}

// matches reports whether the pattern matches the path, which is in normal
// form too; slashes says that the path holds an encodedSlash.
func (p *pattern) matches(path string, slashes bool) bool {
	if p.wild || slashes {
		return p.matchesParts(path, slashes)
	}
	return strings.HasPrefix(path, p.text) && (!p.anchored || len(path) == len(p.text))
}

// matchesParts looks for the segments between the wildcards from left to
// right, each as early as it comes; an anchored last one must end the path.
// Leaving the earlier segments where they first fit leaves the most to the
// later ones, so nothing is ever tried again.
func (p *pattern) matchesParts(path string, slashes bool) bool {
	m := matcher{text: p.text}
	if slashes && p.hasLaxSlash() {
		m.slashes, m.query = true, strings.IndexByte(p.text, '?')
	}
	from, end := 0, p.segmentEnd(0)
	size := m.fits(path, from, end)
	if size < 0 {
		return false
	}
	path = path[size:]
	if end == len(p.text) {
		return !p.anchored || path == ""
	}
	for {
		from = end + 1
		end = p.segmentEnd(from)
		if end == len(p.text) && p.anchored {
			return m.fitsEnd(path, from)
		}
		rest, found := m.after(path, from, end)
		if !found || end == len(p.text) {
			return found
		}
		path = rest
	}
}

// hasLaxSlash reports whether the pattern has a slash behind a literal "?",
// which in the canonical form equals "%2F" too.
func (p *pattern) hasLaxSlash() bool {
	query := strings.IndexByte(p.text, '?')
	return query >= 0 && strings.IndexByte(p.text[query:], '/') >= 0
}

// segmentEnd returns where the segment that begins at from ends.
func (p *pattern) segmentEnd(from int) int {
	if p.wild {
		if i := strings.IndexByte(p.text[from:], '*'); i >= 0 {
			return from + i
		}
	}
	return len(p.text)
}

// matcher compares segments of a pattern's text with a path. With slashes set,
// "/" behind the "?" at query equals "%2F" too.
type matcher struct {
	text    string
	slashes bool
	query   int
}

// after returns what of the path follows the place where text[from:end] fits
// first.
func (m *matcher) after(path string, from, end int) (rest string, found bool) {
	if !m.slashes {
		at := strings.Index(path, m.text[from:end])
		if at < 0 {
			countSteps(len(path))
			return "", false
		}
		countSteps(at + end - from)
		return path[at+end-from:], true
	}
	for at := 0; at <= len(path); at++ {
		countSteps(1)
		if size := m.fits(path[at:], from, end); size >= 0 {
			return path[at+size:], true
		}
	}
	return "", false
}

// fits returns how many octets at the start of the path text[from:end] takes;
// -1 where it does not fit.
func (m *matcher) fits(path string, from, end int) int {
	if !m.slashes {
		if !strings.HasPrefix(path, m.text[from:end]) {
			return -1
		}
		return end - from
	}
	at := 0
	for i := from; i < end; i++ {
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

// fitsEnd reports whether the path ends with text[from:].
func (m *matcher) fitsEnd(path string, from int) bool {
	if !m.slashes {
		return strings.HasSuffix(path, m.text[from:])
	}
	for i := len(m.text) - 1; i >= from; i-- {
		switch {
		case path != "" && path[len(path)-1] == m.text[i]:
			path = path[:len(path)-1]
		case m.equalsEncodedSlash(i) && strings.HasSuffix(path, encodedSlash):
			path = path[:len(path)-len(encodedSlash)]
		default:
			return false
		}
	}
	return true
}

// equalsEncodedSlash reports whether text[i] is a slash that equals "%2F" too.
func (m *matcher) equalsEncodedSlash(i int) bool { return m.text[i] == '/' && i > m.query }
