package fetch

import (
	"bytes"
	"mime"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/transform"

	"github.com/heed-robots/heed/internal/charset"
)

func toUTF8(body []byte, contentType string) (text []byte, encoding string) {
	return charset.ToUTF8(body, charsetsOf(body, contentType)...)
}

func charsetsOf(body []byte, contentType string) []charset.Charset {
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
	case name == charset.UTF16LE.Name:
		return []charset.Charset{charset.UTF16LE, charset.UTF16BE} // "utf-16" may mean both byte orders
	case name == charset.UTF16BE.Name:
		return []charset.Charset{charset.UTF16BE, charset.UTF16LE}
	default:
		return []charset.Charset{{Name: name, Decode: func(body []byte) []byte { return decodeText(body, from) }}}
	}
}

func decodeText(body []byte, from encoding.Encoding) []byte {
	text := make([]byte, 0, utf8.UTFMax*len(body)+utf8.UTFMax)
	n, _, err := from.NewDecoder().Transform(text[:cap(text)], body, false)
	if err != nil && err != transform.ErrShortSrc {
		return nil
	}
	return text[:n]
}
