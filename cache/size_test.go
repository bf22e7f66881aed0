package cache_test

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/origin"
)

// served is a Fetcher that brings what a web server sends.
type served struct {
	status int
	file   string
}

func (s served) Fetch(_ context.Context, o origin.Origin, _ fetch.Validators) (fetch.Result, error) {
	return fetch.Result{
		Origin: o,
		Hops:   []fetch.Hop{{URL: o.RobotsURL(), Status: s.status}},
		Status: s.status,
		Body:   []byte(s.file),
		Header: http.Header{
			"Content-Type": {strings.Clone("text/plain; charset=utf-8")},
			"Etag":         {strings.Clone(`"5f1-62b0c3a7e4d40"`)},
			"Date":         {strings.Clone("Sat, 02 May 2026 10:00:00 GMT")},
		},
		Start: time.Now(),
		End:   time.Now(),
	}, nil
}

// What is accounted for is what is in use, and for policies what will be once they are asked
// often. The body of a file is in use once.
func TestSizes(t *testing.T) {
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
	for name, c := range map[string]struct {
		origins  int
		served   served
		crawlers [][]string
		asked    int
		most     float64 // of what is in use is accounted for
	}{
		"no file":                   {3_000, served{404, ""}, crawlers(1), 1, 1.1},
		"an empty file":             {3_000, served{200, ""}, crawlers(1), 1, 1.3},
		"an empty file, for twenty": {1_000, served{200, ""}, crawlers(20), 1, 2.5},
		"3 KB of comments":          {3_000, served{200, strings.Repeat("# nothing\n", 310)}, crawlers(1), 1, 1.2},
		"3 KB":                      {3_000, served{200, rules(70)}, crawlers(1), 1, 1.8},
		"3 KB, asked often":         {3_000, served{200, rules(70)}, crawlers(1), 20, 1.2},
		"3 KB, for twenty":          {500, served{200, rules(70)}, crawlers(20), 1, 2.5},
		"300 KB":                    {50, served{200, rules(7000)}, crawlers(1), 20, 1.3},
	} {
		t.Run(name, func(t *testing.T) {
			crawler := &cache.Cache{Fetcher: c.served, MemoryBytes: 1 << 30}
			defer crawler.Close()
			before := heap()
			for range c.asked {
				for n := range c.origins {
					for _, agents := range c.crawlers {
						if _, err := crawler.Check(context.Background(), agents, fmt.Sprintf("https://www.site-%d.example/", n)); err != nil {
							t.Fatal(err)
						}
					}
				}
			}
			taken := float64(heap()-before) / float64(c.origins)
			said := float64(crawler.AccountedFor()) / float64(c.origins)
			t.Logf("%.0f bytes are in use for an origin, %.0f are accounted for: %.2f", taken, said, said/taken)
			if said < 0.9*taken || said > c.most*taken {
				t.Errorf("accounted for are %.2f of what is in use, want 0.9 to %.1f", said/taken, c.most)
			}
			runtime.KeepAlive(crawler)
		})
	}
}
