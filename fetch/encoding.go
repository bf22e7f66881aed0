package fetch

import (
	"bytes"
	"mime"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
)

// ToUTF8 bridges what is not UTF-8 (R-17, G-9), of a server or of a file, which
// has no contentType: a byte-order mark of UTF-16 says so, the charset that the
// server names, or a body that can be read as UTF-16 only. It returns the name of
// the encoding that it translated from; "" where it did not. Bytes that mean
// nothing there become U+FFFD. A charset that nobody knows is left alone: the
// rules are ASCII in nearly all of them.
func ToUTF8(body []byte, contentType string) (text []byte, encoding string) {
	from, name := encodingOf(body, contentType)
	if from == nil {
		from, name = unmarkedUTF16(body)
	}
	if from == nil {
		return body, ""
	}
	text, err := from.NewDecoder().Bytes(body)
	if err != nil {
		return body, ""
	}
	return text, name
}

func encodingOf(body []byte, contentType string) (encoding.Encoding, string) {
	switch {
	case bytes.HasPrefix(body, []byte("\xef\xbb\xbf")):
		return nil, "" // what a body says of itself goes before what is said of it
	case bytes.HasPrefix(body, []byte("\xff\xfe")):
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), "utf-16le"
	case bytes.HasPrefix(body, []byte("\xfe\xff")):
		return unicode.UTF16(unicode.BigEndian, unicode.UseBOM), "utf-16be"
	}
	_, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		return nil, ""
	}
	charset := strings.TrimSpace(params["charset"])
	from, err := htmlindex.Get(charset)
	if err != nil {
		return nil, ""
	}
	name, err := htmlindex.Name(from)
	if err != nil || name == "utf-8" || name == "replacement" {
		return nil, ""
	}
	return from, name
}
