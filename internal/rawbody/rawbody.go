// Package rawbody decides whether the body of a response is a robots.txt. It imports only small packages, because the
// libraries for other languages contain it.
package rawbody

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/heed-robots/heed/internal/charset"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/robotstxt/record"
)

var utf8Mark = []byte("\xef\xbb\xbf")

// knownCodings are the values of Content-Encoding that mean a compressed or encrypted body.
var knownCodings = []string{
	"gzip", "x-gzip", "deflate", "br", "brotli", "zstd", "x-zstd", "zlib", "compress", "x-compress", "dcb", "dcz", "sdch", "exi",
	"pack200-gzip", "aes128gcm", "bzip2", "x-bzip2", "xz", "lzma", "lz4", "snappy", "zip",
}

// Codings divides the values of Content-Encoding headers into the known codings and others, such as "utf-8". It leaves out
// "identity".
func Codings(values []string) (encodings, others []string) {
	for _, value := range values {
		for name := range strings.SplitSeq(value, ",") {
			name = strings.ToLower(strings.TrimSpace(name))
			switch {
			case name == "", name == "identity":
			case slices.Contains(knownCodings, name):
				encodings = append(encodings, name)
			default:
				others = append(others, name)
			}
		}
	}
	return encodings, others
}

func EncodedAs(codings []string) string {
	return fmt.Sprintf("the body is encoded as %.100q, which cannot be decoded", strings.Join(codings, ", "))
}

// Refusal returns why a successful response is not a robots.txt, or "". The body is not decoded yet.
func Refusal(status int, codings []string, body []byte) string {
	if why := NotWhole(status, false); why != "" {
		return why
	}
	known, unknown := Codings(codings)
	if len(known) > 0 {
		return EncodedAs(known)
	}
	if kind := NotText(body, body); kind != "" {
		return "the body is " + kind
	}
	return NoRobotsTxt(status, unknown, body)
}

// NotWhole returns why a response is only a part of a file, or "". Heed never requests a part.
func NotWhole(status int, isRange bool) string {
	if isRange || status == 206 || status == 226 {
		return fmt.Sprintf("status %d with a part of the file, which was not requested", status)
	}
	return ""
}

// NoRobotsTxt returns why the text of a successful response is not a robots.txt, or "". With status 202, the text must
// have a group, because servers often send this status with a page that checks the browser.
func NoRobotsTxt(status int, unknownCodings []string, text []byte) string {
	switch {
	case status == 202 && !groupsOf(text).withRecord:
		return "status 202 without a group of rules"
	case len(unknownCodings) > 0 && len(text) > 0 && charset.CountRecords(text).All() == 0:
		return EncodedAs(unknownCodings)
	}
	return ""
}

const zstandard = "still compressed, as zstd"

var magics = []struct{ magic, kind string }{
	{"\x28\xb5\x2f\xfd", zstandard},
	{"\xfd7zXZ\x00", "still compressed, as xz"},
	{"\x1f\x9d", "still compressed, as compress"},
	{"\x04\x22\x4d\x18", "still compressed, as lz4"},
	{"BZh", "still compressed, as bzip2"},
	{"PK\x03\x04", "still compressed, as zip"},
	{"7z\xbc\xaf\x27\x1c", "still compressed, as 7z"},
	{"Rar!\x1a\x07", "still compressed, as rar"},
	{"%PDF-", "a PDF"},
}

// NotText returns what kind of data the body raw is, or "" for text. The parameter text is the body in UTF-8. Even binary
// data is text if it has a record that can be read.
func NotText(raw, text []byte) string {
	if kind := compressionOf(raw); kind != "" {
		return "still compressed, as " + kind
	}
	// Some compressors write a small file unchanged after their header. So the body may still be a robots.txt, if it has a
	// User-agent line. But after the text of zstd there may be a checksum, so zstd is never read as text.
	if kind := MagicOf(raw); kind != "" && (kind == zstandard || charset.CountRecords(text)[robotstxt.KindUserAgent] == 0) {
		return kind
	}
	sample := raw
	hasRecord := charset.CountRecords(text).All() > 0
	if charset.HasUTF16Mark(raw) || hasRecord && bytes.IndexByte(raw[:min(len(raw), 4)], 0) >= 0 {
		sample = text
	}
	if isBinary(sample) && !hasRecord {
		return "binary, without a record"
	}
	// Some compressors damage only the start of a text. So a body with a damaged start must have a whole group without
	// control characters.
	if g := groupsOf(text); !BeginsAsText(sample) && (g.ruleBefore || !g.withRecord || g.withControls) {
		return "binary at its beginning, without a whole group"
	}
	return ""
}

func hasControls(text []byte) bool {
	return bytes.ContainsFunc(text, func(c rune) bool { return isControl(c) || c == 0 })
}

// MagicOf returns what kind of data begins with these bytes, such as "still compressed, as xz", or "" if that is unknown.
func MagicOf(body []byte) string {
	for _, m := range magics {
		if bytes.HasPrefix(body, []byte(m.magic)) {
			return m.kind
		}
	}
	return ""
}

// BeginsAsText ignores white space and NULs at the start of the body.
func BeginsAsText(body []byte) bool {
	body = bytes.TrimLeft(bytes.TrimPrefix(body, utf8Mark), "\x00 \t\n\v\f\r")
	body = body[:min(len(body), 4)]
	return isUTF8(body[:min(len(body), 3)]) && !hasControls(body)
}

type groups struct {
	withRecord   bool // a group has a rule or a known record
	withControls bool // a rule or a User-agent line has a control character
	ruleBefore   bool // a rule comes before the first group
}

func groupsOf(text []byte) (g groups) {
	for line := range robotstxt.Parse(text, robotstxt.RFC9309.WithLimit(len(text))).Lines() {
		isRule := line.Kind == robotstxt.KindAllow || line.Kind == robotstxt.KindDisallow
		_, known := record.Lookup(line.Key)
		g.withControls = g.withControls || (isRule || line.Kind == robotstxt.KindUserAgent) && hasControls([]byte(line.Raw))
		g.ruleBefore = g.ruleBefore || isRule && line.Group == 0
		g.withRecord = g.withRecord || line.Group > 0 && (isRule || line.Kind == robotstxt.KindOther && known)
	}
	return g
}

// White space, ESC and NUL are not counted, because they also occur in texts.
func isControl(c rune) bool {
	return c < ' ' && !strings.ContainsRune("\x00\t\n\v\f\r\x1b", c) || c == 0x7f
}

// compressionOf returns "gzip" or "zlib" only if the first byte can be decompressed. This test is
// needed because a text may begin with "x" and 0x01.
func compressionOf(raw []byte) string {
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

// In isUTF8, the last character may be incomplete.
func isUTF8(text []byte) bool {
	for len(text) > 0 {
		c, size := utf8.DecodeRune(text)
		if c == utf8.RuneError && size == 1 {
			return !utf8.FullRune(text)
		}
		text = text[size:]
	}
	return true
}

// IsDecoded reports whether a program decoded the body, but kept the Content-Encoding. A body without the magic number of
// gzip or zstd is decoded. Other codings have no such number, so the body must have lines of a robots.txt.
func IsDecoded(body []byte, codings []string) bool {
	if len(body) < 4 || !BeginsAsText(body) || MagicOf(body) != "" || compressionOf(body) != "" {
		return false
	}
	switch codings[len(codings)-1] {
	case "gzip", "x-gzip", "zstd", "x-zstd":
		return true
	}
	return beginsWithLine(body) && !isBinary(body) && charset.CountRecords(body).All() > 0 && !groupsOf(body).ruleBefore
}

func beginsWithLine(text []byte) bool {
	first, _, _ := bytes.Cut(bytes.TrimLeft(bytes.TrimPrefix(text, utf8Mark), " \t\r\n"), []byte("\n"))
	return bytes.HasPrefix(first, []byte("#")) || charset.CountRecords(first).All() > 0
}
