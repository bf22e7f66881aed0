package robotstxt

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/heed-robots/heed/internal/testing/corpus"
	"github.com/heed-robots/heed/internal/testing/portion"
)

// slowIndex returns the index of a file of which a lineReader reads all lines, as for
// File.Lines.
func slowIndex(body []byte, d *Dialect) []byte {
	var x indexWriter
	w := newLineReader(string(body), d)
	for w.next() {
		c := &w.content
		w.entry(&x, c.kind, c.keyStart, c.valueStart, c.valueEnd)
	}
	return x.index
}

func comparePlain(t *testing.T, body []byte, d *Dialect) {
	t.Helper()
	if got, want := Parse(body, d).index, slowIndex(body, d); !bytes.Equal(got, want) {
		t.Fatalf("%s: Parse does not read the same as Lines:\n got %v\nwant %v\nin %.300q", d, got, want, body)
	}
}

// plainLine reads plain lines.
func TestPlainLines(t *testing.T) {
	const behind = "User-agent: a" // plainLine needs some bytes behind the line
	for text, want := range map[string]struct {
		kind  Kind
		value string
	}{
		"":                                       {KindBlank, ""},
		"# Disallow: /x":                         {KindComment, ""},
		"#":                                      {KindComment, ""},
		"Disallow: /x":                           {KindDisallow, "/x"},
		"dISALLOW:/x":                            {KindDisallow, "/x"},
		"Disallow:":                              {KindDisallow, ""},
		"Disallow: ":                             {KindDisallow, ""},
		"Allow: /*?x=\u00e9$":                    {KindAllow, "/*?x=\u00e9$"},
		"USER-Agent: *":                          {KindUserAgent, "*"},
		"sitemap: https://a.b/c:d":               {KindSitemap, "https://a.b/c:d"},
		"Disallow: /" + strings.Repeat("x", 100): {KindDisallow, "/" + strings.Repeat("x", 100)},
	} {
		for _, end := range []string{"\n", "\r", "\r\n"} {
			body := text + end + behind
			kind, value, valueEnd := RFC9309.plainLine(body, 0)
			if kind != want.kind || body[value:valueEnd] != want.value || valueEnd != len(text) {
				t.Errorf("%q is a %s with the value %q that ends at %d", text+end, kind, body[value:valueEnd], valueEnd)
			}
		}
	}
}

// almostPlain are lines with one thing that plain lines do not have, and some plain ones.
var almostPlain = []string{
	":", ":/x", ": /x", " ", "\t", " #", "\x00", "\x7f", "a", "a:", "Disallow", "Disallow :/x", " Disallow: /x", "Disallow:  /x", "Disallow:\t/x",
	"Disallow: /x ", "Disallow: /x\t", "Disallow: /x#y", "Disallow: #y", "Disallow: /x\x00y", "Disallow: /x\x7f", "Disallow: \x7f", "Disallow: \x7f/x",
	"Disallow: /\x7fx", "Disallow: /!x", "Disallow: /\"x\"", "Disallow:\x0b/x", "Disallow /x", "Disallow /x y", "Disallow;: /x", "Disalloww: /x", "disallaw: /x",
	"Allow", "Allow /x", "Allow:/ x", "Allowed: /x", "\xc1llow: /x", "User-agent", "User-agent a", "User\x0dagent: a", "User-agen: a", "Useragent: a",
	"User agent: a", "User-agent:a b", "User-agents: a", "User-ageNT: a", "User-agexy: a", "User-agext: a", "User-agenx: a", "User-agent; a", "User-age\x4e\x14: a", "Sitemap", "Sitemaps: x", "Sitemap:", "Site-map: x", "Sitema\xf0: x", "Crawl-delay: 1",
	"\xef\xbb\xbfDisallow: /x", "\xef\xbb\xbf", "Disallow\x1a /x", "Disallow: /" + strings.Repeat("x", 127), "Disallow: /" + strings.Repeat("x", 40) + "#",
	"#" + strings.Repeat("x", googleLineLimit-1), "#" + strings.Repeat("x", googleLineLimit), "Disallow:" + strings.Repeat("x", googleLineLimit-len("Disallow:")),
	"Disallow:" + strings.Repeat("x", googleLineLimit), strings.Repeat("\n", 40), strings.Repeat("\r", 40) + "\n\n\r",
}

// Parse reads plain lines, and almost plain ones, as Lines does.
func TestPlainLinesAreAsLinesShows(t *testing.T) {
	for _, d := range Dialects() {
		for _, text := range almostPlain {
			for _, end := range []string{"\n", "\r", "\r\n", "\n\r"} {
				comparePlain(t, []byte(text+end), d)
				comparePlain(t, []byte("User-agent: b"+end+text+end+"Disallow: /y"+end+"user-agent: c"+end), d)
				comparePlain(t, []byte(text+end+text+end+"Disallow: /y"), d)
			}
		}
	}
}

const everyone = "user-agent: *\n"

// Parse reads plain lines as Lines does, also if the limit cuts a line or a line end.
func TestPlainLinesEndAtTheLimit(t *testing.T) {
	portion.Skip(t, 4)
	for _, line := range []string{"Disallow: /x\n", "Sitemap: /x\r\n", "# x\n", "\n\n\n\n"} {
		for past := range 2 * len(line) {
			pad := strings.Repeat("#", minLimit+past-len(everyone)-len("\n")-len(line))
			for _, d := range Dialects() {
				comparePlain(t, []byte(everyone+pad+"\n"+line+line+line), d)
			}
		}
	}
}

// Parse reads real files as Lines does.
func TestCorpusIsReadAsLinesShows(t *testing.T) {
	t.Parallel()
	for _, body := range corpus.Files(t, "robots-txt.tar.gz") {
		if !portion.Of(10) {
			continue
		}
		for _, d := range Dialects() {
			comparePlain(t, body, d)
		}
	}
}

// FuzzPlain: Parse reads any bytes, also mixed with almost plain lines, as Lines does.
func FuzzPlain(f *testing.F) {
	for i, body := range seedFiles {
		f.Add([]byte(body), uint16(i), uint16(i))
	}
	f.Fuzz(func(t *testing.T, body []byte, first, second uint16) {
		some := func(i uint16) string { return almostPlain[int(i)%len(almostPlain)] }
		mixed := fmt.Sprintf("%s%s\nUser-agent: a\n%s%s\r\n", body, some(first), some(second), body)
		for _, d := range Dialects() {
			comparePlain(t, body, d)
			comparePlain(t, []byte(mixed), d)
		}
	})
}

// Parse makes four allocations: the File, its body, its index and its agent lines.
func TestParseAllocates(t *testing.T) {
	if raceDetector {
		t.Skip("under the race detector, pools drop values at random")
	}
	body := []byte(everyone + strings.Repeat("Disallow: /folder\n", 25_000))
	for _, size := range []int{100, 3000, len(body)} {
		if got := testing.AllocsPerRun(10, func() { Parse(body[:size], nil) }); got > 4 {
			t.Errorf("%d bytes: %v allocations", size, got)
		}
	}
	if Parse([]byte("# nothing\n"), nil).index != nil {
		t.Error("an empty index keeps a buffer of the pool")
	}
}
