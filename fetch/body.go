package fetch

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/robotstxt/record"
)

var utf8Mark = []byte("\xef\xbb\xbf")

// readBody decodes a body, reads at most MaxBytes of it and translates them to UTF-8. It fails
// if the body cannot be decoded, or cannot be a robots.txt. The header may be nil.
//
// This package sets Accept-Encoding itself. Otherwise net/http would decompress once and remove
// the Content-Encoding, and a body that is compressed twice would not be noticed.
//
// It reads one byte more than MaxBytes, to see whether the file is longer. With MaxBytes
// 29, Body is:
//
//	"User-agent: *\nDisallow: /cart"            the same: it has 29 bytes
//	"User-agent: *\nDisallow: /cart\nAllow: /"  "User-agent: *\nDisallow: /cart\n"
//	"User-agent: *\nDisallow: /carts\n"         "User-agent: *\n"
func (f *Fetcher) readBody(r *Result, from io.Reader, h http.Header) error {
	codings, _ := codingsOf(h)
	raw, err := decode(from, codings, f.maxBytes()+1)
	if err != nil {
		return fmt.Errorf("body: %w", err)
	}
	return r.use(raw, h.Get("Content-Type"), len(raw) > f.maxBytes())
}

// use sets the Body of r, from the octets of a body, of which the end may be missing.
func (r *Result) use(raw []byte, contentType string, isCut bool) error {
	text, encoding := ToUTF8(raw, contentType)
	if r.isFile() {
		if err := CheckText(raw, text); err != nil {
			return err
		}
		r.Page = PageOf(text)
	}
	r.Encoding, r.Truncated = encoding, isCut
	if r.Truncated {
		// A part of a pattern would be another rule, so a line that the limit cuts is
		// dropped. If the byte after the limit is a line end, the line is whole.
		text = text[:bytes.LastIndexAny(text, "\r\n")+1]
	}
	r.Body = append(make([]byte, 0, len(text)), text...) // io.ReadAll leaves unused capacity
	return nil
}

// isFile reports whether the body is the robots.txt, and not an error page.
func (r *Result) isFile() bool {
	return r.Origin.Scheme() == "ftp" || r.Status >= 200 && r.Status <= 299
}

// checkWhole returns an error if a response contains only a part of the file, or only
// its changes. No request of this package asks for that.
func checkWhole(status int, h http.Header) error {
	switch _, ranged := h["Content-Range"]; {
	case ranged, status == http.StatusPartialContent, status == http.StatusIMUsed:
		return noRobotsTxt("status %d with a part of the file, which was not requested", status)
	}
	return nil
}

// checkAccepted returns an error if the status is 202 and no group of the body has a record: the
// server will answer later, or it asks for proof that the client is a browser.
func checkAccepted(status int, body []byte) error {
	if status == http.StatusAccepted && !groupsOf(body).withRecord {
		return noRobotsTxt("status 202 without a group of rules")
	}
	return nil
}

// magics are the first bytes of other kinds of files. No robots.txt begins with them.
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

// CheckText returns an error of the kind NoRobotsTxt if a body is no text: it is still
// compressed, or binary without a record that can be read. text is the result of
// ToUTF8 for the body.
func CheckText(body, text []byte) error {
	if why := notText(body, text); why != "" {
		return noRobotsTxt("the body is %s", why)
	}
	return nil
}

// notText returns what kind of data a body is, and "" for text. A binary body that
// contains a record that can be read counts as text.
func notText(raw, text []byte) string {
	if kind := compression(raw); kind != "" {
		return "still compressed, as " + kind
	}
	// Some compressors store a small file unchanged behind their header, so all lines
	// except the first can be read. Without a User-agent line those have no effect.
	if kind := magicOf(raw); kind != "" && countRecords(text)[robotstxt.KindUserAgent] == 0 {
		return kind
	}
	sample := raw
	hasRecord := countRecords(text).all() > 0
	if utf16Mark(raw) != nil || hasRecord && bytes.IndexByte(raw[:min(len(raw), 4)], 0) >= 0 {
		sample = text
	}
	if isBinary(sample) && !hasRecord {
		return "binary, without a record"
	}
	// The same for compressors without a magic number. They may hide the first line of a group, and
	// leave a later group as it is.
	if g := groupsOf(text); !beginsAsText(sample) && (g.ruleBefore || !g.withRecord) {
		return "binary at its beginning, without a whole group"
	}
	return ""
}

// magicOf returns the kind of file that a body is by its first octets; "": none of magics.
func magicOf(body []byte) string {
	for _, m := range magics {
		if bytes.HasPrefix(body, []byte(m.magic)) {
			return m.kind
		}
	}
	return ""
}

// beginsAsText reports whether the first four octets of a body, behind white space and NULs, are
// UTF-8 without control characters.
func beginsAsText(body []byte) bool {
	body = bytes.TrimLeft(bytes.TrimPrefix(body, utf8Mark), "\x00 \t\n\v\f\r")
	body = body[:min(len(body), 4)]
	return isUTF8(body) && !bytes.ContainsFunc(body, func(c rune) bool { return isControl(c) || c == 0 })
}

// groups is what a text contains, as RFC 9309 reads it.
type groups struct {
	withRecord bool // a group with a rule or a known record
	ruleBefore bool // a rule before the first group
}

func groupsOf(text []byte) (g groups) {
	for line := range robotstxt.Parse(text, robotstxt.RFC9309.WithLimit(len(text))).Lines() {
		isRule := line.Kind == robotstxt.KindAllow || line.Kind == robotstxt.KindDisallow
		_, known := record.Lookup(line.Key)
		g.ruleBefore = g.ruleBefore || isRule && line.Group == 0
		g.withRecord = g.withRecord || line.Group > 0 && (isRule || line.Kind == robotstxt.KindOther && known)
	}
	return g
}

// isControl reports whether a character is a control character that no text contains.
func isControl(c rune) bool {
	return c < ' ' && !strings.ContainsRune("\x00\t\n\v\f\r\x1b", c) || c == 0x7f
}

// compression returns "gzip" or "zlib" if a body begins with data in that format that can
// be decompressed, else "".
func compression(raw []byte) string {
	var decompressed io.Reader
	var err error
	kind := "zlib"
	switch from := bytes.NewReader(raw); {
	case bytes.HasPrefix(raw, []byte("\x1f\x8b")):
		kind = "gzip"
		decompressed, err = gzip.NewReader(from)
	case bytes.HasPrefix(raw, []byte("x\x01")), bytes.HasPrefix(raw, []byte("x\x9c")), bytes.HasPrefix(raw, []byte("x\xda")):
		decompressed, err = zlib.NewReader(from)
	default:
		return ""
	}
	if err != nil {
		return ""
	}
	if _, err := io.ReadFull(decompressed, make([]byte, 1)); err != nil && err != io.EOF {
		return ""
	}
	return kind
}

// isBinary reports whether the first KiB of a body looks binary; browsers look at that
// part too. NULs before and after the text are ignored. Any other NUL means binary, and so
// do control characters, if they are many or the text is not UTF-8. The caller translates
// UTF-16 first.
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
		case isControl(rune(c)):
			controls++
		}
	}
	return controls > 0 && !isUTF8(body) || controls > 1 && 10*controls > len(body)
}

// isUTF8 reports whether a text is UTF-8, perhaps with an incomplete last character.
func isUTF8(text []byte) bool {
	for cut := 0; cut < utf8.UTFMax && cut <= len(text); cut++ {
		if utf8.Valid(text[:len(text)-cut]) {
			return true
		}
	}
	return false
}
