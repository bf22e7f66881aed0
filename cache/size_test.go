package cache_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/origin"
)

// served returns a Result as of a usual web server.
func served(o origin.Origin, status int, file string) fetch.Result {
	return fetch.Result{
		Origin: o,
		Hops:   []fetch.Hop{{URL: o.RobotsURL(), Status: status}},
		Status: status,
		Body:   []byte(file),
		Header: http.Header{
			"Content-Type": {strings.Clone("text/plain; charset=utf-8")},
			"Etag":         {strings.Clone(`"5f1-62b0c3a7e4d40"`)},
			"Date":         {strings.Clone("Sat, 02 May 2026 10:00:00 GMT")},
		},
	}
}

// serving returns a Fetcher that returns a file.
func serving(file string) fetcherFunc {
	return func(o origin.Origin, _ fetch.Validators) (fetch.Result, error) { return served(o, 200, file), nil }
}

// The counted bytes are approximately the bytes in use. For policies they are the bytes in use
// after many questions. The body of a file is counted once.
func TestCountedBytes(t *testing.T) {
	portion.Skip(t, 3)
	if raceDetector {
		t.Skip("the race detector takes memory of its own")
	}
	rules := func(n int) string {
		var b strings.Builder
		b.WriteString("User-agent: *\n")
		for i := range n {
			fmt.Fprintf(&b, "Disallow: /folder/of/many/pages-%d*.html\n", i)
		}
		return b.String()
	}
	crawlers := func(n int) (lists [][]string) {
		for i := range n {
			lists = append(lists, []string{fmt.Sprint("Crawler", string(rune('a'+i)))})
		}
		return lists
	}
	var long [][]string
	for i := range 10 {
		long = append(long, slices.Repeat([]string{fmt.Sprintf("crawler/1.%d (%s)", i, strings.Repeat("x", 100))}, 10))
	}
	for name, c := range map[string]struct {
		origins  int
		fetcher  fetcherFunc
		crawlers [][]string
		repeats  int     // questions for each origin and crawler
		max      float64 // limit of the counted bytes, as a multiple of the bytes in use
	}{
		"no file": {3_000, func(o origin.Origin, _ fetch.Validators) (fetch.Result, error) {
			return served(o, 404, ""), nil
		}, crawlers(1), 1, 1.1},
		"a status": {3_000, func(o origin.Origin, _ fetch.Validators) (fetch.Result, error) {
			return fetch.Result{Status: 404}, nil
		}, crawlers(1), 1, 1.1},
		"a failure": {3_000, func(o origin.Origin, _ fetch.Validators) (fetch.Result, error) {
			return fetch.Result{Err: errors.New(strings.Repeat("x", 800))}, nil
		}, crawlers(1), 1, 1.2},
		"a failure of our own": {3_000, func(o origin.Origin, _ fetch.Validators) (fetch.Result, error) {
			return fetch.Result{Err: &fetch.Failure{Kind: fetch.LocalFailure, Text: strings.Repeat("x", 800)}}, nil
		}, crawlers(1), 1, 1.2},
		"many headers and redirects": {1_000, func(o origin.Origin, _ fetch.Validators) (fetch.Result, error) {
			r := served(o, 404, "")
			for i := range 30 {
				r.Header[fmt.Sprint(strings.Repeat("X", 100), i)] = []string{strings.Repeat("x", 100)}
				r.Hops = append(r.Hops, fetch.Hop{URL: strings.Repeat("x", 100), Location: strings.Repeat("x", 100)})
			}
			return r, nil
		}, crawlers(1), 1, 1.2},
		"an empty file":                           {3_000, serving(""), crawlers(1), 1, 1.3},
		"an empty file, twenty crawlers":          {1_000, serving(""), crawlers(20), 1, 2.5},
		"an empty file, crawlers with long names": {300, serving(""), long, 1, 1.4},
		"3 KB of comments":                        {3_000, serving(strings.Repeat("# nothing\n", 310)), crawlers(1), 1, 1.2},
		"3 KB":                                    {3_000, serving(rules(70)), crawlers(1), 1, 2.5}, // what its rules may grow to is counted
		"3 KB, many questions":                    {3_000, serving(rules(70)), crawlers(1), 200, 1.2},
		"3 KB, twenty crawlers":                   {500, serving(rules(70)), crawlers(20), 1, 2.5},
		"300 KB":                                  {50, serving(rules(7000)), crawlers(1), 200, 1.8},
	} {
		t.Run(name, func(t *testing.T) {
			crawler := &cache.Cache{Fetcher: c.fetcher, MemoryBytes: 1 << 30}
			defer crawler.Close()
			before := heap()
			for range c.repeats {
				for n := range c.origins {
					for _, agents := range c.crawlers {
						if _, err := crawler.Check(context.Background(), agents, fmt.Sprintf("https://www.site-%d.example/", n)); err != nil {
							t.Fatal(err)
						}
					}
				}
			}
			taken := float64(heap()-before) / float64(c.origins)
			counted := float64(crawler.CountedBytes()) / float64(c.origins)
			t.Logf("%.0f bytes are in use for an origin, %.0f are counted: %.2f", taken, counted, counted/taken)
			if counted < 0.9*taken || counted > c.max*taken {
				t.Errorf("the counted bytes are %.2f of the bytes in use, want 0.9 to %.1f", counted/taken, c.max)
			}
			runtime.KeepAlive(crawler)
		})
	}
}

// A file may drop rules that its policies still use. Then the rules are counted with the policies.
func TestDroppedRulesAreCountedWithPolicies(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector takes memory of its own")
	}
	const crawlers, limit = 60, 64 << 20
	var file strings.Builder
	name := func(i int) string { return fmt.Sprintf("Crawler%c%c", 'a'+i/10, 'a'+i%10) }
	for i := range crawlers {
		fmt.Fprintf(&file, "User-agent: %s\n", name(i))
	}
	for i := range 10_000 { // rules for all crawlers
		fmt.Fprintf(&file, "Disallow: /folder/of/pages-%d*.html\n", i)
	}
	for i := range crawlers { // and one more rule for each crawler
		fmt.Fprintf(&file, "User-agent: %s\nDisallow: /%d\n", name(i), i)
	}
	crawler := &cache.Cache{Fetcher: serving(file.String()), MemoryBytes: limit}
	defer crawler.Close()
	before := heap()
	for i := range crawlers {
		if _, err := crawler.Check(context.Background(), []string{name(i)}, "https://www.site.example/"); err != nil {
			t.Fatal(err)
		}
	}
	taken, counted := float64(heap()-before), float64(crawler.CountedBytes())
	t.Logf("%.0f bytes are in use, %.0f are counted: %.2f", taken, counted, counted/taken)
	if counted < 0.9*taken || taken > limit/8 {
		t.Errorf("%.0f bytes are in use, %.0f are counted", taken, counted)
	}
	runtime.KeepAlive(crawler)
}
