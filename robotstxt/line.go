package robotstxt

import "strings"

// A Line is one line of a robots.txt file, whatever it holds.
type Line struct {
	Number int    // counted from 1
	Offset int    // of the first byte of Raw in the body
	Raw    string // as it stands, byte-order mark and line end included
	Kind   Kind
	Key    string // as written, without the space around it; empty where there is none
	Value  string // the same, without a comment
	Notes  Notes
}

// Kind is what a line is. The zero Kind is a blank line.
type Kind uint8

// The kinds of lines.
const (
	KindBlank     Kind = iota // nothing but white space
	KindComment               // nothing but a comment
	KindUserAgent             // User-agent
	KindAllow                 // Allow
	KindDisallow              // Disallow
	KindSitemap               // Sitemap
	KindOther                 // another key and value: a fact, never an error
	KindInvalid               // no key and value
)

var kindNames = [...]string{"blank", "comment", "user-agent", "allow", "disallow", "sitemap", "other", "invalid"}

// String returns the kind's name, such as "user-agent".
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown"
}

// MarshalText returns what String returns.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// isRule reports whether the line is an Allow or a Disallow line.
func (k Kind) isRule() bool { return k == KindAllow || k == KindDisallow }

// The keys of the protocol, most common misspellings after the right spelling
// (R-17, K6). The order is the one in which Google's parser tries them.
var keySpellings = [...]struct {
	kind      Kind
	spellings []string
}{
	{KindUserAgent, []string{"user-agent", "useragent", "user agent"}},
	{KindAllow, []string{"allow"}},
	{KindDisallow, []string{"disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"}},
	{KindSitemap, []string{"sitemap", "site-map"}},
}

// kindOf classifies a key; spelling is the spelling it was recognised by.
func (d *Dialect) kindOf(key string) (kind Kind, spelling string) {
	for _, k := range &keySpellings {
		if k.kind == KindAllow && !d.allow {
			continue // 1994 does not know Allow (S94-3)
		}
		for i, s := range k.spellings {
			if i > 0 && d.keys == exactKeys {
				break
			}
			if equalFold(key, s) || d.keys == prefixKeys && hasPrefixFold(key, s) {
				return k.kind, s
			}
		}
	}
	return KindOther, ""
}

// content is what of a line counts: its key and value.
type content struct {
	kind       Kind
	key, value string
	notes      Notes
}

// read finds key and value in the text of one line, without its line end.
// It notes only what it decides by; see annotate for the rest.
func (d *Dialect) read(text string) content {
	var c content
	if d.lineLimit > 0 && len(text) > d.lineLimit {
		text = text[:d.lineLimit]
		c.notes |= NoteCut
	}
	if d.nulEndsLine {
		text, _, _ = strings.Cut(text, "\x00")
	}
	text, _, commented := strings.Cut(text, "#")
	text = d.trim(text)
	if text == "" {
		if commented {
			c.kind = KindComment
		}
		return c
	}
	c.key, c.value = d.keyValue(text, &c.notes)
	if c.key == "" {
		c.kind, c.value = KindInvalid, ""
		return c
	}
	var spelling string
	c.kind, spelling = d.kindOf(c.key)
	switch {
	case spelling == "":
	case len(c.key) != len(spelling):
		c.notes |= NoteKeyPrefix
	case !equalFold(spelling, c.kind.String()):
		c.notes |= NoteTypo
	}
	return c
}

// keyValue splits a trimmed text at its first colon. Without one, exactly two
// words are a key and a value where the dialect says so (R-17, K4). An empty
// key means that there is none.
func (d *Dialect) keyValue(text string, notes *Notes) (key, value string) {
	key, value, ok := strings.Cut(text, ":")
	if ok {
		return d.trim(key), d.trim(value)
	}
	end := strings.IndexAny(text, " \t")
	if !d.missingColon || end < 0 {
		return "", ""
	}
	value = strings.TrimLeft(text[end:], " \t")
	if strings.ContainsAny(value, " \t") {
		return "", ""
	}
	*notes |= NoteMissingColon
	return d.trim(text[:end]), d.trim(value)
}

// trim removes the white space around s: what C's isspace calls so (K2), and
// where a line is used whatever surrounds it, all control bytes.
func (d *Dialect) trim(s string) string {
	for s != "" && d.isSpace(s[0]) {
		s = s[1:]
	}
	for s != "" && d.isSpace(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s
}

func (d *Dialect) isSpace(c byte) bool {
	return c == ' ' || '\t' <= c && c <= '\r' || d.trimControls && isControl(c)
}

// bomLength is how many bytes of a UTF-8 byte-order mark the body begins with;
// a broken mark counts as far as it goes (L4).
func bomLength(body string) int {
	const bom = "\xef\xbb\xbf"
	n := 0
	for n < len(bom) && n < len(body) && body[n] == bom[n] {
		n++
	}
	return n
}

// span is where a line stands in the body.
type span struct {
	start int // of the line
	text  int // of its text: behind a byte-order mark
	end   int // of its text
	next  int // behind its line end
}

// splitter cuts a body into lines: CR, LF and CRLF end one (S94-2, G-9, L1).
// It remembers the next CR and LF, so that a file with only one of them is
// still read once.
type splitter struct {
	body   string
	final  bool // yield the empty line behind the last line end
	pos    int
	done   bool
	lf, cr int
}

func newSplitter(body string, d *Dialect) splitter {
	return splitter{body: body, final: d.finalEmptyLine, lf: -1, cr: -1}
}

func (s *splitter) next() (span, bool) {
	if s.done || s.pos == len(s.body) && !s.final {
		return span{}, false
	}
	line := span{start: s.pos, text: s.pos}
	if s.pos == 0 {
		line.text = bomLength(s.body)
	}
	s.lf = s.find('\n', s.lf)
	s.cr = s.find('\r', s.cr)
	line.end = min(s.lf, s.cr)
	line.next = min(line.end+1, len(s.body))
	if s.cr+1 == s.lf {
		line.next = min(s.lf+1, len(s.body))
	}
	s.done = line.end == len(s.body)
	s.pos = line.next
	return line, true
}

// find returns where c stands next, at or behind pos; last is the answer of
// the call before.
func (s *splitter) find(c byte, last int) int {
	if last >= s.pos {
		return last
	}
	if i := strings.IndexByte(s.body[s.pos:], c); i >= 0 {
		return s.pos + i
	}
	return len(s.body)
}
