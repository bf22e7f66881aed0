package polite

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/origin"
)

// A network stands for all sites: each has the same robots.txt, and when a request
// was sent is remembered.
type network struct {
	robots string
	mu     sync.Mutex
	starts []time.Duration
	began  time.Time
}

// Fetch implements cache.Fetcher.
func (n *network) Fetch(_ context.Context, o origin.Origin, _ fetch.Validators) (fetch.Result, error) {
	return fetch.Result{Origin: o, Status: 200, Body: []byte(n.robots)}, nil
}

// RoundTrip implements http.RoundTripper.
func (n *network) RoundTrip(*http.Request) (*http.Response, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.starts = append(n.starts, time.Since(n.began))
	return &http.Response{StatusCode: 200, Body: http.NoBody}, nil
}

// transport returns a Transport to sites with such a robots.txt.
func transport(robots string) (*Transport, *network) {
	n := &network{robots: robots, began: time.Now()}
	return &Transport{UserAgent: userAgent, Cache: &cache.Cache{Fetcher: n}, Base: n}, n
}

// started returns when the requests started, in order.
func (n *network) started() string {
	slices.Sort(n.starts)
	return strings.Trim(fmt.Sprint(n.starts), "[]")
}

// all sends requests at the same time, and waits for them.
func all(t *testing.T, rt *Transport, urls ...string) {
	t.Helper()
	var group sync.WaitGroup
	for _, url := range urls {
		group.Go(func() {
			if err := get(rt, url); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}

// Requests to one origin start as far apart as it asks for, within MaxDelay.
func TestPace(t *testing.T) {
	for name, c := range map[string]struct {
		robots string
		most   time.Duration
		want   string
	}{
		"as asked for":  {"user-agent: *\ncrawl-delay: 2\n", 0, "0s 0s 2s 4s"},
		"for another":   {"user-agent: *\ncrawl-delay: 2\nallow: /\n\nuser-agent: examplebot\ncrawl-delay: 0.5\n", 0, "0s 0s 500ms 1s"},
		"not asked for": {"user-agent: *\n", 0, "0s 0s 0s 0s"},
		"30s at most":   {"user-agent: *\ncrawl-delay: 1000000\n", 0, "0s 0s 30s 1m0s"},
		"bounded":       {"user-agent: *\ncrawl-delay: 1000000\n", time.Second, "0s 0s 1s 2s"},
		"beyond 30s":    {"user-agent: *\ncrawl-delay: 60\n", time.Hour, "0s 0s 1m0s 2m0s"},
		"no pacing":     {"user-agent: *\ncrawl-delay: 60\n", -1, "0s 0s 0s 0s"},
	} {
		synctest.Test(t, func(t *testing.T) {
			rt, n := transport(c.robots)
			rt.MaxDelay = c.most
			all(t, rt, "http://a.example/1", "http://a.example:80/2", "http://A.example/3", "https://a.example/4")
			if got := n.started(); got != c.want {
				t.Errorf("%s: started at %s, want %s", name, got, c.want)
			}
		})
	}
}

// Who comes late does not wait, and does not let others wait for less.
func TestPaceAfterIdleTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rt, n := transport("user-agent: *\ncrawl-delay: 2\n")
		all(t, rt, "http://a.example/")
		time.Sleep(5 * time.Second)
		all(t, rt, "http://a.example/", "http://a.example/")
		if got, want := n.started(), "0s 5s 7s"; got != want {
			t.Errorf("started at %s, want %s", got, want)
		}
	})
}

// What is disallowed takes no turn.
func TestRefusedTakesNoTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rt, n := transport("user-agent: *\ncrawl-delay: 2\ndisallow: /x\n")
		for range 3 {
			if err := get(rt, "http://a.example/x"); err == nil {
				t.Error("not refused")
			}
		}
		all(t, rt, "http://a.example/")
		if got := n.started(); got != "0s" {
			t.Errorf("started at %s", got)
		}
	})
}

// A request that is given up while it waits leaves its turn to the next.
func TestCancelWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rt, n := transport("user-agent: *\ncrawl-delay: 10\n")
		all(t, rt, "http://a.example/")
		for range 3 {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			request, err := http.NewRequestWithContext(ctx, "GET", "http://a.example/", nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := rt.RoundTrip(request); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "crawl delay of http://a.example") {
				t.Errorf("got %v", err)
			}
		}
		if since := time.Since(n.began); since != 3*time.Second {
			t.Errorf("gave up after %s", since)
		}
		all(t, rt, "http://a.example/")
		if got, want := n.started(), "0s 10s"; got != want {
			t.Errorf("started at %s, want %s", got, want)
		}
	})
}

// A turn that is given up in front of others' is lost: theirs stay apart.
func TestCancelInFrontOfOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rt, n := transport("user-agent: *\ncrawl-delay: 10\n")
		all(t, rt, "http://a.example/")
		ctx, cancel := context.WithCancel(t.Context())
		request, err := http.NewRequestWithContext(ctx, "GET", "http://a.example/", nil)
		if err != nil {
			t.Fatal(err)
		}
		var group sync.WaitGroup
		group.Go(func() {
			if _, err := rt.RoundTrip(request); !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
		})
		synctest.Wait()
		group.Go(func() { all(t, rt, "http://a.example/") })
		synctest.Wait()
		cancel()
		synctest.Wait()
		all(t, rt, "http://a.example/")
		group.Wait()
		if got, want := n.started(), "0s 20s 30s"; got != want {
			t.Errorf("started at %s, want %s", got, want)
		}
	})
}

// A deadline that comes before its turn fails a request at once, which takes no
// turn. The timeout of an http.Client is a deadline.
func TestDeadlineBeforeTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rt, n := transport("user-agent: *\ncrawl-delay: 10\n")
		all(t, rt, "http://a.example/")
		client := &http.Client{Transport: rt, Timeout: 5 * time.Second}
		_, err := client.Get("http://a.example/")
		want := "the crawl delay of http://a.example asks to wait for 10s, beyond the request's deadline"
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v", err)
		}
		if since := time.Since(n.began); since != 0 {
			t.Errorf("failed after %s", since)
		}
		client.Timeout = 15 * time.Second
		response, err := client.Get("http://a.example/")
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if got, want := n.started(), "0s 10s"; got != want {
			t.Errorf("started at %s, want %s", got, want)
		}
	})
}

// The origins that are remembered are those with a turn in the future, and not
// many more.
func TestOriginsAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p pacer
		var origins []origin.Origin
		for i := range 10000 {
			o, err := origin.Parse(fmt.Sprintf("http://%d.example/", i))
			if err != nil {
				t.Fatal(err)
			}
			origins = append(origins, o)
			if err := p.wait(t.Context(), o, time.Second); err != nil {
				t.Fatal(err)
			}
			time.Sleep(10 * time.Millisecond)
		}
		for _, o := range origins[len(origins)-99:] { // that of the one before is now
			if !p.next[o].After(time.Now()) {
				t.Errorf("%s is forgotten", o)
			}
		}
		if len(p.next) > 2*100 {
			t.Errorf("%d origins are remembered", len(p.next))
		}
	})
}
