package robotstxt

import "bytes"

// A pattern is the compiled form of a rule's pattern, ready to match.
type pattern struct {
	rule      int    // index of its rule in the policy
	text      []byte // in normal form, "*" between its segments, without the anchor
	query     int    // where a literal "?" stands in text; len(text): nowhere
	length    int    // in octets, anchor included: what makes it more specific (R-5, M3)
	allow     bool
	wild      bool // "*" is a wildcard
	anchored  bool // must match to the end of the path
	indexPage bool // stands for the directory of an allowed index page (M6)
}

// compile brings the pattern of a rule, which is the index-th of its policy, to
// the form that matches.
func (d *Dialect) compile(rule Rule, index int) pattern {
	p := pattern{rule: index, allow: rule.Allow, wild: d.wildcards}
	text := rule.Pattern
	if n := len(text); d.wildcards && n > 0 && text[n-1] == '$' {
		p.anchored = true
		text = text[:n-1]
	}
	p.text = d.appendPattern(nil, text)
	p.measure(d)
	return p
}

func (p *pattern) measure(d *Dialect) {
	p.length = d.formLength(p.text)
	if p.anchored {
		p.length++
	}
	p.query = len(p.text)
	if i := bytes.IndexByte(p.text, '?'); i >= 0 && d.form == canonicalForm {
		p.query = i
	}
}

// directory returns the pattern that Google's parser tries when an Allow of an
// index page does not match: its directory, and nothing below (M6).
func (p *pattern) directory(d *Dialect) (pattern, bool) {
	slash := bytes.LastIndexByte(p.text, '/')
	if slash < 0 || !p.allow || !d.indexPages || !bytes.HasPrefix(p.text[slash:], []byte("/index.htm")) {
		return pattern{}, false
	}
	dir := *p
	dir.text, dir.anchored, dir.indexPage = p.text[:slash+1], true, true
	dir.measure(d)
	return dir, true
}

// matches reports whether the pattern matches the path, which is in normal
// form too; slashes says that the path holds an encodedSlash. The segments
// between the wildcards are looked for from left to right, each as early as it
// comes; an anchored last one must end the path. Leaving the earlier segments
// where they first fit leaves the most to the later ones, so nothing is ever
// tried again.
func (p *pattern) matches(path []byte, slashes bool) bool {
	slashes = slashes && p.query < len(p.text)
	from, end := 0, p.segmentEnd(0)
	if end == len(p.text) {
		return p.fits(path, from, end, slashes) && (!p.anchored || len(path) == end)
	}
	if !p.fits(path, from, end, slashes) {
		return false
	}
	path = path[end:]
	for {
		from = end + 1
		end = p.segmentEnd(from)
		if end == len(p.text) {
			return p.matchesLast(path, from, slashes)
		}
		at := p.find(path, from, end, slashes)
		if at < 0 {
			return false
		}
		path = path[at+end-from:]
	}
}

// segmentEnd returns where the segment that begins at from ends.
func (p *pattern) segmentEnd(from int) int {
	if p.wild {
		if i := bytes.IndexByte(p.text[from:], '*'); i >= 0 {
			return from + i
		}
	}
	return len(p.text)
}

func (p *pattern) matchesLast(path []byte, from int, slashes bool) bool {
	size := len(p.text) - from
	if !p.anchored {
		return p.find(path, from, len(p.text), slashes) >= 0
	}
	return len(path) >= size && p.fits(path[len(path)-size:], from, len(p.text), slashes)
}

// find returns where in the path text[from:end] fits first, or -1.
func (p *pattern) find(path []byte, from, end int, slashes bool) int {
	if !slashes {
		return bytes.Index(path, p.text[from:end])
	}
	for at := 0; at+end-from <= len(path); at++ {
		if p.fits(path[at:], from, end, slashes) {
			return at
		}
	}
	return -1
}

// fits reports whether the path begins with text[from:end].
func (p *pattern) fits(path []byte, from, end int, slashes bool) bool {
	if !slashes {
		return bytes.HasPrefix(path, p.text[from:end])
	}
	if len(path) < end-from {
		return false
	}
	for i := from; i < end; i++ {
		got, want := path[i-from], p.text[i]
		if got != want && (got != encodedSlash || want != '/' || i < p.query) {
			return false
		}
	}
	return true
}
