package sitemap_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/heed-robots/heed/internal/sitemap"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/origin"
)

const ns = ` xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"`

// read returns what ReadWithin yields, each entry as show writes it.
func read(in io.Reader, l sitemap.Limits) (got []string) {
	for e, err := range sitemap.ReadWithin(in, "s", l) {
		got = append(got, show(e, err))
	}
	return got
}

// show returns "file:line URL index", or the text of an error.
func show(e sitemap.Entry, err error) string {
	if err != nil {
		return err.Error()
	}
	s := fmt.Sprintf("%s:%d %s", e.File, e.Line, e.URL)
	if e.Index {
		s += " index"
	}
	return s
}

// expect checks that each text of got begins with that of want.
func expect(t *testing.T, about string, got, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d entries and errors, want %d: %q", about, len(got), len(want), got)
		return
	}
	for i := range want {
		if !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("%s:\n got %s\nwant %s", about, got[i], want[i])
		}
	}
}

func packed(s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, s)
	w.Close()
	return b.String()
}

func utf16le(s string) string {
	var b strings.Builder
	b.WriteString("\xff\xfe")
	for _, r := range s {
		b.WriteByte(byte(r))
		b.WriteByte(byte(r >> 8))
	}
	return b.String()
}

// Every form of a sitemap can be read: plain, compressed, and byte by byte.
func TestForms(t *testing.T) {
	const urlset = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset" + ns + ">\n" +
		"<url><loc> https://a.example/x?a=1&amp;b=2 </loc><lastmod>2026-05-03</lastmod></url>\n" +
		"<url>\n<changefreq>daily</changefreq>\n<loc><![CDATA[https://a.example/y]]></loc></url></urlset>\n"
	urls := []string{"s:3 https://a.example/x?a=1&b=2", "s:6 https://a.example/y"}
	for about, c := range map[string]struct {
		body string
		want []string
	}{
		"urlset":       {urlset, urls},
		"no namespace": {strings.Replace(urlset, ns, "", 1), urls},
		"a prefix": {`<s:urlset xmlns:s="x"><s:url><s:loc>https://a.example/</s:loc></s:url></s:urlset>`,
			[]string{"s:1 https://a.example/"}},
		"mark of UTF-8": {"\ufeff" + urlset, urls},
		"UTF-16":        {utf16le(strings.Replace(urlset, "UTF-8", "UTF-16", 1)), urls},
		"ISO-8859-1": {`<?xml version="1.0" encoding="ISO-8859-1"?><urlset><url><loc>https://a.example/` + "\xe9" + `</loc></url></urlset>`,
			[]string{"s:1 https://a.example/\u00e9"}},
		"extensions": {`<urlset` + ns + ` xmlns:image="i" xmlns:xhtml="h"><url><image:image><image:loc>https://i.example/1.png</image:loc><loc>https://i.example/2</loc></image:image>` +
			`<image:loc>https://i.example/3</image:loc><xhtml:link rel="alternate" href="https://a.example/de"/><loc>https://a.example/</loc></url></urlset>`,
			[]string{"s:1 https://a.example/"}},
		"index": {`<sitemapindex` + ns + `><sitemap><loc>https://a.example/1.xml.gz</loc><lastmod>2026</lastmod></sitemap></sitemapindex>`,
			[]string{"s:1 https://a.example/1.xml.gz index"}},
		"text": {"\ufeffhttps://a.example/\r\n\r\n  ftp://a.example/f\nhttps://b\u00fccher.example", []string{"s:1 https://a.example/", "s:3 ftp://a.example/f", "s:4 https://b\u00fccher.example"}},
		"RSS": {`<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><link>https://a.example/</link><atom:link href="https://a.example/self"/>` +
			`<item><title>x</title><link>https://a.example/1</link><pubDate>Sun, 03 May 2026 14:00:00 GMT</pubDate></item><item><title>none</title></item></channel></rss>`,
			[]string{"s:1 https://a.example/1"}},
		"Atom": {`<feed xmlns="http://www.w3.org/2005/Atom"><link href="https://a.example/self"/>` +
			`<entry><link rel="edit" href="https://a.example/edit"/><link href="https://a.example/1"/><link rel="alternate" href="https://a.example/1de"/><updated>2026-05-03T14:00:00Z</updated></entry></feed>`,
			[]string{"s:1 https://a.example/1"}},
		"empty urlset": {`<urlset/>`, nil},
		"empty":        {"", nil},
	} {
		expect(t, about, read(strings.NewReader(c.body), sitemap.Limits{}), c.want)
		expect(t, about+", gzip", read(strings.NewReader(packed(c.body)), sitemap.Limits{}), c.want)
		expect(t, about+", byte by byte", read(iotest.OneByteReader(strings.NewReader(c.body)), sitemap.Limits{}), c.want)
	}
}

// A wrong entry yields an error, and the others are still yielded.
func TestWrongEntries(t *testing.T) {
	long := "https://a.example/" + strings.Repeat("x", 3000)
	expect(t, "urlset", read(strings.NewReader("<urlset>\n<url><loc>/path</loc></url>\n<url><lastmod>2026</lastmod></url>\n"+
		"<url><loc>mailto:x@y.example</loc></url>\n<url><loc>https://a.example/1</loc>\n<loc>https://a.example/2</loc></url>\n<url><loc>"+long+"</loc></url>\n"+
		"<url><loc></loc></url>\n<url><loc>https://a.example/</loc></url></urlset>"), sitemap.Limits{}), []string{
		`s:2: URL "/path": expected an absolute URL`,
		"s:3: the sitemap has a <url> without a <loc>; expected one",
		`s:4: URL "mailto:x@y.example": expected an absolute URL`,
		"s:6: the sitemap has a second <loc> in one <url>; expected one",
		"s:5 https://a.example/1",
		`s:7: heed does not read all of the sitemap, because it exceeds a limit: the URL has 3018 bytes, and must have fewer than 2048: "https://a.example/xxx`,
		`s:8: URL "": expected an absolute URL`,
		"s:9 https://a.example/",
	})
	expect(t, "text", read(strings.NewReader("https://a.example/1\nAddress,Status\nhttps://a.example/2\n"), sitemap.Limits{}), []string{
		"s:1 https://a.example/1", `s:2: URL "Address,Status": expected an absolute URL`, "s:3 https://a.example/2",
	})
}

// A file that is no sitemap, or a broken one, yields the entries before the error, then the
// error with its line.
func TestWrongFiles(t *testing.T) {
	const begin, one = "<urlset>\n<url><loc>https://a.example/</loc></url>\n", "s:2 https://a.example/"
	broken := packed("https://a.example/\n")
	for body, want := range map[string][]string{
		begin + "<url>": {one, "s:3: the sitemap is not correct XML: unexpected EOF"},
		begin + "<url><loc>https://a.example/?a=1&b=2</loc></url></urlset>": {one, "s:3: the sitemap is not correct XML: invalid character entity &b (no semicolon); only &amp; &lt;"},
		begin + "</url>": {one, "s:3: the sitemap is not correct XML: element <urlset> closed by </url>"},
		begin + "<url><loc>https://a.example/\xff</loc>":   {one, "s:3: the sitemap is not correct XML: invalid UTF-8"},
		"<!DOCTYPE html>\n<title>x</title>":                {"s:1: the file is an HTML page; expected a sitemap"},
		"\n<html><body>":                                   {"s:2: the file is an HTML page; expected a sitemap"},
		"<kml>":                                            {"s:1: the root element of the sitemap is <kml>; expected <urlset>"},
		`<?xml version="1.0" encoding="x-none"?><urlset/>`: {`s:1: xml: opening charset "x-none": the encoding "x-none" of the sitemap is unknown; expected UTF-8`},
		"https://a.example/\n%PDF-1.7\x00\n":               {"s:1 https://a.example/", "s:2: the file is not a sitemap; expected XML, or a text with one URL in each line"},
		"\x1f\x8b\x08":                                     {"s: the file cannot be decompressed with gzip, so get it again: unexpected EOF"},
		broken[:len(broken)-9]:                             {"s:1 https://a.example/", "s:2: the sitemap ends too early, so get it again: unexpected EOF"},
	} {
		got := read(strings.NewReader(body), sitemap.Limits{})
		expect(t, fmt.Sprintf("%.60q", body), got, want)
	}
	failing := errors.New("connection reset")
	expect(t, "failing", read(iotest.ErrReader(failing), sitemap.Limits{}), []string{"s:1: connection reset"})
}

// Hostile files end at a limit, and no XML entity is expanded.
func TestHostile(t *testing.T) {
	portion.Skip(t, 3)
	laughs := `<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]><urlset><url><loc>https://a.example/&b;</loc></url></urlset>`
	external := `<!DOCTYPE u [<!ENTITY x SYSTEM "file:///etc/passwd">]><urlset><url><loc>https://a.example/&x;</loc></url></urlset>`
	big := strings.Repeat("x", 2<<20)
	for about, c := range map[string]struct{ body, want string }{
		"billion laughs":    {laughs, "s:1: the file has a document type declaration"},
		"external entity":   {external, "s:1: the file has a document type declaration"},
		"unknown entity":    {"<urlset><url><loc>https://a.example/&x;</loc></url></urlset>", "s:1: the sitemap is not correct XML: invalid character entity &x;"},
		"deep":              {"<urlset>" + strings.Repeat("<a>", 1e5), "s:1: heed does not read all of the sitemap, because it exceeds a limit: XML elements are nested more than 32 levels deep"},
		"a large attribute": {`<urlset x="` + big + `">`, "s:1: heed does not read all of the sitemap, because it exceeds a limit: more than 1048576 bytes in one tag"},
		"a large text":      {"<urlset><url><loc>" + big, "s:1: heed does not read all of the sitemap, because it exceeds a limit: more than 1048576 bytes in one tag"},
		"a text in parts":   {"<urlset><url><loc>" + strings.Repeat("<!---->"+big[:1<<19], 9), "s:1: heed does not read all of the sitemap, because it exceeds a limit: more than 1048576 bytes in one text"},
		"a large comment":   {"<urlset><!--" + big, "s:1: heed does not read all of the sitemap, because it exceeds a limit: more than 1048576 bytes in one tag"},
		"a large DTD":       {"<!DOCTYPE x [" + big, "s:1: heed does not read all of the sitemap, because it exceeds a limit: more than 1048576 bytes in one tag"},
		"a large name":      {"<" + big, "s:1: heed does not read all of the sitemap, because it exceeds a limit: more than 1048576 bytes in one tag"},
		"a large charset":   {`<?xml version="1.0" encoding="windows-1252"?><urlset x="` + big + `">`, "s:1: heed does not read all of the sitemap, because it exceeds a limit: more than 1048576 bytes in one tag"},
		"a long line":       {"https://a.example/" + big, "s:1: heed does not read all of the sitemap, because it exceeds a limit: a line of more than 1048576 bytes"},
		"very many spaces":  {strings.Repeat(" ", 60<<20), "s:1: heed does not read all of the sitemap, because it exceeds a limit: a line of more than 1048576 bytes"},
		"a bomb":            {packed(strings.Repeat("\n", 60<<20)), "s:52428801: heed does not read all of the sitemap, because it exceeds a limit: more than 52428800 bytes in one file, after decompression"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got := read(strings.NewReader(c.body), sitemap.Limits{})
		runtime.ReadMemStats(&after)
		expect(t, about, got, []string{c.want})
		if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 16<<20 {
			t.Errorf("%s: %d bytes are allocated", about, allocated)
		}
	}
}

// Exceeding a limit is an error after the entries before it; reaching it is none.
func TestLimits(t *testing.T) {
	list := strings.Repeat("https://a.example/\n", 5)
	if got := read(strings.NewReader(list), sitemap.Limits{Entries: 5, Bytes: int64(len(list))}); len(got) != 5 {
		t.Errorf("%q", got)
	}
	got := read(strings.NewReader(list), sitemap.Limits{Entries: 4})
	expect(t, "entries", got[4:], []string{"s:5: heed does not read all of the sitemap, because it exceeds a limit: more than 4 URLs in one file; split it"})
	got = read(strings.NewReader(list), sitemap.Limits{Bytes: int64(len(list)) - 1})
	expect(t, "bytes", got[len(got)-1:], []string{"s:6: heed does not read all of the sitemap, because it exceeds a limit: more than 94 bytes in one file"})
	for _, err := range sitemap.ReadWithin(strings.NewReader(list), "s", sitemap.Limits{Entries: 1}) {
		if err != nil && !errors.Is(err, sitemap.ErrLimit) {
			t.Errorf("%v does not wrap ErrLimit", err)
		}
	}
	full := strings.Repeat("https://a.example/\n", 50_000)
	if got := read(strings.NewReader(full), sitemap.Limits{}); len(got) != 50_000 {
		t.Errorf("%d of 50,000 URLs are read", len(got))
	}
	got = read(strings.NewReader(full+"https://a.example/more\n"), sitemap.Limits{})
	expect(t, "50,001", got[50_000:], []string{"s:50001: heed does not read all of the sitemap, because it exceeds a limit: more than 50000 URLs in one file"})
}

// site contains files by name.
type site map[string]string

func (s site) open(name string) (io.ReadCloser, error) {
	body, ok := s[name]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return io.NopCloser(strings.NewReader(body)), nil
}

func index(urls ...string) string {
	return "<sitemapindex>\n<sitemap><loc>" + strings.Join(urls, "</loc></sitemap>\n<sitemap><loc>") + "</loc></sitemap></sitemapindex>"
}

func all(s site, l sitemap.Limits) (got []string) {
	for e, err := range sitemap.AllWithin(s.open, "top", l) {
		got = append(got, show(e, err))
	}
	return got
}

// All reads each sitemap of an index once. A missing or wrong one yields an error, and the
// others follow.
func TestIndex(t *testing.T) {
	const a = "https://a.example/"
	s := site{
		"top":   index(a+"1", a+"2", a+"none", a+"3", a+"1", a+"top"),
		a + "1": a + "x\n",
		a + "2": "<kml>",
		a + "3": packed(index(a+"4", a+"3")),
		a + "4": a + "y\n/z\n",
		// The same index by its URL.
		a + "top": index(a + "1"),
	}
	expect(t, "index", all(s, sitemap.Limits{}), []string{
		a + "1:1 " + a + "x",
		a + "2:1: the root element of the sitemap is <kml>",
		`top:4: heed cannot open the sitemap "https://a.example/none": file does not exist`,
		a + "4:1 " + a + "y",
		a + `4:2: URL "/z"`,
	})
	expect(t, "missing", all(site{}, sitemap.Limits{}), []string{"top: file does not exist"})
	for range sitemap.All(s.open, "top") {
		break // All must not call yield again
	}
}

// All limits the nesting of indexes, the number of files, and the URLs in all files together.
func TestIndexLimits(t *testing.T) {
	const a = "https://a.example/"
	s := site{"top": index(a + "1"), a + "1": index(a + "2"), a + "2": index(a + "3"), a + "3": index(a + "4"), a + "4": a + "x\n" + a + "y\n"}
	expect(t, "nesting", all(s, sitemap.Limits{}), []string{a + "3:2: heed does not read all of the sitemap, because it exceeds a limit: sitemap indexes are nested more than 3 levels deep"})
	expect(t, "files", all(s, sitemap.Limits{Nesting: 9, Files: 4}), []string{a + "3:2: heed does not read all of the sitemap, because it exceeds a limit: more than 4 files"})
	expect(t, "total", all(s, sitemap.Limits{Nesting: 9, Total: 1}), []string{a + "4:1 " + a + "x", a + "4:2: heed does not read all of the sitemap, because it exceeds a limit: more than 1 URLs in all"})
	expect(t, "none", all(s, sitemap.Limits{Nesting: 4, Files: 5, Total: 2}), []string{a + "4:1 " + a + "x", a + "4:2 " + a + "y"})
}

func ExampleAll() {
	files := site{
		"sitemap.xml":                index("https://shop.example/1.txt"),
		"https://shop.example/1.txt": "https://shop.example/products\nhttps://shop.example/about\n",
	}
	for entry, err := range sitemap.All(files.open, "sitemap.xml") {
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(entry.URL)
	}
	// Output:
	// https://shop.example/products
	// https://shop.example/about
}

// Reading ends for all input. Every entry has a URL with an origin; every entry and error
// has a file.
func FuzzRead(f *testing.F) {
	for _, body := range []string{
		"<urlset" + ns + "><url><loc>https://a.example/</loc><lastmod>2026</lastmod></url></urlset>",
		index("https://a.example/1"), packed("https://a.example/"), utf16le("<urlset/>"), "<!DOCTYPE x [<!ENTITY a 'b'>]><urlset>&a;",
		`<feed><entry><link href="https://a.example/"/></entry></feed>`, "<rss><channel><item><link>x</link></item></channel></rss>",
		`<?xml version="1.0" encoding="ISO-8859-1"?><urlset><url><loc>` + "\xe9", "https://a.example/\nx\n",
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		limits := sitemap.Limits{Entries: 100, Bytes: 1 << 20}
		count := 0
		for e, err := range sitemap.ReadWithin(bytes.NewReader(body), "s", limits) {
			count++
			var where *sitemap.Error
			if err != nil {
				if !errors.As(err, &where) || where.File != "s" || e != (sitemap.Entry{}) {
					t.Fatalf("%v, %+v", err, e)
				}
				continue
			}
			if _, err := origin.Parse(e.URL); err != nil || e.File != "s" || e.Line < 1 {
				t.Fatalf("%+v: %v", e, err)
			}
		}
		if count > limits.Entries+1 {
			t.Fatalf("%d entries and errors", count)
		}
	})
}
