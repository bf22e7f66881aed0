package fetch

import (
	"bytes"
	"mime"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
)

// toUTF8 bridges what is not UTF-8 (R-17, G-9): a byte-order mark of UTF-16
// says so, or the charset that the server names. It returns the name of the
// encoding that it translated from; "" where it did not. Bytes that mean
// nothing there become U+FFFD. A charset that nobody knows is left alone: the
// rules are ASCII in nearly all of them.
func toUTF8(body []byte, contentType string) ([]byte, string, error) {
	from, name := encodingOf(body, contentType)
	if from == nil {
		return body, "", nil
	}
	translated, err := from.NewDecoder().Bytes(body)
	return translated, name, err
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
