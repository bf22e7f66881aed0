package robotstxt

import (
	"fmt"
	"strings"

	"github.com/heed-robots/heed/internal/ascii"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/robotstxt/record"
)

// A Line is one line of a robots.txt file, valid or not.
type Line struct {
	Number int    // counted from 1
	Offset int    // where Raw begins in the body, in bytes
	Raw    string // the whole line, with its line end and, if there is one, the byte-order mark
	Kind   Kind
	Key    string // as written, without white space around it; "" if the line has no key
	Value  string // as written, without a comment and without white space around it
	Group  int    // the group to which the line belongs, counted from 1; 0 if it belongs to no group
	Notes  Notes
}

// String returns the line with its number, such as "line 2: Disallow: /x # why". The text is escaped as in Decision.String.
func (l Line) String() string {
	return fmt.Sprintf("line %d: %s", l.Number, printable.Text(strings.TrimRight(l.Raw, "\r\n")))
}

// Record returns what Heed knows about the record in a line of KindSitemap or KindOther, and its value. The error says why
// the value cannot be read. For other lines and unknown records, all results are zero.
func (l Line) Record() (info record.Info, value record.Value, err error) {
	name := l.Key
	if l.Kind == KindSitemap {
		name = "Sitemap" // the right spelling, because the key in the file may be misspelt
	} else if l.Kind != KindOther {
		return info, nil, nil
	}
	info, known := record.Lookup(name)
	if known {
		value, err = record.Parse(name, l.Value)
	}
	return info, value, err
}

// A Kind says what a line is, for example an Allow line. The zero Kind is a blank line.
type Kind uint8

// The kinds of lines.
const (
	KindBlank     Kind = iota // nothing but white space
	KindComment               // a comment, perhaps after white space
	KindUserAgent             // a User-agent line
	KindAllow                 // an Allow line
	KindDisallow              // a Disallow line
	KindSitemap               // a Sitemap line
	KindOther                 // a line with another key and a value; this is not an error
	KindInvalid               // a line without a key and a value
)

var kindNames = [...]string{"blank", "comment", "user-agent", "allow", "disallow", "sitemap", "other", "invalid"}

// String returns the kind's name, such as "user-agent".
func (k Kind) String() string { return printable.Name(kindNames[:], k, "unknown") }

// MarshalText returns what String returns.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

func (k Kind) isRule() bool { return k == KindAllow || k == KindDisallow }

// keySpellings has the right spelling of each key first, then the misspellings that Google's parser accepts (R-17, K-6).
var keySpellings = [...]struct {
	kind      Kind
	spellings []string
}{
	{KindUserAgent, []string{"user-agent", "useragent", "user agent"}},
	{KindAllow, []string{"allow"}},
	{KindDisallow, []string{"disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"}},
	{KindSitemap, []string{"sitemap", "site-map"}},
}

const shortestKey = 5

func (d *Dialect) kindOf(key string) (kind Kind, notes Notes) {
	if len(key) < shortestKey {
		return KindOther, 0
	}
	switch key { // a quick way for the usual spellings
	case "Disallow", "disallow":
		return KindDisallow, 0
	case "User-agent", "User-Agent", "user-agent":
		return KindUserAgent, 0
	case "Sitemap", "sitemap":
		return KindSitemap, 0
	}
	first := ascii.Lower(key[0])
	for _, k := range &keySpellings {
		if k.spellings[0][0] != first { // in all misspellings the first letter is right
			continue
		}
		if k.kind == KindAllow && !d.allow {
			continue // in the standard of 1994, Allow is not a rule (S94-3)
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

type content struct {
	kind                 Kind
	notes                Notes
	keyStart, keyEnd     int
	valueStart, valueEnd int
}

// read sets only the notes that change how the line is read. The method annotate adds the others.
func (d *Dialect) read(body string, start, end int, c *content) {
	*c = content{}
	if start == end {
		return
	}
	if d.lineLimit > 0 && end-start > d.lineLimit {
		end = start + d.lineLimit
		c.notes = NoteCut
	}
	stop := d.findKeyEnd(body, start, end)
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

func (d *Dialect) findKeyEnd(body string, start, end int) int {
	for start < end && body[start] != ':' && body[start] != '#' && (body[start] != 0 || !d.nulEndsLine) {
		start++ // fast enough, because keys are short
	}
	return start
}

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

// In some dialects, exactly two words are a key and a value, even without a colon (R-17, K-4).
func (d *Dialect) twoWords(body string, start, end int, c *content) {
	c.kind = KindInvalid
	if !d.missingColon {
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

func findBlank(body string, start, end int) int {
	for start < end && !isBlank(body[start]) {
		start++
	}
	return start
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// White space is that of C's isspace (K-2) and, in some dialects, also all control bytes.
func (d *Dialect) trim(body string, start, end int) (int, int) {
	for start < end && d.space[body[start]] != 0 {
		start++
	}
	for start < end && d.space[body[end-1]] != 0 {
		end--
	}
	return start, end
}

// bomLength also counts an incomplete byte-order mark (L-4).
func bomLength(body string) int {
	const bom = "\xef\xbb\xbf"
	n := 0
	for n < len(bom) && n < len(body) && body[n] == bom[n] {
		n++
	}
	return n
}

type span struct {
	start int
	text  int // after a byte-order mark
	end   int
	next  int
}

// In a splitter, CR, LF and CRLF end a line (S94-2, G-9, L-1).
type splitter struct {
	body  string
	final bool // yield an empty line after the last line end
	pos   int
	done  bool
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

func findLineEnd(body string, pos int) int {
	for ; pos+8 <= len(body); pos += 8 {
		for found := markBelow(eightAt(body, pos), '\r'+1); found != 0; found &= found - 1 {
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

func afterLineEnd(body string, end int) int {
	if end+1 < len(body) && body[end] == '\r' && body[end+1] == '\n' {
		return end + 2
	}
	return min(end+1, len(body))
}

// Notes is a set of facts about a line; not all of them are mistakes. The zero Notes is empty.
type Notes uint16

// The notes about a line.
const (
	NoteBOM            Notes = 1 << iota // the line begins with a byte-order mark, which is skipped
	NoteTypo                             // the key is a misspelling that is read as the right key
	NoteKeyPrefix                        // the key is longer than a known key, but is read as this key (K-6)
	NoteMissingColon                     // two words without a colon, read as key and value
	NoteOutsideGroup                     // a rule, or a record that belongs to a group, but no group is open
	NoteEmptyValue                       // a User-agent line, rule or Sitemap line without a value
	NoteNoSlash                          // the pattern begins with neither "/" nor "*": it matches nothing
	NoteNamesNoCrawler                   // the value of the User-agent line contains no product token
	NoteNameCut                          // only the beginning of the value of the User-agent line is read as a name
	NoteCut                              // the line is too long: only its beginning is used (L-3)
	NotePastLimit                        // the line ends after the last byte that is parsed, so it is ignored
	NoteControl                          // the line contains control bytes
	NoteNotUTF8                          // the line is not valid UTF-8
)
