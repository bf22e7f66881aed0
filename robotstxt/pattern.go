package robotstxt

import (
	"strings"
)

// A pattern is the compiled form of a rule, ready to match.
type pattern struct {
	text        string // in normal form: the segments, with "*" between them; see simplify
	start, size uint32 // of the pattern as written, in the body
	line        uint32
	traits
}

// traits are yes-or-no properties of a pattern.
type traits uint8

const (
	allows    traits = 1 << iota // of an Allow line
	wild                         // has wildcards
	lax                          // has a slash behind its "?": it equals "/" and "%2F"
	anchored                     // must match up to the end of the path
	indexPage                    // is the directory of an allowed index page (M-6)
)

func (t traits) is(any traits) bool { return t&any != 0 }

// A pattern with one of these traits is a tail, any other is a head: it is only compared
// with the beginning of a path.
const tail = wild | lax

// A ranked is a pattern that is not yet sorted.
type ranked struct {
	pattern
	key    key
	length int32 // in octets of its normal form; the longest decides (R-5, M-3)
}

// appendPattern appends the compiled form of the rule of an entry.
func (d *Dialect) appendPattern(patterns []ranked, body string, e *entry) []ranked {
	text, octets, ends := d.normalPattern(body[e.start:e.end])
	patterns = append(patterns, ranked{})
	r := &patterns[len(patterns)-1]
	r.start, r.size, r.line = uint32(e.start), uint32(e.end-e.start), uint32(e.line)
	if e.kind == allowEntry {
		r.traits = allows
	}
	r.compile(d, text, octets, ends)
	if d.indexPages && r.is(allows) {
		if dir, ok := indexDirectory(text); ok {
			page := ranked{pattern: pattern{start: r.start, size: r.size, line: r.line, traits: allows | indexPage}}
			page.compile(d, dir, d.octetsOf(dir), true)
			patterns = append(patterns, page)
		}
	}
	return patterns
}

// normalPattern returns the normal form of a written pattern, and the bits of its octets.
// ends is true if the pattern ended with an anchor "$", which is left out.
func (d *Dialect) normalPattern(written string) (text string, octets uint64, ends bool) {
	if n := len(written); d.wildcards && n > 0 && written[n-1] == '$' {
		ends = true
		written = written[:n-1]
	}
	octets = d.octetsOf(written)
	if octets&changes != 0 {
		written = d.patternForm(written)
		octets = d.octetsOf(written)
	}
	return written, octets, ends
}

// indexDirectory returns the directory of an index page. Google's parser tries it if an
// Allow of the page does not match (M-6).
func indexDirectory(text string) (dir string, ok bool) {
	slash := strings.LastIndexByte(text, '/')
	if slash < 0 || !strings.HasPrefix(text[slash:], "/index.htm") {
		return "", false
	}
	return text[:slash+1], true
}

// compile completes r, given its text in normal form and the bits of its octets.
func (r *ranked) compile(d *Dialect, text string, octets uint64, ends bool) {
	r.text, r.length = text, int32(len(text))
	if ends {
		r.traits |= anchored
		r.length++
	}
	if octets&star != 0 {
		r.simplify()
	}
	if d.form == canonicalForm && octets&queryBit != 0 && strings.LastIndexByte(r.text, '/') > strings.IndexByte(r.text, '?') {
		r.traits |= lax
	}
	r.key = r.pattern.key(octets)
}

// simplify replaces a text with wildcards by the shortest one that matches the same paths.
// Several wildcards in a row become one. A wildcard at the end is removed, with an anchor
// behind it.
//
//	/a**b is /a*b    /a* is /a    /a*$ is /a    /a*/$ stays
func (p *pattern) simplify() {
	first := strings.IndexByte(p.text, '*')
	if strings.Contains(p.text[first:], "**") {
		text := make([]byte, 0, len(p.text))
		for i := range len(p.text) {
			if c := p.text[i]; c != '*' || i == 0 || p.text[i-1] != '*' {
				text = append(text, c)
			}
		}
		p.text = string(text)
	}
	if before, ok := strings.CutSuffix(p.text, "*"); ok {
		p.text = before
		p.traits &^= anchored
	}
	if first < len(p.text) {
		p.traits |= wild
	}
}

// matches reports whether the pattern matches.
func (p *pattern) matches(s *subject) bool {
	if s.slashes && p.is(lax) {
		m := laxMatcher{text: p.text, query: strings.IndexByte(p.text, '?'), subject: s}
		return m.matches(p)
	}
	if p.is(wild) {
		return p.matchesSegments(s)
	}
	return strings.HasPrefix(s.path, p.text) && (!p.is(anchored) || len(s.path) == len(p.text))
}

// matchesSegments finds the segments between the wildcards from left to right, each at the
// first place where it fits. That leaves most of the path for the later segments, so no
// segment is ever tried again. The last segment of an anchored pattern must end the path.
//
//	/a*bc*d$ in /abcbcd: "/a" at 0, then "bc" at 2, then "d" at the end
func (p *pattern) matchesSegments(s *subject) bool {
	text, path := p.text, s.path
	end := strings.IndexByte(text, '*')
	if !strings.HasPrefix(path, text[:end]) {
		return false
	}
	for {
		path, text = path[end:], text[end+1:]
		end = segmentEnd(text)
		if end == len(text) && p.is(anchored) {
			return strings.HasSuffix(path, text)
		}
		at := s.index(path, text[:end])
		if at < 0 {
			return false
		}
		if end == len(text) {
			return true
		}
		path = path[at:]
	}
}

// cutSegment returns the first segment of a text that begins with a wildcard, and the rest.
func cutSegment(text string) (segment, rest string) {
	end := 1 + segmentEnd(text[1:])
	return text[1:end], text[end:]
}

// segmentEnd returns where the first segment of a text ends.
func segmentEnd(text string) int {
	for i := range len(text) {
		if text[i] == '*' {
			return i
		}
	}
	return len(text)
}

// index returns where a segment first is in a part of the path; -1: nowhere. The segment is
// not empty.
func (s *subject) index(path, segment string) int {
	s.work += segmentWork
	if strings.HasPrefix(path, segment) { // in hostile files, nearly always
		return 0
	}
	at := strings.Index(path, segment)
	looked := at
	if at < 0 {
		looked = len(path)
	}
	if len(segment) == 1 {
		looked /= octetsAtOnce
	}
	s.work += looked
	return at
}

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

// spans returns how a pattern matches a path, both in normal form. As in matchesSegments and
// laxMatcher, each segment is at the first place where it fits, and an anchored last one is
// at the end. Empty segments are left out.
func (d *Dialect) spans(form string, ends bool, path string) []Span {
	m := laxMatcher{text: form, query: len(form), subject: &subject{path: path}}
	if query := strings.IndexByte(form, '?'); d.form == canonicalForm && query >= 0 {
		m.query = query
	}
	var spans []Span
	at := 0
	add := func(size int, star bool) {
		if size > 0 || star {
			spans = append(spans, Span{at, at + size, star})
		}
		at += size
	}
	if !d.wildcards {
		add(len(form), false)
		return spans
	}
	end := segmentEnd(form)
	add(m.fits(path, 0, end), false)
	for end < len(form) {
		from := end + 1
		end = from + segmentEnd(form[from:])
		gap, size := 0, 0
		switch {
		case end == len(form) && (ends || from == end):
			size = m.fitsEnd(path[at:], from)
			gap = len(path) - at - size
		case from < end:
			gap, size = m.find(path[at:], from, end)
		}
		add(gap, true)
		add(size, false)
	}
	return spans
}
