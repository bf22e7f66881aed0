package fetch

import (
	"bytes"
	"fmt"
	"io"
	"net/http"

	"github.com/heed-robots/heed/internal/markup"
	"github.com/heed-robots/heed/internal/rawbody"
)

// readBody sets r.Body to at most MaxBytes of UTF-8. It reads one byte more, to see whether the file is longer. For
// FTP, the header is nil.
func (f *Fetcher) readBody(r *Result, from io.Reader, h http.Header) error {
	codings, _ := rawbody.Codings(h.Values("Content-Encoding"))
	raw, err := decode(from, codings, f.maxBytes()+1)
	if err != nil {
		return fmt.Errorf("body: %w", err)
	}
	return r.setBody(raw, h.Get("Content-Type"), len(raw) > f.maxBytes())
}

func (r *Result) setBody(raw []byte, contentType string, isCut bool) error {
	text, encoding := toUTF8(raw, contentType)
	if r.isFile() {
		if err := checkText(raw, text); err != nil {
			return err
		}
		r.Page = Page(markup.PageOf(text))
	}
	r.Encoding, r.Truncated = encoding, isCut
	if r.Truncated {
		// If the limit cuts a line, the whole line is dropped, because a part of a pattern would be another rule.
		text = text[:bytes.LastIndexAny(text, "\r\n")+1]
	}
	r.Body = append(make([]byte, 0, len(text)), text...) // a copy, because io.ReadAll leaves unused capacity
	return nil
}

// isFile returns false if the body is an error page.
func (r *Result) isFile() bool {
	return r.Origin.Scheme() == "ftp" || r.Status >= 200 && r.Status <= 299
}

// Text translates a robots.txt from a file to UTF-8. The result encoding is the original encoding, such as "utf-16le".
// If nothing had to be translated, encoding is "". If the body is not text, the error is of the kind NoRobotsTxt (R-17,
//
func Text(body []byte) (text []byte, encoding string, err error) {
	text, encoding = toUTF8(body, "")
	return text, encoding, checkText(body, text)
}

// checkText returns an error if a body is compressed or binary data. The parameter text is the body as UTF-8.
func checkText(body, text []byte) error {
	if why := rawbody.NotText(body, text); why != "" {
		return noRobotsTxt("the body is %s", why)
	}
	if len(body) > 0 && !rawbody.BeginsAsText(body) { // Brotli data has no mark at its start, so the only test is to decode the body
		if _, err := decode(bytes.NewReader(body), []string{"br"}, defaultMaxBytes); err == nil {
			return noRobotsTxt("the body is still compressed, as br")
		}
	}
	return nil
}
