package bulk_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/bulk"
	"github.com/heed-robots/heed/internal/bulk/capture"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/robotstxt"
)

func column(d *robotstxt.Dialect, asOf time.Time, agents ...string) bulk.Column {
	return bulk.Column{Name: agents[0], Agents: agents, Dialect: d, Statuses: fetch.StatusesOf(d), AsOf: asOf}
}

// verdicts returns the verdicts about URLs, in words.
func verdicts(j *bulk.Decider, urls ...string) string {
	var told []string
	j.Checker().Check(urls, func(i int, verdicts []bulk.Verdict, err error) {
		text := urls[i] + ":"
		for _, v := range verdicts {
			text += " " + v.Word.String() + " " + v.Why()
			if rule := v.RuleText(); rule != "" {
				text += fmt.Sprintf(" (%d %s)", v.Rule.Line, rule)
			}
		}
		if err != nil {
			text += " no URL"
		}
		told = append(told, text)
	})
	return strings.Join(told, "\n")
}

var may, june = time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC), time.Date(2024, 6, 1, 0, 0, 0, 0, time.UTC)

// Statuses mean what they mean for a live site (R-13 to R-15, S96-1), robots.txt itself is always
// allowed where the dialect says so, and what no archive has is unknown.
func TestVerdicts(t *testing.T) {
	s := &capture.Set{}
	for url, facts := range map[string]capture.Facts{
		"https://gone.example/robots.txt":   {Status: 404},
		"https://closed.example/robots.txt": {Status: 403},
		"https://broken.example/robots.txt": {Status: 503},
		"https://failed.example/robots.txt": {Status: 200, Failed: true},
		"https://lost.example/robots.txt":   {Status: 301, Location: "https://elsewhere.example/robots.txt"},
		"https://moved.example/robots.txt":  {Status: 301, Location: "https://gone.example/robots.txt"},
	} {
		s.Add(&capture.Capture{URL: url, Facts: facts})
	}
	s.Add(&capture.Capture{URL: "//host.example/robots.txt", Facts: capture.Facts{Status: 200}, Body: "User-agent: *\nDisallow: /x\n"})
	s.Seal()
	rfc := func(ifMissing bulk.Word) *bulk.Decider {
		return bulk.NewDecider(capture.Archives{s}, []bulk.Column{column(robotstxt.RFC9309, time.Time{}, "a")}, ifMissing, 0)
	}
	got := verdicts(rfc(bulk.Unknown),
		"https://gone.example/x", "https://closed.example/x", "https://broken.example/x", "https://broken.example/robots.txt", "https://failed.example/x",
		"https://lost.example/x", "https://moved.example/x", "http://host.example/x", "ftp://host.example:2121/x", "https://none.example/x", "x", "")
	want := `https://gone.example/x: allowed unavailable
https://closed.example/x: allowed unavailable
https://broken.example/x: disallowed unreachable
https://broken.example/robots.txt: allowed robots-txt-itself
https://failed.example/x: disallowed unreachable
https://lost.example/x: unknown no-redirect-target
https://moved.example/x: allowed unavailable
http://host.example/x: disallowed rule (2 Disallow: /x)
ftp://host.example:2121/x: disallowed rule (2 Disallow: /x)
https://none.example/x: unknown no-capture
x: no URL
: no URL`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for word, want := range map[bulk.Word]string{
		bulk.Allowed:    "https://none.example/: allowed no-capture\nhttps://lost.example/: allowed no-redirect-target",
		bulk.Disallowed: "https://none.example/: disallowed no-capture\nhttps://lost.example/: disallowed no-redirect-target",
	} {
		if got := verdicts(rfc(word), "https://none.example/", "https://lost.example/"); got != want {
			t.Errorf("%s if missing: got\n%s\nwant\n%s", word, got, want)
		}
	}
	older := bulk.NewDecider(capture.Archives{s}, []bulk.Column{column(robotstxt.Draft1996, time.Time{}, "a")}, bulk.Unknown, 0)
	if got, want := verdicts(older, "https://closed.example/x"), "https://closed.example/x: disallowed restricted"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A column for each crawler, dialect and time.
func TestColumns(t *testing.T) {
	s := &capture.Set{}
	s.Add(&capture.Capture{URL: "https://a.example/robots.txt", At: may, Facts: capture.Facts{Status: 200}, Body: "User-agent: a\nDisallow: /\n"})
	s.Add(&capture.Capture{URL: "https://a.example/robots.txt", At: june, Facts: capture.Facts{Status: 200}, Body: "User-agent: a\nDisallow: /*x$\n"})
	s.Seal()
	j := bulk.NewDecider(capture.Archives{s}, []bulk.Column{
		column(robotstxt.RFC9309, time.Time{}, "a"), column(robotstxt.RFC9309, may, "a"), column(robotstxt.RFC9309, may.Add(-1), "a"),
		column(robotstxt.Standard1994, time.Time{}, "a"), column(robotstxt.RFC9309, may, "b", "a"), column(robotstxt.RFC9309, may, "c"),
	}, bulk.Unknown, 0)
	got, want := verdicts(j, "https://a.example/x"), "https://a.example/x: disallowed rule (2 Disallow: /*x$) disallowed rule (2 Disallow: /) unknown no-capture allowed no-rule-matched disallowed rule (2 Disallow: /) allowed no-group"
	if got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// brokenArchive has entries, and no bodies or nothing at all.
type brokenArchive struct{ entries []capture.Entry }

var errDamaged = errors.New("damaged")

func (b brokenArchive) Entries(string) ([]capture.Entry, error) {
	if b.entries == nil {
		return nil, errDamaged
	}
	return b.entries, nil
}
func (b brokenArchive) Body(capture.BodyID) (string, error) { return "", errDamaged }

// What cannot be read is unknown, whatever the word for missing origins is.
func TestDamaged(t *testing.T) {
	for _, a := range []capture.Archive{&brokenArchive{}, &brokenArchive{[]capture.Entry{{Facts: capture.Facts{Status: 200}, Body: 7}}}} {
		j := bulk.NewDecider(capture.Archives{a}, []bulk.Column{column(robotstxt.RFC9309, time.Time{}, "a")}, bulk.Allowed, 0)
		if got, want := verdicts(j, "https://a.example/x"), "https://a.example/x: unknown archive-damaged"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// With little memory the verdicts are the same: what was forgotten is read again.
func TestLittleMemory(t *testing.T) {
	s := &capture.Set{}
	var urls []string
	for i := range 500 {
		s.Add(&capture.Capture{URL: fmt.Sprintf("https://%d.example/robots.txt", i), Facts: capture.Facts{Status: 200}, Body: fmt.Sprintf("User-agent: *\nDisallow: /%d\n", i%7)})
	}
	s.Seal()
	random := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		urls = append(urls, fmt.Sprintf("https://%d.example/%d", random.IntN(600), random.IntN(7)))
	}
	columns := []bulk.Column{column(robotstxt.RFC9309, time.Time{}, "a"), column(robotstxt.Google, time.Time{}, "b")}
	want := verdicts(bulk.NewDecider(capture.Archives{s}, columns, bulk.Unknown, 0), urls...)
	for _, memory := range []int64{1, 10_000, 100_000} {
		if got := verdicts(bulk.NewDecider(capture.Archives{s}, columns, bulk.Unknown, memory), urls...); got != want {
			t.Errorf("with %d bytes the verdicts differ", memory)
		}
	}
	if n := strings.Count(want, "disallowed rule (2"); n < 500 || !strings.Contains(want, "unknown no-capture unknown no-capture") {
		t.Errorf("%d denials: the test tests nothing", n)
	}
}

// User information, which is of any length, is not kept: the memory does not grow with the URLs.
func TestLongPrefixes(t *testing.T) {
	portion.Skip(t, 4)
	c := bulk.NewDecider(nil, []bulk.Column{column(robotstxt.RFC9309, time.Time{}, "a")}, bulk.Unknown, 0).Checker()
	before := used()
	long := strings.Repeat("u", 1<<20)
	for i := range 64 {
		c.Check([]string{fmt.Sprintf("https://%d%s@a.example/", i, long)}, func(_ int, v []bulk.Verdict, err error) {
			if err != nil || v[0].Word != bulk.Unknown {
				t.Fatal(v, err)
			}
		})
	}
	if after := used(); after > before+16<<20 {
		t.Errorf("%d bytes are used after 64 URLs of 1 MiB, and %d were before", after, before)
	}
	runtime.KeepAlive(c)
}

// used returns the bytes of the heap that are in use.
func used() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// madeArchive has a robots.txt of 100 rules for each origin, and keeps none of them.
type madeArchive struct{}

func (madeArchive) Entries(key string) (entries []capture.Entry, err error) {
	id, _, _ := strings.Cut(strings.TrimPrefix(key, "https://"), ".")
	if n, err := strconv.Atoi(id); err == nil {
		entries = append(entries, capture.Entry{Facts: capture.Facts{Status: 200}, Body: capture.BodyID(n + 1)})
	}
	return entries, nil
}

func (madeArchive) Body(id capture.BodyID) (string, error) {
	return "User-agent: *\n" + strings.Repeat(fmt.Sprintf("Disallow: /folder/%d\n", id), 100), nil
}

// The limit of the memory holds for all that is kept of the files, also while their origins are known.
func TestMemoryLimit(t *testing.T) {
	const limit = 8 << 20
	columns := []bulk.Column{column(robotstxt.RFC9309, time.Time{}, "a")}
	c := bulk.NewDecider(capture.Archives{madeArchive{}}, columns, bulk.Unknown, limit).Checker()
	before := used()
	for i := range 5000 {
		c.Check([]string{fmt.Sprintf("https://%d.example/folder/%d", i, i+1)}, func(_ int, v []bulk.Verdict, err error) {
			if err != nil || v[0].Word != bulk.Disallowed {
				t.Fatal(i, v, err)
			}
		})
	}
	if after := used(); after > before+limit*5/4 {
		t.Errorf("%d MiB are used, with a limit of %d", (after-before)>>20, limit>>20)
	}
	runtime.KeepAlive(c)
}
