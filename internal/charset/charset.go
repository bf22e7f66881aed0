// Package charset converts a robots.txt to UTF-8. It imports only small packages, because the libraries for C, Python and
// JavaScript contain it.
package charset

import (
	"bytes"
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"
)

type Charset struct {
	Name string // as in the WHATWG Encoding Standard, such as "utf-16le"

	// Decode returns a body in UTF-8, or nil if the body is not valid in this encoding. It drops an incomplete character
	// at the end of the body.
	Decode func(body []byte) []byte
}

var (
	UTF16LE = Charset{"utf-16le", func(body []byte) []byte { return fromUTF16(body, binary.LittleEndian) }}
	UTF16BE = Charset{"utf-16be", func(body []byte) []byte { return fromUTF16(body, binary.BigEndian) }}
)

// ToUTF8 translates a robots.txt that is not UTF-8 (R-17, G-9). The encoding is the first of these:
//
//   - the encoding that a byte-order mark of UTF-16 names
//   - one of the charsets, which the Content-Type may mean
//   - UTF-16 without a mark, if the first eight characters are ASCII in UTF-16
//
// The encoding "" means that the text is not translated. Invalid bytes become U+FFFD.
//
// Some servers send a wrong charset. So a translation must not have fewer lines of a kind, such as Disallow, than
// the body:
//
//	charset        body                                             name
//	iso-8859-1     "User-agent: *\nDisallow: /caf\xe9\n"             windows-1252
//	utf-16         "User-agent: *\nDisallow: /cart\n"                "": the translation is Chinese
//	               "U\x00s\x00e\x00r\x00-\x00a\x00g\x00e\x00…"       utf-16le
//	utf-16         "\xfe\xff\x00U\x00s\x00e\x00r…"                  utf-16be, by the mark
func ToUTF8(body []byte, charsets ...Charset) (text []byte, encoding string) {
	if HasUTF16Mark(body) {
		return bestText(body[2:], charsetsOfMark(body))
	}
	if len(charsets) == 0 {
		charsets = recognizeUTF16(body)
	}
	return bestText(body, charsets)
}

func HasUTF16Mark(body []byte) bool {
	return bytes.HasPrefix(body, []byte("\xff\xfe")) || bytes.HasPrefix(body, []byte("\xfe\xff"))
}

// Some programs write the wrong byte-order mark, so both byte orders are tried.
func charsetsOfMark(body []byte) []Charset {
	if body[0] == 0xff {
		return []Charset{UTF16LE, UTF16BE}
	}
	return []Charset{UTF16BE, UTF16LE}
}

// recognizeUTF16 reads UTF-16 without a byte-order mark: ASCII text has a NUL as every second byte.
func recognizeUTF16(body []byte) []Charset {
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
		return []Charset{UTF16LE}
	case big:
		return []Charset{UTF16BE}
	}
	return nil
}

func isText(c byte) bool {
	return ' ' <= c && c <= '~' || c == '\t' || c == '\r' || c == '\n'
}

func fromUTF16(body []byte, order binary.ByteOrder) []byte {
	text := make([]byte, 0, len(body))
	for len(body) >= 2 {
		c, size := rune(order.Uint16(body)), 2
		if utf16.IsSurrogate(c) {
			if len(body) < 4 {
				break // the second half is missing
			}
			if c = utf16.DecodeRune(c, rune(order.Uint16(body[2:]))); c != utf8.RuneError {
				size = 4
			}
		}
		body = body[size:]
		if isMark := c == 0xfeff || c == 0xfffe; !isMark || len(text) > 0 {
			text = utf8.AppendRune(text, c)
		}
	}
	return text
}

// bestText returns the translation with the most lines of a robots.txt. It never uses one with fewer lines of any kind than
// the body.
func bestText(body []byte, charsets []Charset) (text []byte, encoding string) {
	text = body
	if len(charsets) == 0 {
		return text, ""
	}
	counts := CountRecords(body)
	for _, c := range charsets {
		translated := c.Decode(body)
		if translated == nil {
			continue
		}
		if n := CountRecords(translated); !counts.MoreThan(n) && (encoding == "" || n.All() > counts.All()) {
			text, encoding, counts = translated, c.Name, n
		}
	}
	return text, encoding
}
