package capture_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/bulk/capture"
	"github.com/heed-robots/heed/internal/redirect"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

func originOf(t testing.TB, url string) origin.Origin {
	t.Helper()
	o, err := origin.Parse(url)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

var rfc = fetch.StatusesOf(robotstxt.RFC9309)

// day returns a day of January 2026; 0 is the zero time.
func day(n int) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Date(2026, 1, n, 0, 0, 0, 0, time.UTC)
}

func TestKey(t *testing.T) {
	for url, want := range map[string]string{
		"https://a.example/robots.txt":         "https://a.example/robots.txt",
		"HTTPS://User@A.Example.:443/Robots#x": "https://a.example/Robots",
		"http://a.example":                     "http://a.example/",
		"http://a.example?x=1#y":               "http://a.example/?x=1",
		"http://a.example#/y":                  "http://a.example/",
		`http://a.example\robots.txt`:          "http://a.example/robots.txt",
		"http://a.example:8080/a?b=http://c/d": "http://a.example:8080/a?b=http://c/d",
		"ftp://例え.example/é b%c3%A9|\xff":      "ftp://xn--r8jz45g.example/%C3%A9%20b%c3%A9%7C%FF",
		"http://[::0001]/":                     "http://[::1]/",
		"http://a.example/a b":                 "http://a.example/a%20b",
		"http://a.example/\u0080":              "http://a.example/%C2%80",
		"http://a.example/!~":                  "http://a.example/!~",
		"http://a.example/a|b":                 "http://a.example/a%7Cb",
		"http://a.example/\"!<>\\^`{|}":        "http://a.example/%22!%3C%3E%5C%5E%60%7B%7C%7D",
		"http://a.example/é~\x7f":              "http://a.example/%C3%A9~%7F",
		"http://a.example/" + long(2<<10-17):   "http://a.example/" + long(2<<10-17),
		"http://a.example/" + long(2<<10-17+1): "",
		"a.example/robots.txt":                 "",
		"mailto:a@a.example":                   "",
		"http://a b/":                          "",
	} {
		key, err := capture.Key(url)
		if key != want || (err == nil) != (want != "") {
			t.Errorf("%.60q: %.60q, %v; want %.60q", url, key, err, want)
		}
		if again, err := capture.Key(key); want != "" && (again != key || err != nil) {
			t.Errorf("%.60q: again %.60q, %v", url, again, err)
		}
	}
	for url, want := range map[string]string{
		"https://www.example.com/x": "//www.example.com/robots.txt", "http://a.example:8080": "//a.example:8080/robots.txt", "ftp://a.example:21": "//a.example/robots.txt",
	} {
		if got := capture.OfHost(originOf(t, url).Authority()); got != want {
			t.Errorf("%s: %s, want %s", url, got, want)
		}
	}
}

func long(n int) string { return strings.Repeat("a", n) }

// setOf returns a Set with captures that are written "URL DAY STATUS TEXT"; the text of a redirect
// is its target, and that of a revisit is its original, with "#DAY". The Order is that of the list.
func setOf(t testing.TB, captures ...string) *capture.Set {
	t.Helper()
	var set capture.Set
	for i, text := range captures {
		c := captureOf(t, text)
		c.Order = int64(i)
		set.Add(&c)
	}
	set.Seal()
	return &set
}

func captureOf(t testing.TB, text string) (c capture.Capture) {
	t.Helper()
	var n int
	if _, err := fmt.Sscan(text, &c.URL, &n, &c.Status, &c.Body); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	c.At = day(n)
	if redirect.Is(c.Status) {
		c.Location, c.Body = strings.Replace(c.Body, "none", "", 1), ""
	}
	if key, text, ok := strings.Cut(c.Body, "#"); ok {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		c.Location, c.Body = capture.RevisitOf(key, day(n)), ""
	}
	return c
}

// found returns what archives say about an origin, in the form of setOf.
func found(t testing.TB, a capture.Archives, url string, asOf int) string {
	t.Helper()
	answer, err := a.Find(originOf(t, url), day(asOf), rfc)
	if err != nil {
		t.Fatal(err)
	}
	if answer.In == nil {
		return "nothing"
	}
	body, err := answer.In.Body(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	at := 0
	if !answer.At.IsZero() {
		at = answer.At.Day()
	}
	return strings.Join(strings.Fields(fmt.Sprint(at, " ", answer.Status, " ", body, " ", answer.Missed)), " ")
}

// The last capture holds, or the last one at a time; redirects are followed with the last captures
// then, or with the first ones after that time.
func TestFind(t *testing.T) {
	const a, b = "http://a.example/robots.txt", "https://b.example/robots.txt"
	chain := func(n int) (all []string) {
		for i := range n {
			all = append(all, fmt.Sprintf("http://a.example/%d 1 302 http://a.example/%d", i, i+1))
		}
		return append(all, a+" 1 301 http://a.example/0", fmt.Sprintf("http://a.example/%d 1 200 end", n))
	}
	revisits := []string{a + " 1 200 x"}
	for n := 2; n <= 20; n++ {
		revisits = append(revisits, fmt.Sprintf("%s %d 304 %s#%d", a, n, a, n-1))
	}
	for _, c := range []struct {
		name     string
		archives []capture.Archive
		asOf     int
		want     string
	}{
		{"none", nil, 0, "nothing"},
		{"another origin", []capture.Archive{setOf(t, b+" 1 200 x")}, 0, "nothing"},
		{"another scheme", []capture.Archive{setOf(t, "https://a.example/robots.txt 1 200 x")}, 0, "nothing"},
		{"the last", []capture.Archive{setOf(t, a+" 3 200 new", a+" 1 200 old")}, 0, "3 200 new"},
		{"the last at a time", []capture.Archive{setOf(t, a+" 3 200 new", a+" 1 200 old")}, 2, "1 200 old"},
		{"at its own time", []capture.Archive{setOf(t, a+" 3 200 new", a+" 1 200 old")}, 3, "3 200 new"},
		{"none at a time", []capture.Archive{setOf(t, a+" 3 200 new")}, 2, "nothing"},
		{"without time", []capture.Archive{setOf(t, a+" 0 200 x")}, 2, "0 200 x"},
		{"without time and with one", []capture.Archive{setOf(t, a+" 0 200 x", a+" 1 200 y")}, 0, "1 200 y"},
		{"the later time, not archive", []capture.Archive{setOf(t, a+" 2 200 x"), setOf(t, a+" 1 200 y")}, 0, "2 200 x"},

		{"a folder", []capture.Archive{setOf(t, "//a.example/robots.txt 0 200 x")}, 0, "0 200 x"},
		{"the origin before a folder", []capture.Archive{setOf(t, a+" 1 200 y", "//a.example/robots.txt 0 200 x")}, 0, "1 200 y"},
		{"a folder, where the origin has none yet", []capture.Archive{setOf(t, a+" 3 200 y", "//a.example/robots.txt 0 200 x")}, 2, "0 200 x"},

		{"a redirect into another archive", []capture.Archive{setOf(t, a+" 1 301 "+b), setOf(t, b+" 1 200 x")}, 0, "1 200 x"},
		{"a redirect without target", []capture.Archive{setOf(t, a+" 1 301 "+b)}, 0, "1 301 " + b},
		{"two redirects, the second without target", []capture.Archive{setOf(t, a+" 1 301 "+b, b+" 1 302 http://c.example/")}, 0, "1 302 http://c.example/"},
		{"a redirect that is wrong", []capture.Archive{setOf(t, a+" 1 301 none")}, 0, "1 301"},
		{"the last target", []capture.Archive{setOf(t, a+" 5 301 "+b, b+" 7 200 y", b+" 4 200 x")}, 0, "5 200 y"},
		{"the last target at a time", []capture.Archive{setOf(t, a+" 5 301 "+b, b+" 4 200 x", b+" 6 200 y", b+" 7 200 z")}, 6, "5 200 y"},
		{"the last target before the redirect", []capture.Archive{setOf(t, a+" 5 301 "+b, b+" 4 200 x", b+" 7 200 y")}, 6, "5 200 x"},
		{"the first target after the time", []capture.Archive{setOf(t, a+" 5 301 "+b, b+" 7 200 z", b+" 6 200 y")}, 5, "5 200 y"},
		{"the last target of two archives", []capture.Archive{setOf(t, a+" 5 301 "+b, b+" 7 200 y"), setOf(t, b+" 6 200 z")}, 0, "5 200 y"},
		{"a target before the time, in a later archive", []capture.Archive{setOf(t, a+" 5 301 "+b, b+" 7 200 y"), setOf(t, b+" 4 200 x")}, 6, "5 200 x"},
		{"each hop at the time", []capture.Archive{setOf(t, a+" 5 301 "+b, b+" 9 301 http://c.example/", "http://c.example/ 6 200 x", "http://c.example/ 9 200 y")}, 8, "5 200 x"},
		{"a redirect without time", []capture.Archive{setOf(t, a+" 0 301 "+b, b+" 4 200 x", b+" 7 200 y")}, 0, "0 200 y"},
		{"a loop", []capture.Archive{setOf(t, a+" 1 301 "+b, b+" 1 302 "+a)}, 0, "1 302"},
		{"ten redirects", []capture.Archive{setOf(t, chain(9)...)}, 0, "1 200 end"},
		{"twelve redirects", []capture.Archive{setOf(t, chain(11)...)}, 0, "1 302"},

		{"a revisit of an older capture than the last", []capture.Archive{setOf(t, a+" 1 200 x", a+" 2 200 y", a+" 3 200 "+a+"#1")}, 0, "3 200 x"},
		{"a revisit into another archive", []capture.Archive{setOf(t, a+" 3 304 "+b+"#1"), setOf(t, b+" 1 200 x", b+" 2 200 y")}, 0, "3 200 x"},
		{"not modified since a redirect", []capture.Archive{setOf(t, a+" 1 301 "+b, a+" 3 304 "+a+"#1", b+" 1 200 x")}, 0, "3 200 x"},
		{"a redirect to a revisit", []capture.Archive{setOf(t, a+" 3 301 "+b, b+" 3 0 "+b+"#1", b+" 1 200 x", b+" 2 200 y")}, 0, "3 200 x"},
		{"a revisit of a revisit", []capture.Archive{setOf(t, a+" 1 200 x", a+" 2 304 "+a+"#1", a+" 3 200 "+a+"#2")}, 0, "3 200 x"},
		{"a revisit of the same time", []capture.Archive{setOf(t, a+" 1 200 x", a+" 1 200 "+a+"#1")}, 0, "1 200 x"},
		{"a revisit without its original", []capture.Archive{setOf(t, a+" 2 200 y", a+" 3 200 "+a+"#1")}, 0, "3 200 " + capture.RevisitOf(a, day(1))},
		{"a revisit of a page with another status", []capture.Archive{setOf(t, a+" 1 404 x", a+" 3 200 "+a+"#1")}, 0, "3 200 " + capture.RevisitOf(a, day(1))},
		{"a revisit through another, of a page with another status", []capture.Archive{setOf(t, a+" 1 404 x", a+" 2 304 "+a+"#1", a+" 3 200 "+a+"#2")}, 0, "3 200 " + capture.RevisitOf(a, day(1))},
		{"a revisit of a later capture", []capture.Archive{setOf(t, a+" 1 200 y", a+" 3 200 "+a+"#5", a+" 5 200 x")}, 4, "3 200 " + capture.RevisitOf(a, day(5))},
		{"a revisit of a stricter capture than the other one", []capture.Archive{setOf(t, a+" 1 200 x", a+" 3 404 y", a+" 3 200 "+a+"#1")}, 0, "3 200 x"},
		{"a revisit of a less strict capture than the other one", []capture.Archive{setOf(t, a+" 1 404 x", a+" 3 200 y", a+" 3 304 "+a+"#1")}, 0, "3 200 y"},
		{"two revisits of one time", []capture.Archive{setOf(t, a+" 1 200 x", a+" 2 404 y", a+" 3 304 "+a+"#2"), setOf(t, a+" 3 304 "+a+"#1")}, 0, "3 200 x"},
		{"a revisit of two captures of one time", []capture.Archive{setOf(t, a+" 1 200 x", a+" 2 404 y", a+" 2 200 "+a+"#1", a+" 3 304 "+a+"#2")}, 0, "3 200 x"},
		{"a revisit without its original, and a response", []capture.Archive{setOf(t, a+" 3 429 x", a+" 3 200 "+a+"#1")}, 0, "3 200 " + capture.RevisitOf(a, day(1))},
		{"each revisit twice", []capture.Archive{setOf(t, revisits...), setOf(t, revisits...)}, 0, "20 200 x"},
		{"a revisit of itself", []capture.Archive{setOf(t, a+" 3 200 "+a+"#3")}, 0, "3 200 " + capture.RevisitOf(a, day(3))},
	} {
		if got := found(t, c.archives, "http://a.example/page", c.asOf); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// The time of an original may be written without its fraction of a second. Then only one capture can be meant.
func TestTimeOfOriginal(t *testing.T) {
	const url = "http://a.example/robots.txt"
	for want, milliseconds := range map[string][]int{"0": {0, 500}, "500": {500, 500, 1000}, "": {300, 500}} {
		set := &capture.Set{}
		set.Add(&capture.Capture{URL: url, At: day(2), Facts: capture.Facts{Status: 200, Location: capture.RevisitOf(url, day(1))}})
		for _, n := range milliseconds {
			set.Add(&capture.Capture{URL: url, At: day(1).Add(time.Duration(n) * time.Millisecond), Facts: capture.Facts{Status: 200}, Body: fmt.Sprint(n)})
		}
		set.Seal()
		answer, err := capture.Archives{set}.Find(originOf(t, url), time.Time{}, rfc)
		body, _ := set.Body(answer.Body)
		if err != nil || body != want || capture.IsRevisit(answer.Missed) != (want == "") {
			t.Errorf("%v: %q, missed %q, %v; want %q", milliseconds, body, answer.Missed, err, want)
		}
	}
}

// Of two captures of a URL with the same time the one that comes first in the list of docs/filter.md is used, wherever it is kept.
func TestSameTime(t *testing.T) {
	const url = "http://a.example/robots.txt"
	body := func(status int, text string) capture.Capture {
		return capture.Capture{Facts: capture.Facts{Status: status}, Body: text}
	}
	facts := func(f capture.Facts) capture.Capture { return capture.Capture{Facts: f} }
	// Each is used before the ones after it.
	order := []capture.Capture{
		facts(capture.Facts{Status: 503, Failed: true}), facts(capture.Facts{Status: 503}), facts(capture.Facts{Status: 429}),
		facts(capture.Facts{Status: 302}), facts(capture.Facts{Status: 200, Failed: true}), facts(capture.Facts{}),
		facts(capture.Facts{Status: 500, SaysNotFound: true}),
		body(200, "xyz"), body(200, "xx"), body(200, "ab"), body(200, "aa"), {Facts: capture.Facts{Status: 200, Truncated: true}, Body: "aa"}, body(200, ""),
		{Facts: capture.Facts{Status: 200, Page: fetch.JSON}, Body: "<html></html>"}, {Facts: capture.Facts{Status: 200, Page: fetch.HTML}, Body: "<html></html>"},
		facts(capture.Facts{Status: 302, Location: "http://c.example/"}), facts(capture.Facts{Status: 301, Location: "http://d.example/"}), facts(capture.Facts{Status: 301, Location: "http://c.example/"}),
		facts(capture.Facts{Status: 410}), facts(capture.Facts{Status: 404}), facts(capture.Facts{Status: 403}), facts(capture.Facts{Status: 401}),
	}
	sets := func(parts ...[]capture.Capture) (all capture.Archives) {
		for _, part := range parts {
			set := &capture.Set{}
			for i, c := range part {
				c.URL, c.Order = url, int64(i)
				set.Add(&c)
			}
			set.Seal()
			all = append(all, set)
		}
		return all
	}
	for i, first := range order {
		for _, second := range order[i+1:] {
			one, other := []capture.Capture{first}, []capture.Capture{second}
			for name, archives := range map[string]capture.Archives{
				"in one archive": sets([]capture.Capture{first, second}), "in one, the other way round": sets([]capture.Capture{second, first}),
				"in two": sets(one, other), "in two, the other way round": sets(other, one), "in three": sets(one, other, one),
			} {
				got, err := archives.Find(originOf(t, url), time.Time{}, rfc)
				if err != nil || got.In == nil {
					t.Fatal(err)
				}
				text, err := got.In.Body(got.Body)
				if got.Missed != "" {
					got.Location, got.Missed = got.Missed, ""
				}
				if err != nil || got.Facts != first.Facts || text != first.Body {
					t.Errorf("%s: %+v, %q, %v; want %+v", name, got.Facts, text, err, first)
				}
			}
		}
	}
}

// TestStrictest (R-14, R-15, G-6, S96-1): of the answers to which captures of one time lead in a dialect, the strictest is used.
func TestStrictest(t *testing.T) {
	const a, b, c = "http://a.example/robots.txt", "https://b.example/robots.txt", "https://c.example/robots.txt"
	const rules, forbidden, toB, toC = a + " 1 200 x", a + " 1 403 x", a + " 1 301 " + b, a + " 1 302 " + c
	google, draft := fetch.StatusesOf(robotstxt.Google), fetch.StatusesOf(robotstxt.Draft1996)
	for _, test := range []struct {
		name     string
		captures []string
		statuses fetch.Statuses
		want     string
	}{
		{"an error page, to Google", []string{rules, a + " 1 500 not-found"}, google, "rules"},
		{"an error page", []string{rules, a + " 1 500 not-found"}, rfc, "unreachable"},
		{"forbidden", []string{rules, forbidden}, rfc, "rules"},
		{"forbidden, in the draft of 1996", []string{rules, forbidden}, draft, "restricted"},
		{"two redirects", []string{toB, toC, b + " 1 200 x", c + " 1 404 x"}, rfc, "rules"},
		{"two redirects, the other way round", []string{toB, toC, b + " 1 404 x", c + " 1 200 x"}, rfc, "rules"},
		{"a redirect to two captures", []string{toB, b + " 1 404 x", b + " 1 302 " + c, c + " 1 200 x"}, rfc, "rules"},
		{"a redirect and a robots.txt", []string{toB, rules, b + " 1 404 x"}, rfc, "rules"},
		{"a redirect without a target", []string{toB, toC, b + " 1 200 x"}, rfc, "rules"},
		{"a loop", []string{toB, a + " 1 302 " + a, b + " 1 200 x"}, rfc, "rules"},
		{"a loop, in the draft of 1996", []string{toB, a + " 1 302 " + a, b + " 1 200 x"}, draft, "unreachable"},
		{"many captures that lead to each other", []string{toB, toC, b + " 1 301 " + a, b + " 1 302 " + c, c + " 1 301 " + a, c + " 1 302 " + b, rules}, rfc, "rules"},
	} {
		var set capture.Set
		for _, one := range test.captures {
			c := captureOf(t, one)
			c.SaysNotFound, c.Body = c.Body == "not-found", strings.TrimPrefix(c.Body, "not-found")
			set.Add(&c)
		}
		set.Seal()
		got, err := capture.Archives{&set}.Find(originOf(t, a), time.Time{}, test.statuses)
		if is := outcome(t, &got, a, test.statuses); err != nil || is != test.want {
			t.Errorf("%s: %s, %+v, %v; want %s", test.name, is, got, err, test.want)
		}
	}
}

// Only captures at the time that is used are compared: a damaged body of another time costs nothing.
func TestDamagedAtSameTime(t *testing.T) {
	const url = "http://a.example/robots.txt"
	both := capture.Archives{setOf(t, url+" 1 200 x", url+" 2 200 y"), noBodies{setOf(t, url+" 1 200 z")}}
	if got := found(t, both, url, 2); got != "2 200 y" {
		t.Error(got)
	}
	if _, err := both.Find(originOf(t, url), day(1), rfc); !errors.Is(err, errDamaged) {
		t.Error(err)
	}
}

// noBodies is an Archive of which no body can be read.
type noBodies struct{ capture.Archive }

func (noBodies) Body(capture.BodyID) (string, error) { return "", errDamaged }

// The file of a host also holds for its ports, but not the other way round.
func TestPorts(t *testing.T) {
	a := capture.Archives{setOf(t, "//a.example/robots.txt 0 200 host", "//a.example:8080/robots.txt 0 200 port", "//b.example:8080/robots.txt 0 200 port")}
	for url, want := range map[string]string{
		"http://a.example": "0 200 host", "https://a.example:443": "0 200 host", "ftp://a.example": "0 200 host",
		"http://a.example:8080": "0 200 port", "https://a.example:8080": "0 200 port", "http://a.example:81": "0 200 host",
		"http://b.example": "nothing", "http://b.example:8080": "0 200 port",
	} {
		if got := found(t, a, url, 0); got != want {
			t.Errorf("%s: %s, want %s", url, got, want)
		}
	}
}

// A redirect counts as in a retrieval: the dialects differ in how many they follow, and in what more
// of them mean (R-13, R-14, R-15, R-17, R-21, S96-1, G-6).
func TestOutcome(t *testing.T) {
	chain := func(n int, last string) (all []string) {
		for i := range n {
			from := fmt.Sprintf("http://a.example/%d", i)
			if i == 0 {
				from = "http://a.example/robots.txt"
			}
			all = append(all, fmt.Sprintf("%s 1 302 http://a.example/%d", from, i+1))
		}
		if last == "" {
			return all
		}
		return append(all, fmt.Sprintf("http://a.example/%d 1 %s", n, last))
	}
	for _, c := range []struct {
		name     string
		captures []string
		rfc, old string
	}{
		{"none", nil, "none", "none"},
		{"rules", chain(1, "200 x"), "rules", "rules"},
		{"five redirects", chain(5, "200 x"), "rules", "rules"},
		{"six redirects", chain(6, "200 x"), "unavailable", "rules"},
		{"six redirects, no target", chain(6, ""), "unavailable", "none"},
		{"five redirects, no target", chain(5, ""), "none", "none"},
		{"five redirects, then one that leads nowhere", chain(5, "302 none"), "unavailable", "unreachable"},
		{"four redirects, then one that leads nowhere", chain(4, "302 none"), "unreachable", "unreachable"},
		{"ten redirects", chain(10, "200 x"), "unavailable", "rules"},
		{"eleven redirects", chain(11, "200 x"), "unavailable", "unreachable"},
		{"thirty redirects", chain(30, "200 x"), "unavailable", "unreachable"},
		{"404", chain(2, "404 x"), "unavailable", "unavailable"},
		{"403", []string{"http://a.example/robots.txt 1 403 x"}, "unavailable", "restricted"},
		{"503", []string{"http://a.example/robots.txt 1 503 x"}, "unreachable", "unreachable"},
	} {
		answer, err := capture.Archives{setOf(t, c.captures...)}.Find(originOf(t, "http://a.example"), time.Time{}, rfc)
		if err != nil {
			t.Fatal(err)
		}
		for d, want := range map[*robotstxt.Dialect]string{robotstxt.RFC9309: c.rfc, robotstxt.Draft1996: c.old} {
			if got := outcome(t, &answer, "http://a.example", fetch.StatusesOf(d)); got != want {
				t.Errorf("%s, %s: %s, want %s", c.name, d, got, want)
			}
		}
	}
}

func outcome(t testing.TB, a *capture.Answer, url string, s fetch.Statuses) string {
	o, ok := a.Outcome(originOf(t, url), s)
	if !ok {
		return "none"
	}
	return o.String()
}

// The facts of a capture, and the schemes of a folder.
func TestOutcomeOfFacts(t *testing.T) {
	careful := fetch.StatusesOf(robotstxt.RFC9309)
	careful.Pages = fetch.Unreachable
	google := fetch.StatusesOf(robotstxt.Google)
	for _, c := range []struct {
		name, url string
		facts     capture.Facts
		statuses  fetch.Statuses
		want      string
	}{
		{"failed", "http://a.example", capture.Facts{Status: 200, Failed: true}, google, "unreachable"},
		{"HTML", "http://a.example", capture.Facts{Status: 200, Page: fetch.HTML}, google, "rules"},
		{"HTML, careful", "http://a.example", capture.Facts{Status: 200, Page: fetch.HTML}, careful, "unreachable"},
		{"says not found", "http://a.example", capture.Facts{Status: 500, SaysNotFound: true}, google, "unavailable"},
		{"says not found", "http://a.example", capture.Facts{Status: 500, SaysNotFound: true}, careful, "unreachable"},
		{"no response", "http://a.example", capture.Facts{}, google, "unreachable"},
		{"a folder, over FTP", "ftp://a.example", capture.Facts{Status: 200}, google, "rules"},
		{"FTP", "ftp://a.example", capture.Facts{Status: 226}, google, "rules"},
		{"FTP without file", "ftp://a.example", capture.Facts{Status: 550}, google, "unavailable"},
		{"FTP that fails", "ftp://a.example", capture.Facts{Status: 421}, google, "unreachable"},
	} {
		answer := capture.Answer{Facts: c.facts, In: &capture.Set{}}
		if got := outcome(t, &answer, c.url, c.statuses); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// A capture that holds for each scheme has a status of HTTP, also where FTP is asked about.
func TestOutcomeOfHost(t *testing.T) {
	archives := capture.Archives{setOf(t, "//a.example/robots.txt 0 404 x", "ftp://b.example/robots.txt 1 404 x")}
	for url, want := range map[string]string{"http://a.example": "unavailable", "ftp://a.example": "unavailable", "ftp://b.example": "unreachable"} {
		answer, err := archives.Find(originOf(t, url), time.Time{}, rfc)
		if err != nil {
			t.Fatal(err)
		}
		if got := outcome(t, &answer, url, fetch.StatusesOf(robotstxt.RFC9309)); got != want {
			t.Errorf("%s: %s, want %s", url, got, want)
		}
	}
}

func TestParseTime(t *testing.T) {
	for text, want := range map[string]time.Time{
		"2026-05-03":                time.Date(2026, 5, 3, 23, 59, 59, 999_999_999, time.UTC),
		"2026-12-31":                time.Date(2026, 12, 31, 23, 59, 59, 999_999_999, time.UTC),
		"2026-05-03T14:00:00Z":      time.Date(2026, 5, 3, 14, 0, 0, 0, time.UTC),
		"2026-05-03T14:00:00+02:00": time.Date(2026, 5, 3, 12, 0, 0, 0, time.UTC),
		"2026-05-03T14:00:00":       time.Date(2026, 5, 3, 14, 0, 0, 0, time.UTC),
		"2026-05-03 14:00:00":       time.Date(2026, 5, 3, 14, 0, 0, 0, time.UTC),
		"2026-05":                   {},
		"":                          {},
	} {
		if got, err := capture.ParseTime(text); !got.Equal(want) || (err == nil) != !want.IsZero() {
			t.Errorf("%q: %v, %v; want %v", text, got, err, want)
		}
	}
}

// Each body is kept once, whoever adds it; an empty one has the ID 0.
func TestSet(t *testing.T) {
	var set capture.Set
	var group sync.WaitGroup
	for g := range 4 {
		group.Go(func() {
			for i := range 100 {
				set.Add(&capture.Capture{URL: fmt.Sprint("k", i), At: day(1 + g), Body: []string{"", "one", "two"}[i%3]})
			}
		})
	}
	group.Wait()
	set.Seal()
	if n := set.Bodies(); n != 2 {
		t.Errorf("%d bodies", n)
	}
	for i := range 100 {
		entries, err := set.Entries(fmt.Sprint("k", i))
		if err != nil || len(entries) != 4 {
			t.Fatalf("%d: %v, %v", i, entries, err)
		}
		for n, e := range entries {
			body, err := set.Body(e.Body)
			if err != nil || body != []string{"", "one", "two"}[i%3] || !e.At.Equal(day(1+n)) || (e.Body == 0) != (body == "") {
				t.Errorf("%d: %+v, %q, %v", i, e, body, err)
			}
		}
	}
	if _, err := set.Body(3); err == nil {
		t.Error("a body that is not there")
	}
	var empty capture.Set
	empty.Seal()
	if n := empty.Bodies(); n != 0 {
		t.Errorf("empty: %d bodies", n)
	}
	if entries, err := empty.Entries("k"); entries != nil || err != nil {
		t.Errorf("empty: %v, %v", entries, err)
	}
}

// damaged is an Archive that cannot be read.
type damaged struct{ capture.Archive }

var errDamaged = errors.New("damaged")

func (damaged) Entries(string) ([]capture.Entry, error) { return nil, errDamaged }

// What may exist in an archive that cannot be read is not skipped.
func TestDamagedArchive(t *testing.T) {
	a := capture.Archives{setOf(t, "http://a.example/robots.txt 1 200 x"), damaged{}}
	if _, err := a.Find(originOf(t, "http://a.example"), time.Time{}, rfc); !errors.Is(err, errDamaged) {
		t.Error(err)
	}
}

// TestVersions (AU-1): the answers of an origin, the earliest first, each from the time of its capture on; failures are left out, and
// redirects are followed as they led then.
func TestVersions(t *testing.T) {
	set := &capture.Set{}
	for i, c := range []capture.Capture{
		{URL: "https://a.example/robots.txt", At: day(3), Facts: capture.Facts{Status: 200}, Body: "three"},
		{URL: "https://a.example/robots.txt", At: day(1), Facts: capture.Facts{Status: 404}},
		{URL: "https://a.example/robots.txt", At: day(5), Facts: capture.Facts{Status: 200, Failed: true}},
		{URL: "https://a.example/robots.txt", At: day(7), Facts: capture.Facts{Status: 301, Location: "https://b.example/robots.txt"}},
		{URL: "https://b.example/robots.txt", At: day(6), Facts: capture.Facts{Status: 200}, Body: "b"},
		{URL: "https://a.example/robots.txt", At: day(0), Facts: capture.Facts{Status: 200}, Body: "zero"},
		{URL: "//c.example/robots.txt", At: day(2), Facts: capture.Facts{Status: 200}, Body: "c"},
	} {
		c.Order = int64(i)
		set.Add(&c)
	}
	set.Seal()
	for url, want := range map[string]string{
		"https://a.example/": "0001-01-01 200 zero, 2026-01-01 404 , 2026-01-03 200 three, 2026-01-07 200 b",
		"http://c.example/":  "2026-01-02 200 c",
		"http://d.example/":  "",
	} {
		all, err := capture.Archives{set}.Versions(originOf(t, url), rfc)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, a := range all {
			body, err := a.In.Body(a.Body)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprint(a.At.Format(time.DateOnly), " ", a.Status, " ", body))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: %s, want %s", url, strings.Join(got, ", "), want)
		}
	}
}
