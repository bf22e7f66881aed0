package robotstxt

import "strings"

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
