package cache_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// fixedFile answers each request with one robots.txt.
type fixedFile string

func (f fixedFile) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(string(f))), Request: r}, nil
}

// cacheOf returns a Cache for which each site has the same robots.txt.
func cacheOf(t *testing.T, robots string, d *robotstxt.Dialect) *cache.Cache {
	c := &cache.Cache{Dialect: d, Fetcher: &fetch.Fetcher{Transport: fixedFile(robots)}}
	t.Cleanup(func() { c.Close() })
	return c
}

// a live answer allows only what is allowed as it is written and as browsers read it. Its rule,
// and its explanation, are those of the reading that is disallowed.
func TestRequested(t *testing.T) {
	const robots = "User-agent: *\nDisallow: /secret\nDisallow: /a%5Cb\nDisallow: /end$\nDisallow: /*?q=x%5C\nDisallow: /c%09d\n"
	for url, rule := range map[string]int{
		"http://h.example\\secret/x": 2, "http://h.example/se\tcret": 2, "http://h.example/se\r\ncret": 2, "http://h.example/\\..\\x": 0,
		"http://h.example/x\\..\\secret": 0, // dot segments are not resolved
		"http://h.example/a\\b":          3, "http://h.example/a%5Cb": 3, "http://h.example/a/b": 0,
		"http://h.example/end": 4, "http://h.example/end ": 4, "http://h.example/end \x00\n": 4, "http://h.example/end#\\": 4, "http://h.example/end/": 0,
		"http://h.example/?q=x\\": 5, "http://h.example/?q=x/": 0, "http://h.example/c\td": 6, "http://h.example/cd": 0,
		"http://u\\@h.example/secret": -1, "http://h.example/?\\secret": 0, "http://h.example/#\\\t": 0, "/secret": 2, "/\\secret": 0, "/se\ncret": 2,
	} {
		for _, d := range robotstxt.Dialects() {
			if d == robotstxt.Google && rule > 2 && rule != 4 {
				continue // it does not compare these bytes with their escapes
			}
			if d == robotstxt.Draft1996 && strings.Contains(url, "?") || d == robotstxt.Standard1994 || d == robotstxt.Draft1996 && strings.Contains(url, "end") {
				continue // no query there, and no $
			}
			site, err := cacheOf(t, robots, d).Site(context.Background(), originOf("http://h.example/"))
			if err != nil {
				t.Fatal(err)
			}
			a, err := site.Check(agents, url)
			e, _ := site.Explain(agents, url)
			if wrong := a.Allowed != (rule == 0) || rule >= 0 && (err != nil || a.Rule.Line != rule); wrong || a.Allowed != e.Decision.Allowed || a.Rule != e.Decision.Rule || e.Target != url && err == nil {
				t.Errorf("%s, %q: %s, %v, want line %d; explained: %s", d, url, decision(a.Decision), err, rule, decision(e.Decision))
			}
		}
	}
}

// inNode prints for each URL of its input what Node.js requests; null: it is no URL.
const inNode = `
const read = (url) => { try { return new URL(url).href } catch { return null } };
let text = ""; process.stdin.on("data", (d) => text += d);
process.stdin.on("end", () => process.stdout.write(JSON.stringify(JSON.parse(text).map(read))));`

// dotSegment finds "." and ".." in the path of a URL, as browsers see them.
var dotSegment = regexp.MustCompile(`(?i)[/\\\\](\.|%2e)(\.|%2e)?([/\\\\?#]|$)`)

// what is allowed is also allowed as Node.js requests it, which reads URLs as browsers do.
func TestAllowedAsBrowsersRead(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("node is not installed")
		}
		t.Skip("needs node, to read URLs as browsers do")
	}
	const robots = "User-agent: *\nDisallow: /secret\nDisallow: /*/b$\nDisallow: /a%5C\nDisallow: /*?q=/x\nDisallow: /;c\nDisallow: /'\nAllow: /secret/x\n"
	rng := rand.New(rand.NewPCG(24, 24))
	starts := []string{"http://h.example", "https://h.example", "HTTP://H.example:80", "http://u:p@h.example", "http://u\\@h.example", "http://h.example\\", "http://h.example/",
		"http:\\\\h.example", "http:/h.example", "http:h.example", "http:///h.example", "http:\\/h.example", "http://h.example.", "http://h.example:", "http://h.example:0080", "http://h.example:443",
		"http://%68.example", "http://\uff48.example", "http://h\u00ad.example", "http://h\u3002example", "http://0x7f.1", "http://127.0.0.1", "http://2130706433", "http://[::1]", "http://[0::1]:80", "http://[::ffff:7f00:1]",
		"http://u@v@h.example", "http://u:p:q@h.example", "http://u%40@h.example", "http://@h.example", "http://:@h.example", "ftp://h.example", "https://h_.example", "https://xn--mnchen-3ya.example", "https://m\u00fcnchen.example"}
	before := []string{"", " ", "\t", "\x00", "\x1f", "\n", "\u00a0"}
	parts := []string{"/", "\\", "\t", "\n", "\r", " ", "secret", "se", "cret", "a", "b", "x", "?", "q=", "#", "%5C", "%5c", "%09", "%2F", ";", "c", "'", "%27", "@", ":", "\x00", "\x1f", "\x7f", "é", "\u00a0", "\u2028", "\ufeff", "\U0001f600", "|", "^", "\"", "%", "%zz", "%0", "*", "$", "&", "+", ".", "..", "%2e"}
	count := 15_000
	if portion.Whole() {
		count = 100_000
	}
	urls := make([]string, count)
	for i := range urls {
		url := starts[rng.IntN(7)]
		if rng.IntN(4) == 0 {
			url = starts[rng.IntN(len(starts))]
		}
		if rng.IntN(20) == 0 {
			url = before[rng.IntN(len(before))] + url
		}
		for rng.IntN(4) == 0 { // what browsers remove, in the scheme, the user, the host or the port
			at := rng.IntN(len(url) + 1)
			url = url[:at] + []string{"\t", "\n", "\r", "\\", "@", " "}[rng.IntN(6)] + url[at:]
		}
		if rng.IntN(100) > 0 { // the others have another host
			url += []string{"/", "\\", "?", "#"}[rng.IntN(4)]
		}
		for range rng.IntN(9) {
			url += parts[rng.IntN(len(parts))]
		}
		urls[i] = strings.ToValidUTF8(url, "")
	}
	program := exec.Command(node, "-e", inNode)
	question, err := json.Marshal(urls)
	if err != nil {
		t.Fatal(err)
	}
	program.Stdin = bytes.NewReader(question)
	out, err := program.Output()
	var requested []*string
	if err == nil {
		err = json.Unmarshal(out, &requested)
	}
	if err != nil || len(requested) != len(urls) {
		t.Fatalf("%v, %d URLs", err, len(requested))
	}
	for _, d := range robotstxt.Dialects() {
		c, file := cacheOf(t, robots, d), robotstxt.ParseString(robots, d).Agent(agents...)
		allowed, odd := 0, 0
		for i, url := range urls {
			a, err := c.Check(context.Background(), agents, url)
			if err != nil || !a.Allowed || requested[i] == nil || dotSegment.MatchString(strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(strings.TrimRight(url, "\x00\x1f \t\n\r"))) {
				continue
			}
			allowed++
			if strings.ContainsAny(url, "\\\t\n\r") {
				odd++
			}
			if o, err := origin.Parse(*requested[i]); err != nil || o != a.Origin {
				t.Errorf("%s: %q is requested as %q, of another origin: %s", d, url, *requested[i], a.Origin)
			}
			if then := file.Check(*requested[i]); !then.Allowed {
				t.Errorf("%s: %q is allowed (%s), and requested as %q: %s", d, url, decision(a.Decision), *requested[i], decision(then))
			}
		}
		if allowed < 10_000 || odd < 1000 {
			t.Errorf("%s: %d are allowed, %d of them odd", d, allowed, odd)
		}
	}
}
