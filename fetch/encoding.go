package fetch

import (
	"bytes"
	"mime"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/heed-robots/heed/internal/rawbody"
)

// toUTF8 translates a robots.txt that is not UTF-8 (R-17, G-9). It uses the first of these
// that it finds:
//
//   - a byte-order mark of UTF-16
//   - the charset of a Content-Type, which may be ""; an unknown one is ignored
//   - UTF-16 without a mark, if the first characters are ASCII in it
//
// It returns the text and the name of its encoding, such as "utf-16le". The name "" means
// that nothing was translated: the text is the body, without a byte-order mark of UTF-16.
// Bytes that are not valid in the encoding become U+FFFD.
//
// Some servers send a wrong charset. So the translation is not used if it has fewer lines of some
// kind, such as Disallow, than the body without translation:
//
//	charset        body                                             name
//	iso-8859-1     "User-agent: *\nDisallow: /caf\xe9\n"             windows-1252
//	utf-16         "User-agent: *\nDisallow: /cart\n"                "": the translation is Chinese
//	               "U\x00s\x00e\x00r\x00-\x00a\x00g\x00e\x00…"       utf-16le
//	utf-16         "\xfe\xff\x00U\x00s\x00e\x00r…"                  utf-16be, by the mark
func toUTF8(body []byte, contentType string) (text []byte, encoding string) {
	if marked := utf16Mark(body); marked != nil {
		return best(body[2:], marked)
	}
	charsets := charsetsOf(body, contentType)
	if len(charsets) == 0 {
		charsets = unmarkedUTF16(body)
	}
	return best(body, charsets)
}

// charset is an encoding with its name.
type charset struct {
	encoding.Encoding
	name string
}

// decode returns the text of a body, or nil if the decoder fails. It drops an incomplete character at the
// end, which may come from a limit or from a program that appended a byte: as U+FFFD it would change the
// last pattern.
func (c charset) decode(body []byte) []byte {
	decoder := c.NewDecoder()
	text := make([]byte, 0, utf8.UTFMax*len(body)+utf8.UTFMax)
	n, _, err := decoder.Transform(text[:cap(text)], body, false)
	if err != nil && err != transform.ErrShortSrc {
		return nil
	}
	return text[:n]
}

var (
	utf16le = charset{unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), "utf-16le"}
	utf16be = charset{unicode.UTF16(unicode.BigEndian, unicode.UseBOM), "utf-16be"}
)

// utf16Mark returns the encoding of a byte-order mark, and then the opposite encoding: some programs put the wrong mark
// before a text. It returns nil if there is no mark.
func utf16Mark(body []byte) []charset {
	switch {
	case bytes.HasPrefix(body, []byte("\xff\xfe")):
		return []charset{utf16le, utf16be}
	case bytes.HasPrefix(body, []byte("\xfe\xff")):
		return []charset{utf16be, utf16le}
	}
	return nil
}

// unmarkedUTF16 recognizes UTF-16 without a byte-order mark: if the first eight characters
// are ASCII, every second byte is NUL.
func unmarkedUTF16(body []byte) []charset {
	const sample = 2 * 8
	if len(body) < sample {
		return nil
	}
	little, big := true, true
	for i := 0; i < sample; i += 2 {
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

// isText reports whether a byte is printable ASCII, a tab or a line end.
func isText(c byte) bool {
	return ' ' <= c && c <= '~' || c == '\t' || c == '\r' || c == '\n'
}

// charsetsOf returns the encodings that the charset of a Content-Type may mean.
func charsetsOf(body []byte, contentType string) []charset {
	if bytes.HasPrefix(body, []byte("\xef\xbb\xbf")) {
		return nil // the mark says UTF-8, whatever the Content-Type says
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
		return []charset{utf16le, utf16be} // "utf-16" may mean either
	case name == utf16be.name:
		return []charset{utf16be, utf16le}
	default:
		return []charset{{from, name}}
	}
}

// best returns the best of several translations of a body. A translation may be used if it has at least as many lines of
// each kind (such as Disallow) as the body. The first such translation is replaced by a later one only if the later one
// has more lines, and not fewer lines of any kind. If no translation may be used, best returns the body.
func best(body []byte, charsets []charset) (text []byte, encoding string) {
	text = body
	if len(charsets) == 0 {
		return text, ""
	}
	counts := rawbody.CountRecords(body)
	for _, c := range charsets {
		translated := c.decode(body)
		if translated == nil {
			continue
		}
		if n := rawbody.CountRecords(translated); !counts.MoreThan(n) && (encoding == "" || n.All() > counts.All()) {
			text, encoding, counts = translated, c.name, n
		}
	}
	return text, encoding
}
