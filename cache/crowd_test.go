package cache_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/origin"
)

// fetcherOfSites returns a Fetcher for which all hosts are the same server.
func fetcherOfSites(t *testing.T, h http.HandlerFunc) *fetch.Fetcher {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	dialer := &net.Dialer{}
	return &fetch.Fetcher{Transport: &http.Transport{
		DisableKeepAlives: true,
		MaxConnsPerHost:   100,
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, network, server.Listener.Addr().String())
		},
	}}
}

// many questions about an origin at the same time share one retrieval.
func TestQuestionsShareOneRetrieval(t *testing.T) {
	portion.Skip(t, 4)
	const questions, origins = 10_000, 1_000
	var retrievals [origins]atomic.Int32
	c := &cache.Cache{Fetcher: fetcherOfSites(t, func(w http.ResponseWriter, r *http.Request) {
		var n int
		fmt.Sscanf(r.Host, "site-%d.example", &n)
		retrievals[n].Add(1)
		fmt.Fprintf(w, "User-agent: *\nDisallow: /closed-%d\n", n)
	})}
	defer c.Close()
	var wg sync.WaitGroup
	for i := range questions {
		wg.Go(func() {
			n := i % origins
			url := fmt.Sprintf("http://site-%d.example/closed-%d", n, n)
			a, err := c.Check(context.Background(), []string{"ExampleBot"}, url)
			if err != nil || a.Allowed || a.Rule.Line != 2 {
				t.Errorf("%s: %+v, %v", url, a, err)
			}
		})
	}
	wg.Wait()
	for n := range retrievals {
		if got := retrievals[n].Load(); got != 1 {
			t.Errorf("site %d: %d retrievals", n, got)
		}
	}
}

// sameFile is a Fetcher that always returns the same robots.txt.
type sameFile struct {
	body []byte
	etag string
}

func (f sameFile) Fetch(_ context.Context, o origin.Origin, _ fetch.Validators) (fetch.Result, error) {
	return fetch.Result{
		Origin: o,
		Hops:   []fetch.Hop{{URL: o.RobotsURL(), Status: 200}},
		Status: 200,
		Body:   []byte(string(f.body)),
		Header: http.Header{"Content-Type": {"text/plain"}, "Etag": {strings.Clone(f.etag)}, "Date": {"Sat, 02 May 2026 10:00:00 GMT"}},
		Start:  time.Now(),
		End:    time.Now(),
	}, nil
}

// A Cache keeps its limit of memory, with many origins, large files and several crawlers. With
// HEED_WHOLE the limit and the number of origins are four times as high.
func TestMemoryLimit(t *testing.T) {
	portion.Skip(t, 3)
	if raceDetector {
		t.Skip("the race detector takes memory of its own")
	}
	times := 1
	if portion.Whole() {
		times = 4
	}
	limit := uint64(times) * 16 << 20
	long := "?" + strings.Repeat("q", 2000)
	for _, file := range []struct {
		name, body string
		origins    int
	}{
		{"small", "User-agent: *\nDisallow:\n", 25_000},
		{"large headers", "User-agent: *\nDisallow:\n", 1_250},
		{"typical", "User-agent: *\n" + strings.Repeat("Disallow: /folder/page*.html\nAllow: /folder/index\n", 60), 5_000},
		{"large", "User-agent: *\n" + strings.Repeat("Disallow: /a\n", 8_000), 500},
	} {
		t.Run(file.name, func(t *testing.T) {
			fetcher := sameFile{[]byte(file.body), `"5f1-62b0c3a7e4d40"`}
			if file.name == "large headers" {
				fetcher.etag = strings.Repeat("e", 50_000)
			}
			c, origins := &cache.Cache{Fetcher: fetcher, MemoryBytes: int64(limit)}, times*file.origins
			defer c.Close()
			before := heap()
			var peak uint64
			for i := range origins {
				url := fmt.Sprintf("https://site-%d.example/folder/pages", i)
				if _, err := c.Check(context.Background(), []string{"ExampleBot"}, url+long); err != nil { // the long URL must not stay in memory
					t.Fatal(err)
				}
				for _, agent := range []string{"ExampleBot", "OtherBot"}[:1+i%2] {
					for range 20 { // enough for a policy to build its lookup
						if _, err := c.Check(context.Background(), []string{agent}, url); err != nil {
							t.Fatal(err)
						}
					}
				}
				if i%(origins/10) == 0 {
					peak = max(peak, heap())
				}
			}
			peak = max(peak, heap()) - before
			t.Logf("%d MiB in memory, limit %d MiB", peak>>20, limit>>20)
			if peak > limit {
				t.Errorf("%d bytes in memory, limit %d", peak, limit)
			}
			if peak < limit/4 {
				t.Errorf("%d bytes in memory: too little of the limit %d is used", peak, limit)
			}
			runtime.KeepAlive(c)
		})
	}
}

// A Cache keeps its limit of memory also with servers and crawlers that try to exceed it.
func TestMemoryLimitWithHostileServers(t *testing.T) {
	portion.Skip(t, 3)
	if raceDetector {
		t.Skip("the race detector takes memory of its own")
	}
	const limit = 8 << 20
	var manyAgents strings.Builder
	for i := range 16 {
		fmt.Fprintf(&manyAgents, "User-agent: big%c\n", 'a'+i)
	}
	for name, c := range map[string]struct {
		header http.Header
		body   string
		sites  int
		agents []string
	}{
		"one long line, which is skipped": {nil, strings.Repeat("a", 600<<10), 100, []string{"a"}},
		"an encoding that yields nothing": {
			http.Header{"Content-Type": {"text/plain; charset=iso-2022-jp"}}, strings.Repeat("\x1b(B", 160<<10), 100, []string{"a"},
		},
		"many headers": {http.Header{"X": slices.Repeat([]string{strings.Repeat("x", 4000)}, 14)}, "User-agent: *\n", 300, []string{"a"}},
		"a pattern that grows": {
			nil, "User-agent: *\nDisallow: /" + strings.Repeat("\u00fc", 249<<10) + "\n", 20, []string{"a", "b", "c", "d"},
		},
		"small policies, then large ones": {
			nil, "User-agent: *\nDisallow:\n\n" + manyAgents.String() + strings.Repeat("Allow:/\n", 20_000), 10,
			[]string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "biga", "bigb", "bigc", "bigd", "bige", "bigf", "bigg", "bigh"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			crawler := &cache.Cache{MemoryBytes: limit, Fetcher: fetcherOfSites(t, func(w http.ResponseWriter, _ *http.Request) {
				for key, values := range c.header {
					w.Header()[key] = values
				}
				io.WriteString(w, c.body)
			})}
			defer crawler.Close()
			before := heap()
			for i := range c.sites {
				for _, agent := range c.agents {
					a, err := crawler.Check(context.Background(), []string{agent}, fmt.Sprintf("http://site-%d.example/", i))
					if err != nil || a.Outcome != fetch.Rules {
						t.Fatal(a, err)
					}
				}
			}
			taken := int64(heap()) - int64(before)
			t.Logf("%.1f MiB in memory, limit %d MiB", float64(taken)/(1<<20), limit>>20)
			if taken > limit+1<<20 { // the server of the test takes some too
				t.Errorf("%d bytes in memory, limit %d", taken, limit)
			}
			runtime.KeepAlive(crawler)
		})
	}
}

// heap returns how many bytes are in use, after garbage collection.
func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
