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
	Group  int    // which group of the file it stands in, counted from 1; 0: none
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
// (R-17, K-6). The order is the one in which Google's parser tries them.
var keySpellings = [...]struct {
	kind      Kind
	spellings []string
}{
	{KindUserAgent, []string{"user-agent", "useragent", "user agent"}},
	{KindAllow, []string{"allow"}},
	{KindDisallow, []string{"disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"}},
	{KindSitemap, []string{"sitemap", "site-map"}},
}

// shortestKey is the length of "allow".
const shortestKey = 5

// kindOf classifies a key. In notes it says how the key differs from the one
// that it is read as.
func (d *Dialect) kindOf(key string) (kind Kind, notes Notes) {
	if len(key) < shortestKey {
		return KindOther, 0
	}
	switch key { // most files write them like this
	case "Disallow", "disallow":
		return KindDisallow, 0
	case "User-agent", "User-Agent", "user-agent":
		return KindUserAgent, 0
	case "Sitemap", "sitemap":
		return KindSitemap, 0
	}
	first := ascii.Lower(key[0])
	for _, k := range &keySpellings {
		if k.spellings[0][0] != first { // the misspellings begin like the right spelling
			continue
		}
		if k.kind == KindAllow && !d.allow {
			continue // 1994 does not know Allow (S94-3)
		}
		for i, s := range k.spellings {
			if i > 0 && d.keys == exactKeys {
				break
			}
			switch {
			case len(key) > len(s) && d.keys != prefixKeys || !ascii.HasPrefixFold(key, s):
			case len(key) > len(s):
				return k.kind, NoteKeyPrefix
			case i > 0:
				return k.kind, NoteTypo
			default:
				return k.kind, 0
			}
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
		c.notes = NoteCut
	}
	stop := d.findColon(body, start, end)
	if stop < end && body[stop] == ':' {
		d.keyValue(body, start, stop, stop+1, end, c)
		return
	}
	if stop < end && body[stop] == '#' {
		c.kind = KindComment
	}
	if start, end = d.trim(body, start, stop); start < end {
		d.twoWords(body, start, end, c)
	}
}

// findColon returns where the first colon of body[start:end] stands, or what ends
// the text before it: a comment, a NUL, or its end.
func (d *Dialect) findColon(body string, start, end int) int {
	for start < end && body[start] != ':' && body[start] != '#' && (body[start] != 0 || !d.nulEndsLine) {
		start++ // keys are short
	}
	return start
}

// keyValue sets c to the key in body[start:keyEnd] and the value that begins at value
// and ends at end, or where a comment or a NUL does.
func (d *Dialect) keyValue(body string, start, keyEnd, value, end int, c *content) {
	if start, keyEnd = d.trim(body, start, keyEnd); start == keyEnd {
		c.kind = KindInvalid
		return
	}
	if i := strings.IndexByte(body[value:end], '#'); i >= 0 {
		end = value + i
	}
	if d.nulEndsLine {
		if i := strings.IndexByte(body[value:end], 0); i >= 0 {
			end = value + i
		}
	}
	c.keyStart, c.keyEnd = start, keyEnd
	c.valueStart, c.valueEnd = d.trim(body, value, end)
	kind, notes := d.kindOf(body[start:keyEnd])
	c.kind = kind
	c.notes |= notes
}

// twoWords sets c to the key and the value of a trimmed text without a colon: exactly
// two words are that where the dialect says so (R-17, K-4).
func (d *Dialect) twoWords(body string, start, end int, c *content) {
	c.kind = KindInvalid
	if !d.missingColon || end-start < len("a b") {
		return
	}
	keyEnd := findBlank(body, start, end)
	value := keyEnd
	for value < end && isBlank(body[value]) {
		value++
	}
	if value == end || findBlank(body, value, end) < end {
		return
	}
	c.notes |= NoteMissingColon
	d.keyValue(body, start, keyEnd, value, end, c)
}

// findBlank returns where the first space or tab of body[start:end] stands; end if there is none.
func findBlank(body string, start, end int) int {
	for start < end && !isBlank(body[start]) {
		start++
	}
	return start
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// trim leaves out the white space around body[start:end]: what C's isspace
// calls so (K-2), and where a line is used whatever surrounds it, all control
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
// a broken mark counts as far as it goes (L-4).
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

// splitter cuts a body into lines: CR, LF and CRLF end one (S94-2, G-9, L-1).
type splitter struct {
	body  string
	final bool // yield the empty line behind the last line end
	pos   int
	done  bool
}

func newSplitter(body string, d *Dialect) splitter {
	return splitter{body: body, final: d.finalEmptyLine}
}

func (s *splitter) next() (span, bool) {
	if s.done || s.pos == len(s.body) && !s.final {
		return span{}, false
	}
	line := span{start: s.pos, text: s.pos}
	if s.pos == 0 {
		line.text = bomLength(s.body)
	}
	line.end = findLineEnd(s.body, line.text)
	line.next = afterLineEnd(s.body, line.end)
	s.done = line.end == len(s.body)
	s.pos = line.next
	return line, true
}

// findLineEnd returns where the first CR or LF at or behind pos stands, or the body ends.
func findLineEnd(body string, pos int) int {
	for ; pos+8 <= len(body); pos += 8 {
		for found := below(eight(body, pos), '\r'+1); found != 0; found &= found - 1 {
			if i := pos + firstMark(found); isLineEnd(body[i]) {
				return i
			}
		}
	}
	for pos < len(body) && !isLineEnd(body[pos]) {
		pos++
	}
	return pos
}

func isLineEnd(c byte) bool { return c == '\n' || c == '\r' }

// afterLineEnd returns where the line begins that follows one which ends at end.
func afterLineEnd(body string, end int) int {
	if end+1 < len(body) && body[end] == '\r' && body[end+1] == '\n' {
		return end + 2
	}
	return min(end+1, len(body))
}
