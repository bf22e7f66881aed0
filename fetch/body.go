package fetch

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/heed-robots/heed/robotstxt"
)

// readBody reads as much of a body as is used of it. A robots.txt must be text
//
func (f *Fetcher) readBody(r *Result, from io.Reader, contentType string) error {
	raw, err := io.ReadAll(io.LimitReader(from, int64(f.maxBytes())+1))
	if err != nil {
		return fmt.Errorf("body: %w", cause(err))
	}
	text, encoding := ToUTF8(raw, contentType)
	if r.isFile() {
		if err := CheckText(raw, text); err != nil {
			return err
		}
		r.HTML = isHTML(text)
	}
	r.Encoding, r.Truncated = encoding, len(raw) > f.maxBytes()
	if r.Truncated {
		// Half a pattern is another rule: the line that the limit cuts is left
		// out, unless the byte behind the limit is its end.
		text = text[:bytes.LastIndexAny(text, "\r\n")+1]
	}
	r.Body = append(make([]byte, 0, len(text)), text...) // without the room that reading took
	return nil
}

// isFile reports whether the body that comes is the robots.txt, and not a page
// about an error.
func (r *Result) isFile() bool {
	return r.Origin.Scheme() == "ftp" || r.Status >= 200 && r.Status <= 299
}

// checkWhole returns an error where a response is not all of a file: nobody asked
// for a range of it, or for what changed in it.
func checkWhole(response *http.Response) error {
	switch _, ranged := response.Header["Content-Range"]; {
	case ranged, response.StatusCode == http.StatusPartialContent, response.StatusCode == http.StatusIMUsed:
		return noRobotsTxt("status %d with a part of the file, which was not asked for", response.StatusCode)
	}
	return nil
}

// codings are those that bodies are sent in, identity aside.
var codings = map[string]bool{
	"gzip": true, "x-gzip": true, "compress": true, "x-compress": true, "deflate": true, "br": true, "zstd": true, "x-zstd": true,
	"dcb": true, "dcz": true, "sdch": true, "exi": true, "pack200-gzip": true, "aes128gcm": true, "bzip2": true, "x-bzip2": true,
	"xz": true, "lzma": true, "lz4": true, "snappy": true, "zip": true, "zlib": true, "brotli": true,
}

// codingsOf returns how a response says that its body is encoded, every value of
// Content-Encoding counted, and what else it says there: servers write charsets
// ("utf-8"), how a file was sent to them ("aws-chunked") or that there is none.
func codingsOf(h http.Header) (known, unknown []string) {
	for _, value := range h.Values("Content-Encoding") {
		for name := range strings.SplitSeq(value, ",") {
			switch name = strings.ToLower(strings.TrimSpace(name)); {
			case name == "", name == "identity":
			case codings[name]:
				known = append(known, name)
			default:
				unknown = append(unknown, name)
			}
		}
	}
	return known, unknown
}

// checkCoding returns an error where a body was encoded in a way that nobody knows, as
// far as can be told: no line of it can be read.
func checkCoding(h http.Header, body []byte) error {
	if _, unknown := codingsOf(h); len(unknown) > 0 && len(body) > 0 && countRecords(body).all() == 0 {
		return encodedAs(unknown)
	}
	return nil
}

func encodedAs(names []string) error {
	return noRobotsTxt("the body is encoded as %.100q, which was not asked for", strings.Join(names, ", "))
}

// unpacked returns the body without its Content-Encoding. Requests say themselves
// that they accept gzip, or net/http would drop the header after it unpacked once.
func unpacked(response *http.Response) (io.Reader, error) {
	packed, _ := codingsOf(response.Header)
	switch {
	case len(packed) == 0:
		return response.Body, nil
	case len(packed) > 1 || packed[0] != "gzip" && packed[0] != "x-gzip":
		return nil, encodedAs(packed)
	}
	text, err := gzip.NewReader(response.Body)
	if errors.Is(err, io.EOF) {
		return http.NoBody, nil // an empty body, which was not packed either
	}
	if err != nil {
		return nil, fmt.Errorf("body: %w", cause(err))
	}
	return text, nil
}

// magics are the first bytes of files of other kinds. No text begins with them.
var magics = []struct{ magic, kind string }{
	{"\x28\xb5\x2f\xfd", "still compressed, as zstd"},
	{"\xfd7zXZ\x00", "still compressed, as xz"},
	{"\x1f\x9d", "still compressed, as compress"},
	{"\x04\x22\x4d\x18", "still compressed, as lz4"},
	{"BZh", "still compressed, as bzip2"},
	{"PK\x03\x04", "still compressed, as zip"},
	{"7z\xbc\xaf\x27\x1c", "still compressed, as 7z"},
	{"Rar!\x1a\x07", "still compressed, as rar"},
	{"%PDF-", "a PDF"},
}

// CheckText returns an error, NoRobotsTxt, where a body cannot be a robots.txt: it is
// still compressed, or binary, and no line of it can be read. text is what ToUTF8
// returns for the body.
func CheckText(body, text []byte) error {
	if why := notText(body, text); why != "" {
		return noRobotsTxt("the body is %s", why)
	}
	return nil
}

// notText says what kind of data a body is; "" for text, and for whatever holds a
// record that can be read.
func notText(raw, text []byte) string {
	if kind := unpacks(raw); kind != "" {
		return "still compressed, as " + kind
	}
	// Some programs store small files without compressing them: all lines but the
	// first can then be read. Without a User-agent line they mean nothing.
	for _, m := range magics {
		if bytes.HasPrefix(raw, []byte(m.magic)) && countRecords(text)[robotstxt.KindUserAgent] == 0 {
			return m.kind
		}
	}
	sample := raw
	if utf16Mark(raw) != nil {
		sample = text
	}
	if isBinary(sample) && countRecords(text).all() == 0 {
		return "binary, without a record"
	}
	return ""
}

// unpacks returns "gzip" or "zlib" where a body can be unpacked so, else "".
func unpacks(raw []byte) string {
	var unpacker io.Reader
	var err error
	kind := "zlib"
	switch from := bytes.NewReader(raw); {
	case bytes.HasPrefix(raw, []byte("\x1f\x8b")):
		kind = "gzip"
		unpacker, err = gzip.NewReader(from)
	case bytes.HasPrefix(raw, []byte("x\x01")), bytes.HasPrefix(raw, []byte("x\x9c")), bytes.HasPrefix(raw, []byte("x\xda")):
		unpacker, err = zlib.NewReader(from)
	default:
		return ""
	}
	if err != nil {
		return ""
	}
	if _, err := io.ReadFull(unpacker, make([]byte, 1)); err != nil && err != io.EOF {
		return ""
	}
	return kind
}

// isBinary looks at the first kilobyte, as browsers do: text in any charset but
// UTF-16 has no NUL, other than around it, and control bytes only by accident.
func isBinary(body []byte) bool {
	inner := bytes.Trim(body, "\x00")
	if len(inner) == 0 {
		return len(body) > 0
	}
	body = inner[:min(len(inner), 1<<10)]
	controls := 0
	for _, c := range body {
		switch {
		case c == 0:
			return true
		case c < ' ' && !strings.ContainsRune("\t\n\v\f\r\x1b", rune(c)), c == 0x7f:
			controls++
		}
	}
	return controls > 0 && !isUTF8(body) || controls > 1 && 10*controls > len(body)
}

// isUTF8 reports whether a text is UTF-8. Its last character may be incomplete.
func isUTF8(text []byte) bool {
	for cut := 0; cut < utf8.UTFMax && cut <= len(text); cut++ {
		if utf8.Valid(text[:len(text)-cut]) {
			return true
		}
	}
	return false
}

// isHTML reports whether a text is an HTML page, by how it begins: behind white
// space, comments and an XML declaration come a doctype or an element of a page.
func isHTML(text []byte) bool {
	text = text[:min(len(text), 16<<10)]
	page := html.NewTokenizer(bytes.NewReader(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))))
	for {
		switch page.Next() {
		case html.CommentToken: // and "<?xml …?>"
		case html.TextToken:
			if len(bytes.TrimSpace(page.Raw())) > 0 {
				return false
			}
		case html.DoctypeToken:
			kind, _, _ := strings.Cut(strings.TrimSpace(strings.ToLower(string(page.Text()))), " ")
			return kind == "html"
		case html.StartTagToken, html.SelfClosingTagToken:
			name, _ := page.TagName()
			return pageElements[atom.Lookup(name)]
		default:
			return false
		}
	}
}

// pageElements are what pages without a doctype begin with. "<pre>" is not among
// them: it is put around text.
var pageElements = map[atom.Atom]bool{
	atom.Html: true, atom.Head: true, atom.Body: true, atom.Title: true, atom.Meta: true, atom.Link: true, atom.Base: true,
	atom.Script: true, atom.Style: true, atom.Noscript: true, atom.Iframe: true, atom.Frameset: true, atom.Div: true, atom.P: true,
	atom.Span: true, atom.H1: true, atom.H2: true, atom.H3: true, atom.Center: true, atom.Table: true, atom.Form: true, atom.A: true,
	atom.B: true, atom.Br: true, atom.Font: true, atom.Img: true, atom.Hr: true, atom.Strong: true, atom.Main: true,
	atom.Section: true, atom.Header: true, atom.Article: true, atom.Nav: true, atom.Figure: true,
}
