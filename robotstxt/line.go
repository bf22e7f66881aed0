package robotstxt

import (
	"fmt"
	"strings"

	"github.com/heed-robots/heed/internal/ascii"
	"github.com/heed-robots/heed/internal/printable"
)

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

// String returns the line as it stands, without its end and behind its number, such
// as "line 2: Disallow: /x # why". It is safe to show as a Decision is.
func (l Line) String() string {
	return fmt.Sprintf("line %d: %s", l.Number, printable.Text(strings.TrimRight(l.Raw, "\r\n")))
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

// kindOf classifies a key. In notes it says how the key differs from the one
// that it is read as.
func (d *Dialect) kindOf(key string) (kind Kind, notes Notes) {
	switch key { // most files write them like this
	case "Disallow", "disallow":
		return KindDisallow, 0
	case "User-agent", "User-Agent", "user-agent":
		return KindUserAgent, 0
	case "Sitemap", "sitemap":
		return KindSitemap, 0
	}
	for _, k := range &keySpellings {
		if k.kind == KindAllow && !d.allow {
			continue // 1994 does not know Allow (S94-3)
		}
		for i, s := range k.spellings {
			if i > 0 && d.keys == exactKeys {
				break
			}
			if i > 0 {
				notes = NoteTypo
			}
			if ascii.EqualFold(key, s) {
				return k.kind, notes
			}
			if d.keys == prefixKeys && ascii.HasPrefixFold(key, s) {
				return k.kind, NoteKeyPrefix
			}
			notes = 0
		}
	}
	return KindOther, 0
}

// content is what of a line counts: where its key and value stand in the body.
type content struct {
	kind                 Kind
	notes                Notes
	keyStart, keyEnd     int
	valueStart, valueEnd int
}

// read finds key and value in body[start:end], the text of one line without
// its line end, and sets c to them. It notes only what it decides by; see annotate for the rest.
func (d *Dialect) read(body string, start, end int, c *content) {
	*c = content{}
	if start == end {
		return
	}
	if d.lineLimit > 0 && end-start > d.lineLimit {
		end = start + d.lineLimit
		c.notes |= NoteCut
	}
	if d.nulEndsLine {
		if i := strings.IndexByte(body[start:end], 0); i >= 0 {
			end = start + i
		}
	}
	if i := strings.IndexByte(body[start:end], '#'); i >= 0 {
		end = start + i
		c.kind = KindComment
	}
	start, end = d.trim(body, start, end)
	if start == end {
		return
	}
	if !d.keyValue(body, start, end, c) {
		*c = content{kind: KindInvalid, notes: c.notes}
		return
	}
	kind, notes := d.kindOf(body[c.keyStart:c.keyEnd])
	c.kind = kind
	c.notes |= notes
}

// keyValue splits a trimmed text at its first colon. Without one, exactly two
// words are a key and a value where the dialect says so (R-17, K4). It reports
// false where there is no key.
func (d *Dialect) keyValue(body string, start, end int, c *content) bool {
	text := body[start:end]
	split := strings.IndexByte(text, ':')
	value := split + 1
	if split < 0 {
		if !d.missingColon {
			return false
		}
		if split = strings.IndexAny(text, " \t"); split < 0 {
			return false
		}
		rest := strings.TrimLeft(text[split:], " \t")
		if strings.ContainsAny(rest, " \t") {
			return false
		}
		value = len(text) - len(rest)
		c.notes |= NoteMissingColon
	}
	c.keyStart, c.keyEnd = d.trim(body, start, start+split)
	c.valueStart, c.valueEnd = d.trim(body, start+value, end)
	return c.keyStart < c.keyEnd
}

// trim leaves out the white space around body[start:end]: what C's isspace
// calls so (K2), and where a line is used whatever surrounds it, all control
// bytes.
func (d *Dialect) trim(body string, start, end int) (int, int) {
	for start < end && d.space[body[start]] != 0 {
		start++
	}
	for start < end && d.space[body[end-1]] != 0 {
		end--
	}
	return start, end
}

// byteSet says of each byte whether it belongs: 1, or 0.
type byteSet [256]uint8

// spaces are the white space of C's isspace; spacesAndControls hold all
// control bytes too.
var (
	spaces            = newByteSet(ascii.IsSpace)
	spacesAndControls = newByteSet(func(c byte) bool { return ascii.IsSpace(c) || ascii.IsControl(c) })
)

func newByteSet(has func(byte) bool) *byteSet {
	var set byteSet
	for c := range set {
		if has(byte(c)) {
			set[c] = 1
		}
	}
	return &set
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
	if s.pos < len(s.body) && s.body[s.pos] == c {
		return s.pos // an empty line: they may come in great numbers
	}
	if i := strings.IndexByte(s.body[s.pos:], c); i >= 0 {
		return s.pos + i
	}
	return len(s.body)
}
