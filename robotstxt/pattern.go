package robotstxt

import (
	"math"
	"strings"
	"unsafe"
)

// A pattern is the pattern of a rule, compiled for matching.
type pattern struct {
	text   string // in normal form and simplified, see simplify
	bytes  uint64 // the set of the bytes that every matching path contains, see byteBits
	at     uint32 // where the text begins: in the body or, from sideStart on, in a buffer of rewritten texts
	length uint32 // size of the whole pattern in normal form; the longest pattern decides (R-5, M-3)
	match
	traits
}

// A match identifies a rule whose pattern matches.
type match struct {
	start, size uint32 // where the pattern is in the body, as written
	line        uint32
	allow       bool
}

func (m *match) rule(body string) Rule {
	return Rule{Allow: m.allow, Pattern: body[m.start:][:m.size], Line: int(m.line)}
}

// rank returns a number above 0. The rule with the highest rank decides. A longer pattern has a higher rank. If the
// lengths are equal, Allow has a higher rank. If only the lines differ, the earlier line has a higher rank (R-5, M-3,
// M-4). In old dialects only the line matters (S96-3).
func (d *Dialect) rank(m *match, patternLength uint32) uint64 {
	rank := uint64(math.MaxUint32 - m.line)
	if d.longest {
		rank |= uint64(patternLength)<<33 | uint64(boolOrder(m.allow))<<32
	}
	return rank
}

type traits uint8

const (
	wild      traits = 1 << iota // the pattern has wildcards
	lax                          // the pattern has a slash after its "?", which matches "/" and "%2F"
	anchored                     // the pattern must match up to the end of the path
	indexPage                    // the pattern is the directory of an index page that the rule allows (M-6)
	odd                          // the text of the pattern is not a part of the body
)

func (t traits) is(any traits) bool { return t&any != 0 }

// A pattern with one of these traits is a tail. All other patterns are heads: each path that matches a head begins with the
// text of the head.
const tail = wild | lax

// appendPattern appends two patterns for an Allow of /index.html in the Google dialect (M-6). A rewritten text is appended
// to side.
func (d *Dialect) appendPattern(patterns []pattern, side []byte, body string, e entry) ([]pattern, []byte) {
	patterns = append(patterns, pattern{})
	p := &patterns[len(patterns)-1]
	p.text, p.at = body[e.start:e.end], uint32(e.start)
	p.match = match{uint32(e.start), uint32(e.end - e.start), uint32(e.line), e.kind == allowEntry}
	side = p.normalize(d, side)
	dir, isIndex := "", false
	if d.indexPages && p.allow {
		dir, isIndex = indexDirectory(p.text)
	}
	side = p.compile(d, side)
	if isIndex {
		page := pattern{match: p.match, traits: anchored | indexPage}
		page.length = uint32(len(dir) + len("$"))
		page.bytes = d.bytesOf(dir)
		side = page.setText(append(side, dir...), len(side))
		side = page.compile(d, side)
		patterns = append(patterns, page)
	}
	return patterns, side
}

func (p *pattern) setText(side []byte, from int) []byte {
	text := side[from:]
	p.text = unsafe.String(unsafe.SliceData(text), len(text)) // nothing writes to this memory while p is in use
	p.at = sideStart + uint32(from)
	p.traits |= odd
	return side
}

func (p *pattern) normalize(d *Dialect, side []byte) []byte {
	if n := len(p.text); d.wildcards && n > 0 && p.text[n-1] == '$' {
		p.traits |= anchored
		p.text = p.text[:n-1]
	}
	p.bytes = d.bytesOf(p.text)
	if p.bytes&changes != 0 {
		side = p.setText(d.appendForm(side, p.text), len(side))
		p.bytes = d.bytesOf(p.text)
	}
	p.length = uint32(len(p.text) + boolOrder(p.is(anchored)))
	return side
}

func (d *Dialect) normalPattern(written string) (text string, isAnchored bool) {
	p := pattern{text: written}
	p.normalize(d, nil)
	return p.text, p.is(anchored)
}

// In the Google dialect, an Allow of "/d/index.html" also allows its directory, "/d/" (M-6).
func indexDirectory(text string) (dir string, ok bool) {
	slash := strings.LastIndexByte(text, '/')
	if slash < 0 || !strings.HasPrefix(text[slash:], indexName) {
		return "", false
	}
	return text[:slash+1], true
}

const indexName = "/index.htm"

func (p *pattern) compile(d *Dialect, side []byte) []byte {
	if p.bytes&star != 0 {
		side = p.simplify(side)
	}
	if d.form == canonicalForm && p.bytes&queryBit != 0 && strings.LastIndexByte(p.text, '/') > strings.IndexByte(p.text, '?') {
		p.traits |= lax
	}
	p.bytes &= classes
	return side
}

// simplify replaces a text with wildcards by a shorter one that matches the same paths.
//
//	/a**b becomes /a*b    /a* becomes /a    /a*$ becomes /a    /a*/$ is not changed
func (p *pattern) simplify(side []byte) []byte {
	first := strings.IndexByte(p.text, '*')
	if strings.Contains(p.text[first:], "**") {
		from := len(side)
		for i := range len(p.text) {
			if c := p.text[i]; c != '*' || i == 0 || p.text[i-1] != '*' {
				side = append(side, c)
			}
		}
		side = p.setText(side, from)
	}
	if before, ok := strings.CutSuffix(p.text, "*"); ok {
		p.text = before
		p.traits &^= anchored
	}
	if first < len(p.text) {
		p.traits |= wild
	}
	return side
}

// headEnd returns the length of the text with which every matching path begins.
func headEnd(text string, t traits) int {
	end := len(text)
	if t.is(wild) {
		end = strings.IndexByte(text, '*')
	}
	if t.is(lax) {
		end = min(end, strings.IndexByte(text, '?')+1)
	}
	return end
}

func (s *subject) matches(text string, t traits) bool {
	if s.slashes && t.is(lax) {
		m := laxMatcher{text: text, query: strings.IndexByte(text, '?'), subject: s}
		return m.matchesLax(t.is(anchored))
	}
	if t.is(wild) {
		return s.matchesSegments(text, t.is(anchored))
	}
	return strings.HasPrefix(s.path, text) && (!t.is(anchored) || len(s.path) == len(text))
}

// matchesSegments finds each text between two "*" at its first place, because a later place cannot help the texts after it.
//
//	/a*bc*d$ in /abcbcd: "/a" at 0, then "bc" at 2, then "d" at the end
func (s *subject) matchesSegments(text string, anchored bool) bool {
	path := s.path
	end := strings.IndexByte(text, '*')
	if !strings.HasPrefix(path, text[:end]) {
		return false
	}
	for {
		path, text = path[end:], text[end+1:]
		end = segmentEnd(text)
		if end == len(text) && anchored {
			return strings.HasSuffix(path, text)
		}
		at := s.findSegment(path, text[:end])
		if at < 0 {
			return false
		}
		if end == len(text) {
			return true
		}
		path = path[at:]
	}
}

func segmentAfter(text string, wildcard int) int {
	return wildcard + 1 + segmentEnd(text[wildcard+1:])
}

func segmentEnd(text string) int {
	for i := range len(text) {
		if text[i] == '*' {
			return i
		}
	}
	return len(text)
}

func (s *subject) findSegment(path, segment string) int {
	s.work += segmentWork
	if strings.HasPrefix(path, segment) { // for segments of hostile files, this is nearly always true
		return 0
	}
	at := strings.Index(path, segment)
	looked := at
	if at < 0 {
		looked = len(path)
	}
	if len(segment) == 1 {
		looked /= bytesAtOnce
	}
	s.work += looked
	return at
}

// A laxMatcher compares a pattern with a path that contains "%2F". After the "?" of the pattern, "/" also matches "%2F".
type laxMatcher struct {
	text  string
	query int // where the "?" is in text
	*subject
}

func (m *laxMatcher) matchesLax(anchored bool) bool {
	end := segmentEnd(m.text)
	size := m.compareStart(m.path, 0, end)
	if size < 0 {
		return false
	}
	path := m.path[size:]
	if end == len(m.text) {
		return !anchored || path == ""
	}
	for {
		from := end + 1
		end = from + segmentEnd(m.text[from:])
		if end == len(m.text) && anchored {
			return m.compareEnd(path, from) >= 0
		}
		at, size := m.find(path, from, end)
		if at < 0 || end == len(m.text) {
			return at >= 0
		}
		path = path[at+size:]
	}
}

// find returns the first place that text[from:end] matches in the path, and the size of this place.
func (m *laxMatcher) find(path string, from, end int) (at, size int) {
	exact := from
	for exact < end && !m.equalsEncodedSlash(exact) {
		exact++
	}
	for start := 0; ; {
		at := m.findSegment(path[start:], m.text[from:exact])
		if at < 0 {
			return -1, 0
		}
		at += start
		slash := at + exact - from
		if size := m.compareStart(path[slash:], exact, end); size >= 0 {
			return at, exact - from + size
		}
		if at == len(path) {
			return -1, 0
		}
		start = at + 1
	}
}

// compareStart returns how many bytes at the start of the path match text[from:end], or -1.
func (m *laxMatcher) compareStart(path string, from, end int) int {
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

// compareEnd returns how many bytes at the end of the path match text[from:], or -1.
func (m *laxMatcher) compareEnd(path string, from int) int {
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

func (m *laxMatcher) equalsEncodedSlash(i int) bool { return m.text[i] == '/' && i > m.query }

func (d *Dialect) spans(form string, isAnchored bool, path string) []Span {
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
	add(m.compareStart(path, 0, end), false)
	for end < len(form) {
		from := end + 1
		end = from + segmentEnd(form[from:])
		gap, size := 0, 0
		switch {
		case end == len(form) && (isAnchored || from == end):
			size = m.compareEnd(path[at:], from)
			gap = len(path) - at - size
		case from < end:
			gap, size = m.find(path[at:], from, end)
		}
		add(gap, true)
		add(size, false)
	}
	return spans
}
