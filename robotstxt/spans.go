package robotstxt

import "strings"

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
