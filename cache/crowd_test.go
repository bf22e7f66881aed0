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
	"github.com/heed-robots/heed/origin"
)

// sites returns a Fetcher that reaches one server under every name.
func sites(t *testing.T, h http.HandlerFunc) *fetch.Fetcher {
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

// of many who ask about an origin at once, one asks the origin.
func TestOneRetrievalForEverybody(t *testing.T) {
	const askers, origins = 10_000, 1_000
	var asked [origins]atomic.Int32
	c := &cache.Cache{Fetcher: sites(t, func(w http.ResponseWriter, r *http.Request) {
		var n int
		fmt.Sscanf(r.Host, "site-%d.example", &n)
		asked[n].Add(1)
		fmt.Fprintf(w, "User-agent: *\nDisallow: /closed-%d\n", n)
	})}
	defer c.Close()
	var wg sync.WaitGroup
	for i := range askers {
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
	for n := range asked {
		if got := asked[n].Load(); got != 1 {
			t.Errorf("site %d was asked %d times", n, got)
		}
	}
}

// canned is a Fetcher that always brings the same file.
type canned struct {
	body []byte
	etag string
}

func (f canned) Fetch(_ context.Context, o origin.Origin, _ fetch.Validators) (fetch.Result, error) {
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

// What is in memory stays within its bound, whatever is asked about and for
// however many crawlers.
func TestMemory(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector takes memory of its own")
	}
	const bound = 64 << 20
	long := "?" + strings.Repeat("q", 2000)
	for _, file := range []struct {
		name, body string
		origins    int
	}{
		{"small", "User-agent: *\nDisallow:\n", 100_000},
		{"large headers", "User-agent: *\nDisallow:\n", 5_000},
		{"typical", "User-agent: *\n" + strings.Repeat("Disallow: /folder/page*.html\nAllow: /folder/index\n", 60), 20_000},
		{"large", "User-agent: *\n" + strings.Repeat("Disallow: /a\n", 8_000), 2_000},
	} {
		t.Run(file.name, func(t *testing.T) {
			fetcher := canned{[]byte(file.body), `"5f1-62b0c3a7e4d40"`}
			if file.name == "large headers" {
				fetcher.etag = strings.Repeat("e", 50_000)
			}
			c := &cache.Cache{Fetcher: fetcher, MemoryBytes: bound}
			defer c.Close()
			before := heap()
			var most uint64
			for i := range file.origins {
				url := fmt.Sprintf("https://site-%d.example/folder/pages", i)
				if _, err := c.Check(context.Background(), []string{"ExampleBot"}, url+long); err != nil { // of which nothing may stay
					t.Fatal(err)
				}
				for _, agent := range []string{"ExampleBot", "OtherBot"}[:1+i%2] {
					for range 20 { // enough for a lookup
						if _, err := c.Check(context.Background(), []string{agent}, url); err != nil {
							t.Fatal(err)
						}
					}
				}
				if i%(file.origins/10) == 0 {
					most = max(most, heap())
				}
			}
			most = max(most, heap()) - before
			t.Logf("%d MiB in memory, bound %d MiB", most>>20, bound>>20)
			if most > bound {
				t.Errorf("%d bytes in memory, bound %d", most, bound)
			}
			if most < bound/4 {
				t.Errorf("%d bytes in memory: hardly any of the bound %d is used", most, bound)
			}
			runtime.KeepAlive(c)
		})
	}
}

// Nor do servers and crawlers that are made for it take more than the bound.
func TestMemoryOfHostileServers(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector takes memory of its own")
	}
	const bound = 8 << 20
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
		"one line, cut as a whole": {nil, strings.Repeat("a", 600<<10), 100, []string{"a"}},
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
			crawler := &cache.Cache{MemoryBytes: bound, Fetcher: sites(t, func(w http.ResponseWriter, _ *http.Request) {
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
			t.Logf("%.1f MiB in memory, bound %d MiB", float64(taken)/(1<<20), bound>>20)
			if taken > bound+1<<20 { // the test's own server takes some
				t.Errorf("%d bytes in memory, bound %d", taken, bound)
			}
			runtime.KeepAlive(crawler)
		})
	}
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
