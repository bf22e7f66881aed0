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
	p.length = len(p.text)
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
	size := p.fits(path, from, end, slashes)
	if size < 0 {
		return false
	}
	path = path[size:]
	if end == len(p.text) {
		return !p.anchored || len(path) == 0
	}
	for {
		from = end + 1
		end = p.segmentEnd(from)
		if end == len(p.text) && p.anchored {
			return p.fitsEnd(path, from, slashes)
		}
		rest, found := p.after(path, from, end, slashes)
		if !found || end == len(p.text) {
			return found
		}
		path = rest
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

// after returns what of the path follows the place where text[from:end] fits
// first.
func (p *pattern) after(path []byte, from, end int, slashes bool) (rest []byte, found bool) {
	if !slashes {
		at := bytes.Index(path, p.text[from:end])
		if at < 0 {
			return nil, false
		}
		return path[at+end-from:], true
	}
	for at := 0; at <= len(path); at++ {
		if size := p.fits(path[at:], from, end, slashes); size >= 0 {
			return path[at+size:], true
		}
	}
	return nil, false
}

// fits returns how many octets at the start of the path text[from:end] takes;
// -1 where it does not fit.
func (p *pattern) fits(path []byte, from, end int, slashes bool) int {
	if !slashes {
		if !bytes.HasPrefix(path, p.text[from:end]) {
			return -1
		}
		return end - from
	}
	at := 0
	for i := from; i < end; i++ {
		switch {
		case at < len(path) && path[at] == p.text[i]:
			at++
		case p.equalsEncodedSlash(i) && bytes.HasPrefix(path[at:], encodedSlash):
			at += len(encodedSlash)
		default:
			return -1
		}
	}
	return at
}

// fitsEnd reports whether the path ends with text[from:].
func (p *pattern) fitsEnd(path []byte, from int, slashes bool) bool {
	if !slashes {
		return bytes.HasSuffix(path, p.text[from:])
	}
	for i := len(p.text) - 1; i >= from; i-- {
		switch {
		case bytes.HasSuffix(path, p.text[i:i+1]):
			path = path[:len(path)-1]
		case p.equalsEncodedSlash(i) && bytes.HasSuffix(path, encodedSlash):
			path = path[:len(path)-len(encodedSlash)]
		default:
			return false
		}
	}
	return true
}

// equalsEncodedSlash reports whether text[i] is a slash that equals "%2F" too:
// one behind a literal "?" of the pattern.
func (p *pattern) equalsEncodedSlash(i int) bool { return p.text[i] == '/' && i > p.query }
