package fetch

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/heed-robots/heed/internal/charset"
	"github.com/heed-robots/heed/internal/markup"
	"github.com/heed-robots/heed/internal/rawbody"
	"github.com/heed-robots/heed/internal/testing/corpus"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/robotstxt"
)

const disallowAll = "User-agent: *\nDisallow: /\n"

func gzipped(body string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, body)
	z.Close()
	return b.String()
}

func zlibbed(body string, level int) string {
	var b bytes.Buffer
	z, _ := zlib.NewWriterLevel(&b, level)
	io.WriteString(z, body)
	z.Close()
	return b.String()
}

func deflated(body string) string {
	var b bytes.Buffer
	z, _ := flate.NewWriter(&b, flate.BestCompression)
	io.WriteString(z, body)
	z.Close()
	return b.String()
}

// toUTF16LE and toUTF16BE encode text without a byte-order mark.
func toUTF16LE(s string) string {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		b = append(b, byte(u), byte(u>>8))
	}
	return string(b)
}

func toUTF16BE(s string) string {
	b := []byte(toUTF16LE(s))
	for i := 0; i < len(b); i += 2 {
		b[i], b[i+1] = b[i+1], b[i]
	}
	return string(b)
}

// answerWith returns the Result of one response; headers are "Name: value".
func answerWith(t *testing.T, status int, body string, headers ...string) Result {
	t.Helper()
	return get(t, &Fetcher{}, serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"] = nil
		for _, h := range headers {
			name, value, _ := strings.Cut(h, ": ")
			w.Header().Add(name, value)
		}
		w.WriteHeader(status)
		if status >= 200 && status != 204 && status != 304 {
			io.WriteString(w, body)
		}
	}))
}

// every value of Content-Encoding counts: the body is decoded, or unreachable.
func TestContentEncodings(t *testing.T) {
	portion.Skip(t, 4)
	once, twice := gzipped(disallowAll), gzipped(gzipped(disallowAll))
	for _, c := range []struct {
		name, body string
		headers    []string
		want       Outcome
	}{
		{"none", disallowAll, nil, Rules},
		{"identity", disallowAll, []string{"Content-Encoding: identity"}, Rules},
		{"empty", disallowAll, []string{"Content-Encoding: "}, Rules},
		{"gzip", once, []string{"Content-Encoding: gzip"}, Rules},
		{"x-gzip", once, []string{"Content-Encoding: X-GZip"}, Rules},
		{"gzip and identity", once, []string{"Content-Encoding: identity, gzip", "Content-Encoding: identity"}, Rules},
		{"gzip of nothing", "", []string{"Content-Encoding: gzip"}, Rules},

		{"gzip in two headers", twice, []string{"Content-Encoding: gzip", "Content-Encoding: gzip"}, Rules},
		{"gzip twice in a list", twice, []string{"Content-Encoding: gzip, gzip"}, Rules},
		{"br", brotlied(disallowAll), []string{"Content-Encoding: br"}, Rules},
		{"gzip, then br", brotlied(once), []string{"Content-Encoding: gzip", "Content-Encoding: br"}, Rules},
		{"br, then gzip", gzipped(brotlied(disallowAll)), []string{"Content-Encoding: br, gzip"}, Rules},
		{"zstd", zstandard(disallowAll), []string{"Content-Encoding: zstd"}, Rules},
		{"deflate", zlibbed(disallowAll, 9), []string{"Content-Encoding: deflate"}, Rules},
		{"deflate without a header", deflated(disallowAll), []string{"Content-Encoding: deflate"}, Rules},
		{"gzip three times", gzipped(twice), []string{"Content-Encoding: gzip, gzip, gzip"}, Rules},
		{"x-zstd", zstandard(disallowAll), []string{"Content-Encoding: x-zstd"}, Rules},
		{"zlib", zlibbed(disallowAll, 9), []string{"Content-Encoding: zlib"}, Rules},
		{"brotli", brotlied(disallowAll), []string{"Content-Encoding: brotli"}, Rules},
		{"br of nothing", "", []string{"Content-Encoding: gzip, br"}, Rules},

		{"gzip twice, named once", twice, []string{"Content-Encoding: gzip"}, Unreachable},
		{"gzip twice, not named", twice, nil, Unreachable},
		{"gzip, not named", once, nil, Unreachable},
		{"gzip, named identity", once, []string{"Content-Encoding: identity"}, Unreachable},
		{"identity, then br", disallowAll, []string{"Content-Encoding: identity", "Content-Encoding: br"}, Unreachable},
		{"identity and br in a list", disallowAll, []string{"Content-Encoding: identity, br"}, Unreachable},
		{"gzip, named br too", once, []string{"Content-Encoding: gzip", "Content-Encoding: br"}, Unreachable},
		{"named br, but not compressed", disallowAll, []string{"Content-Encoding: br"}, Unreachable},
		{"br, not named", brotlied(disallowAll), nil, Unreachable},
		{"compress", disallowAll, []string{"Content-Encoding: compress"}, Unreachable},
		{"deflate, not named", deflated(disallowAll + strings.Repeat("Disallow: /some/where\nDisallow: /else\n", 9)), nil, Unreachable},
		{"zlib, not named", zlibbed(disallowAll, 9), nil, Unreachable},
		{"zlib, fast, not named", zlibbed(disallowAll, 1), nil, Unreachable},
		{"a charset", disallowAll, []string{"Content-Encoding: UTF-8"}, Rules},
		{"the word none", disallowAll, []string{"Content-Encoding: none"}, Rules},
		{"the encoding of an upload", disallowAll, []string{"Content-Encoding: aws-chunked"}, Rules},
		{"gzip and the encoding of an upload", once, []string{"Content-Encoding: gzip,aws-chunked"}, Rules},
		{"unknown, with an empty body", "", []string{"Content-Encoding: aws-chunked"}, Rules},
		{"unknown, and not readable", "VXNlci1hZ2VudDogKgpEaXNhbGxvdzogLwo=", []string{"Content-Encoding: base64"}, Unreachable},
		{"unknown, but the body is gzip", once, []string{"Content-Encoding: utf-8"}, Unreachable},
		{"named gzip, but not compressed", disallowAll, []string{"Content-Encoding: gzip"}, Unreachable},
		{"gzip that is cut", once[:len(once)-9], []string{"Content-Encoding: gzip"}, Unreachable},
	} {
		r := answerWith(t, 200, c.body, c.headers...)
		if got := outcomes(r); got != strings.TrimSpace(strings.Repeat(c.want.String()+" ", 5)) {
			t.Errorf("%s: %s, %v, %q", c.name, got, r.Err, r.Body)
		}
		if c.want == Rules && string(r.Body) != disallowAll && c.body != "" {
			t.Errorf("%s: %q", c.name, r.Body)
		}
	}
	// The same from a server that also offers HTTP/2.
	o := serveTLS(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Encoding"] = []string{"gzip", "gzip"}
		io.WriteString(w, once)
	})
	if r := get(t, &Fetcher{}, o); outcomes(r) != allUnreachable || !errors.Is(r.Err, NoRobotsTxt) {
		t.Errorf("HTTP/2, gzip in two headers, compressed once: %s, %v", outcomes(r), r.Err)
	}
	// What is not encoded needs no record.
	if r := answerWith(t, 200, "hello\n", "Content-Encoding: identity"); r.Outcome(nil) != Rules {
		t.Errorf("identity, without a record: %s, %v", r.Outcome(nil), r.Err)
	}
	// Of an error page only the status counts, so its encoding does not matter.
	if r := answerWith(t, 404, "\x0b", "Content-Encoding: br"); r.Outcome(nil) != Unavailable || r.Err != nil {
		t.Errorf("404 in br: %s, %v", r.Outcome(nil), r.Err)
	}
}

// a body that is still compressed, or binary without a readable record, is unreachable.
func TestBinaryBodies(t *testing.T) {
	random := make([]byte, 4<<10)
	source := rand.NewChaCha8([32]byte{1})
	source.Read(random)
	bodies := map[string]string{
		"gzip":           gzipped(disallowAll),
		"zstd":           "\x28\xb5\x2f\xfd\x04\x58some frame",
		"zip":            "PK\x03\x04\x14\x00\x08\x00robots.txt",
		"bzip2":          "BZh91AY&SY\xaa\xbb\xcc",
		"xz":             "\xfd7zXZ\x00\x00\x04\xe6\xd6\xb4\x46",
		"compress":       "\x1f\x9d\x90\x55\xe6\x94",
		"lz4":            "\x04\x22\x4d\x18\x64\x40\xa7",
		"7z":             "7z\xbc\xaf\x27\x1c\x00\x04",
		"rar":            "Rar!\x1a\x07\x01\x00",
		"PDF":            "%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\n",
		"PNG":            "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR",
		"JPEG":           "\xff\xd8\xff\xe0\x00\x10JFIF\x00",
		"GIF":            "GIF89a\x01\x00\x01\x00\x80\x00\x00",
		"ELF":            "\x7fELF\x02\x01\x01\x00",
		"EXE":            "MZ\x90\x00\x03\x00\x00\x00",
		"random":         string(random),
		"a disk's zeros": strings.Repeat("\x00", 100),
		"gzip again":     gzipped(disallowAll),
		"UTF-32":         "\xff\xfe\x00\x00U\x00\x00\x00s\x00\x00\x00",
	}
	for name, body := range bodies {
		for _, contentType := range []string{"text/plain", "text/plain; charset=utf-8", "text/plain; charset=iso-8859-1", "application/octet-stream"} {
			r := answerWith(t, 200, body, "Content-Type: "+contentType)
			if outcomes(r) != allUnreachable || !errors.Is(r.Err, NoRobotsTxt) || r.Body != nil {
				t.Errorf("%s, %s: %s, %v, %q", name, contentType, outcomes(r), r.Err, r.Body)
			}
			if r := answerWith(t, 404, body, "Content-Type: "+contentType); r.Outcome(nil) != Unavailable {
				t.Errorf("%s, 404: %s, %v", name, r.Outcome(nil), r.Err)
			}
		}
	}
	for _, body := range []string{gzipped(disallowAll), string(random)} {
		if r := answerWith(t, 200, body, "Content-Type: text/plain; charset=utf-16"); outcomes(r) != allUnreachable {
			t.Errorf("charset=utf-16: %s, %q", outcomes(r), r.Body)
		}
	}
}

// the error about a compressed body names what compressed it, also where other checks refuse
// the body too.
func TestMagicNumbers(t *testing.T) {
	for magic, kind := range map[string]string{
		"\x28\xb5\x2f\xfd":   "zstd",
		"\xfd7zXZ\x00":       "xz",
		"\x1f\x9d":           "compress",
		"\x04\x22\x4d\x18":   "lz4",
		"BZh":                "bzip2",
		"PK\x03\x04":         "zip",
		"7z\xbc\xaf\x27\x1c": "7z",
		"Rar!\x1a\x07":       "rar",
		"%PDF-":              "PDF",
	} {
		body := []byte(magic + "\nDisallow: /\n")
		if err := checkText(body, body); !errors.Is(err, NoRobotsTxt) || !strings.HasSuffix(err.Error(), kind) {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

// text is read, and so is any body with at least one readable record.
func TestBodiesThatAreRead(t *testing.T) {
	for name, c := range map[string]struct {
		body    string
		allowed bool
	}{
		"nothing":                      {"", true},
		"white space":                  {" \r\n\t\n\v\f", true},
		"a byte-order mark":            {"\xef\xbb\xbf", true},
		"a byte-order mark of UTF-16":  {"\xff\xfe", true},
		"some words":                   {"Hello", true},
		"some words in UTF-16":         {"\xff\xfe" + toUTF16LE("Hello"), true},
		"some words in latin1":         {"Bonjour, \xe9t\xe9", true},
		"a comment with a control":     {"# caf\xc3\xa9 \x07", true},
		"an escape sequence":           {"\x1b[31mHello\x1b[0m", true},
		"comments only":                {"# nothing\n# here\n", true},
		"a long rune at the edge":      {strings.Repeat("\u00e9", 2000), true},
		"an HTML page":                 {"<!DOCTYPE html><title>Hello</title>", true},
		"words before NUL":             {"Sorry, Page Not Found" + strings.Repeat("\x00", 100), true},
		"rules after NUL":              {strings.Repeat("\x00", 512) + "\nUser-agent: *\nDisallow: /\n", false},
		"rules before NUL":             {disallowAll + strings.Repeat("\x00", 512), false},
		"rules between NULs":           {"\x00\x00User-agent: *\x00\n\x00Disallow: /\x00\n", false},
		"rules in binary":              {"\x89PNG\r\n\x1a\n\x00\x00\nUser-agent: *\nDisallow: /\n\xff\xfe\x00", false},
		"rules after the magic of zip": {"PK\x03\x04\nUser-agent: *\nDisallow: /\n", false},
		"one record far in":            {strings.Repeat("\x00\n", 2000) + disallowAll, false},
		"a record of another kind":     {"\x00\x00\nCrawl-delay: 9\n", true},
		"a sitemap":                    {"\x00\x00\nSitemap: https://example.com/s.xml\n", true},
	} {
		r := answerWith(t, 200, c.body)
		if got := outcomes(r); got != "rules rules rules rules rules" {
			t.Errorf("%s: %s, %v", name, got, r.Err)
		}
		if got := r.File(nil).Agent("a").Check("/").Allowed; got != c.allowed {
			t.Errorf("%s: allowed %v, %q", name, got, r.Body)
		}
	}
}

// a charset is ignored if its translation has fewer rules than the bytes as they
// are. The charset may come from the Content-Type or from a byte-order mark.
func TestCharsetsThatLoseRules(t *testing.T) {
	rules := disallowAll + "Sitemap: https://example.com/s\nCrawl-delay: 5\n"
	for _, charset := range []string{"UTF-16", "utf-16le", "utf-16be", "\"utf-16\"", "ucs-2", "unicode", "iso-10646-ucs-2", "utf-7", "utf-32", "gbk", "big5", "shift_jis", "euc-kr", "iso-2022-jp", "hz-gb-2312", "x-user-defined", "ibm866"} {
		for _, body := range []string{rules, rules + "#", disallowAll, "\n" + disallowAll} {
			r := answerWith(t, 200, body, "Content-Type: text/plain; charset="+charset)
			for _, d := range robotstxt.Dialects() {
				if r.Outcome(d) != Rules || r.File(d).Agent("a").Check("http://example.com/").Allowed {
					t.Errorf("%s, %s: %s, %v, %.20q", charset, d, r.Outcome(d), r.Err, r.Body)
				}
			}
		}
	}
	for name, c := range map[string]struct{ body, charset, encoding string }{
		"a mark of UTF-16 before ASCII":        {"\xff\xfe" + rules, "", ""},
		"the other mark before ASCII":          {"\xfe\xff" + rules, "utf-8", ""},
		"UTF-16LE, named utf-16":               {toUTF16LE(rules), "utf-16", "utf-16le"},
		"UTF-16BE, named so":                   {toUTF16BE(rules), "utf-16be", "utf-16be"},
		"UTF-16BE, named utf-16le":             {toUTF16BE(rules), "utf-16le", "utf-16be"},
		"UTF-16BE, named utf-16":               {toUTF16BE(rules), "utf-16", "utf-16be"},
		"UTF-16LE with a mark, named latin1":   {"\xff\xfe" + toUTF16LE(rules), "iso-8859-1", "utf-16le"},
		"UTF-16BE with a mark, named utf-16le": {"\xfe\xff" + toUTF16BE(rules), "utf-16le", "utf-16be"},
		"UTF-16LE, then a line of ASCII":       {"\xff\xfe" + toUTF16LE(rules) + "Disallow: /x\n", "", "utf-16le"},
		"UTF-8 with a mark, named utf-16":      {"\xef\xbb\xbf" + rules, "utf-16", ""},
	} {
		r := answerWith(t, 200, c.body, "Content-Type: text/plain; charset="+c.charset)
		if r.Outcome(nil) != Rules || r.File(nil).Agent("a").Check("/").Allowed || r.Encoding != c.encoding {
			t.Errorf("%s: %s, %v, %.20q from %q", name, r.Outcome(nil), r.Err, r.Body, r.Encoding)
		}
	}
}

// a response with a part of the file, which was not requested, is unreachable.
func TestPartialResponses(t *testing.T) {
	const unavailable = "unavailable unavailable unavailable unavailable unavailable"
	for _, c := range []struct {
		status  int
		headers []string
		want    string
	}{
		{206, []string{"Content-Range: bytes 0-25/9000"}, allUnreachable},
		{206, []string{"Content-Type: multipart/byteranges; boundary=x"}, allUnreachable},
		{206, nil, allUnreachable},
		{200, []string{"Content-Range: bytes 0-25/9000"}, allUnreachable},
		{200, []string{"Content-Range: bytes 0-25/26"}, allUnreachable},
		{203, []string{"Content-Range: bytes 0-25/*"}, allUnreachable},
		{226, []string{"Im: vcdiff"}, allUnreachable},
		{226, nil, allUnreachable},
		{404, []string{"Content-Range: bytes 0-25/9000"}, unavailable},
		{200, []string{"Accept-Ranges: bytes"}, "rules rules rules rules rules"},
		{204, nil, "rules rules rules rules rules"}, // an empty file
		{205, nil, "rules rules rules rules rules"},
	} {
		r := answerWith(t, c.status, disallowAll, c.headers...)
		if got := outcomes(r); got != c.want || errors.Is(r.Err, NoRobotsTxt) != (c.want == allUnreachable) {
			t.Errorf("%d %q: %s, %v", c.status, c.headers, got, r.Err)
		}
	}
}

// no real file with a readable record is unreachable.
func TestCorpusIsRead(t *testing.T) {
	files, withNUL, html, skipped := 0, 0, 0, rand.N(sampled)
	for name, body := range corpus.Files(t, "robots-txt.tar.gz") {
		if skipped++; !portion.Whole() && skipped%sampled != 0 {
			continue
		}
		if !strings.HasSuffix(name, ".txt") {
			continue
		}
		files++
		body = body[:min(len(body), defaultMaxBytes)]
		r := Result{Status: 200}
		err := (&Fetcher{}).readBody(&r, bytes.NewReader(body), http.Header{"Content-Type": {"text/plain"}})
		if bytes.IndexByte(body, 0) >= 0 {
			withNUL++
		}
		if r.Page == HTML {
			html++
		}
		if err == nil {
			continue
		}
		t.Logf("%s, %d bytes, is unreachable: %v: %.40q", name, len(body), err, body)
		for _, d := range robotstxt.Dialects() {
			for g := range robotstxt.Parse(body, d).Groups() {
				t.Errorf("%s, %s: line %d is not read", name, d, g.Agents[0].Line)
			}
		}
	}
	t.Logf("%d files, %d with NUL, %d HTML pages", files, withNUL, html)
	if files == 0 {
		t.Error("the archive holds no files")
	}
}

// No input panics, and no translation has fewer rules than the bytes.
func FuzzToUTF8(f *testing.F) {
	f.Add([]byte(disallowAll), "text/plain; charset=utf-16")
	f.Add([]byte("\xff\xfe"+toUTF16LE(disallowAll)), "text/plain")
	f.Add([]byte("\xfe\xff"+disallowAll), "")
	f.Add([]byte("\x1f\x8b"), "text/html; charset=gbk")
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		text, _ := toUTF8(body, contentType)
		before, after := charset.CountRecords(body), charset.CountRecords(text)
		if bytes.HasPrefix(body, []byte("\xff\xfe")) || bytes.HasPrefix(body, []byte("\xfe\xff")) {
			before = charset.CountRecords(body[2:])
		}
		if before.MoreThan(after) {
			t.Errorf("%q, %q: %v becomes %v", body, contentType, before, after)
		}
		_ = fmt.Sprint(rawbody.NotText(body, text), markup.PageOf(text))
	})
}
