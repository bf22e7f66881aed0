package fetch

import (
	"bytes"
	"mime"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"

	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/robotstxt/record"
)

// ToUTF8 translates a robots.txt that is not UTF-8 (R-17, G-9). The encoding is that
// of a byte-order mark of UTF-16, else that of the charset in a Content-Type (which
// may be ""), else UTF-16 where the first characters of the body are ASCII in it.
//
// It returns the text and the name of the encoding, such as "utf-16le"; "" means that
// nothing was translated, and the text is the body, without a byte-order mark of
// UTF-16. Bytes that mean nothing in the encoding become U+FFFD. A charset whose name
// is not known is ignored: nearly all rules are ASCII. One is also ignored where the
// translation has fewer records of some kind than the bytes themselves.
func ToUTF8(body []byte, contentType string) (text []byte, encoding string) {
	if marked := utf16Mark(body); marked != nil {
		return best(body[2:], marked)
	}
	charsets := charsetsOf(body, contentType)
	if len(charsets) == 0 {
		charsets = unmarkedUTF16(body)
	}
	return best(body, charsets)
}

// charset is an encoding and its name.
type charset struct {
	encoding.Encoding
	name string
}

var (
	utf16le = charset{unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), "utf-16le"}
	utf16be = charset{unicode.UTF16(unicode.BigEndian, unicode.UseBOM), "utf-16be"}
)

// utf16Mark returns the encoding that a byte-order mark names, and the other one, since
// a program that writes the mark need not be the one that wrote the text; nil: there is
// none.
func utf16Mark(body []byte) []charset {
	switch {
	case bytes.HasPrefix(body, []byte("\xff\xfe")):
		return []charset{utf16le, utf16be}
	case bytes.HasPrefix(body, []byte("\xfe\xff")):
		return []charset{utf16be, utf16le}
	}
	return nil
}

// unmarkedUTF16 recognizes UTF-16 without a byte-order mark, as some editors save
// it: its first characters are ASCII, so every second byte is NUL.
func unmarkedUTF16(body []byte) []charset {
	const enough = 8 // characters
	if len(body) < 2*enough {
		return nil
	}
	little, big := true, true
	for i := 0; i < 2*enough; i += 2 {
		little = little && isText(body[i]) && body[i+1] == 0
		big = big && body[i] == 0 && isText(body[i+1])
	}
	switch {
	case little:
		return []charset{utf16le}
	case big:
		return []charset{utf16be}
	}
	return nil
}

// isText reports whether a byte is a character of ASCII that lines are made of.
func isText(c byte) bool {
	return ' ' <= c && c <= '~' || c == '\t' || c == '\r' || c == '\n'
}

// charsetsOf returns the encodings that a body may be in by its Content-Type.
func charsetsOf(body []byte, contentType string) []charset {
	if bytes.HasPrefix(body, []byte("\xef\xbb\xbf")) {
		return nil // what a body says of itself goes before what is said of it
	}
	_, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		return nil
	}
	from, err := htmlindex.Get(strings.TrimSpace(params["charset"]))
	if err != nil {
		return nil
	}
	switch name, err := htmlindex.Name(from); {
	case err != nil || name == "utf-8" || name == "replacement":
		return nil
	case name == utf16le.name:
		return []charset{utf16le, utf16be} // "utf-16" is not always what browsers take it for
	case name == utf16be.name:
		return []charset{utf16be, utf16le}
	default:
		return []charset{{from, name}}
	}
}

// best returns the translation with the most records, the first of several, or
// the body where each of them loses some that it has as it stands.
func best(body []byte, charsets []charset) (text []byte, encoding string) {
	text = body
	if len(charsets) == 0 {
		return text, ""
	}
	least := countRecords(body)
	for _, c := range charsets {
		translated, err := c.NewDecoder().Bytes(body)
		if err != nil {
			continue
		}
		if n := countRecords(translated); !least.moreThan(n) && (encoding == "" || n.all() > least.all()) {
			text, encoding, least = translated, c.name, n
		}
	}
	return text, encoding
}

// records are how many lines there are of each kind with a known key, other records
// such as Crawl-delay counted as robotstxt.KindOther.
type records [robotstxt.KindOther + 1]int

// countRecords counts what is read of a text, as RFC 9309 reads it.
func countRecords(text []byte) (n records) {
	for line := range robotstxt.Parse(text, robotstxt.RFC9309.WithLimit(len(text))).Lines() {
		switch line.Kind {
		case robotstxt.KindUserAgent, robotstxt.KindAllow, robotstxt.KindDisallow, robotstxt.KindSitemap:
			n[line.Kind]++
		case robotstxt.KindOther:
			if _, known := record.Lookup(line.Key); known {
				n[line.Kind]++
			}
		}
	}
	return n
}

// moreThan reports whether there are more of some kind.
func (n records) moreThan(m records) bool {
	for kind := range n {
		if n[kind] > m[kind] {
			return true
		}
	}
	return false
}

// all returns how many there are.
func (n records) all() (sum int) {
	for _, count := range n {
		sum += count
	}
	return sum
}
