package redis_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/store/redis"
)

// web is a server of all hosts in these tests. The robots.txt of site-N.example disallows
// /closed; that of down-N.example has the status 503.
type web struct {
	address string
	counts  sync.Map     // a host to an *atomic.Int32: the number of its retrievals
	extra   atomic.Value // the last lines of each robots.txt, a string
	delay   atomic.Int64 // before a reply, in nanoseconds
}

func newWeb(t *testing.T) *web {
	w := &web{}
	w.extra.Store("")
	w.delay.Store(int64(time.Millisecond)) // else a second retrieval would hardly ever begin during the first
	server := httptest.NewServer(w)
	t.Cleanup(server.Close)
	w.address = server.Listener.Addr().String()
	return w
}

func (w *web) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	n, _ := w.counts.LoadOrStore(r.Host, new(atomic.Int32))
	n.(*atomic.Int32).Add(1)
	if strings.HasPrefix(r.Host, "down-") {
		rw.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	time.Sleep(time.Duration(w.delay.Load()))
	io.WriteString(rw, "User-agent: *\nDisallow: /closed\n"+w.extra.Load().(string))
}

func (w *web) retrievals(host string) int32 {
	n, ok := w.counts.Load(host)
	if !ok {
		return 0
	}
	return n.(*atomic.Int32).Load()
}

// crawler returns a Cache with a store, whose requests all go to one address.
func crawler(t testing.TB, address string, store cache.Store) *cache.Cache {
	dialer := &net.Dialer{}
	c := &cache.Cache{Store: store, Fetcher: &fetch.Fetcher{Transport: &http.Transport{
		DisableKeepAlives: true,
		MaxConnsPerHost:   50,
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, network, address)
		},
	}}}
	t.Cleanup(func() { c.Close() })
	return c
}

// check calls Check, and reports a wrong answer: the path /closed and the hosts down-N are
// disallowed, everything else is allowed.
func check(t testing.TB, c *cache.Cache, host, path string) cache.Answer {
	a, err := c.Check(context.Background(), []string{"ExampleBot"}, "http://"+host+path)
	want := !strings.HasPrefix(host, "down-") && path != "/closed"
	if err != nil || a.Allowed != want {
		t.Errorf("http://%s%s: allowed %v (%v), %v; want %v", host, path, a.Allowed, a.Reason, err, want)
	}
	return a
}

const fleetSites = 200

// two processes that share a Redis fetch each robots.txt once.
func TestFleet(t *testing.T) {
	s, w := startServer(t), newWeb(t)
	if err := runCrawlers(s, w, 2); err != nil {
		t.Fatal(err)
	}
	for n := range fleetSites {
		for _, host := range []string{fmt.Sprintf("site-%d.example", n), fmt.Sprintf("down-%d.example", n)} {
			if got := w.retrievals(host); got != 1 {
				t.Errorf("%s: %d retrievals", host, got)
			}
		}
	}
}

// runCrawlers runs some crawlers, each in a process of its own.
func runCrawlers(s *server, w *web, processes int) error {
	failed := make(chan error, processes)
	for range processes {
		go func() {
			child := exec.Command(os.Args[0], "-test.run", "^TestFleetCrawler$")
			child.Env = append(os.Environ(), "HEED_FLEET="+s.URL()+" "+w.address)
			out, err := child.CombinedOutput()
			if err != nil {
				err = fmt.Errorf("%w: %s", err, out)
			}
			failed <- err
		}()
	}
	for range processes {
		if err := <-failed; err != nil {
			return err
		}
	}
	return nil
}

// TestFleetCrawler is a process of TestFleet.
func TestFleetCrawler(t *testing.T) {
	url, address, ok := strings.Cut(os.Getenv("HEED_FLEET"), " ")
	if !ok {
		t.Skip("this is a process of TestFleet")
	}
	// A long timeout, since this test is not about the timeout, and the machine may be busy.
	c := crawler(t, address, open(t, url, redis.Options{Timeout: 5 * time.Second}))
	var wg sync.WaitGroup
	for _, n := range rand.Perm(fleetSites) {
		for range 3 {
			wg.Go(func() {
				check(t, c, fmt.Sprintf("site-%d.example", n), "/closed")
				check(t, c, fmt.Sprintf("down-%d.example", n), "/")
			})
		}
	}
	wg.Wait()
}

// G-8, R-18: if one crawler fetches a changed file, the others use it without a retrieval of
// their own.
func TestChangeReachesOtherCrawlers(t *testing.T) {
	s, w := startServer(t), newWeb(t)
	one, other := crawler(t, w.address, open(t, s.URL(), redis.Options{})), crawler(t, w.address, open(t, s.URL(), redis.Options{}))
	check(t, one, "site-1.example", "/")
	check(t, other, "site-1.example", "/")
	w.extra.Store("Disallow: /new\n")
	o, err := origin.Parse("http://site-1.example/")
	if err != nil {
		t.Fatal(err)
	}
	if err := one.Refresh(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	eventually(t, 10*time.Second, "the other crawler has the new file", func() bool {
		a, err := other.Check(context.Background(), []string{"ExampleBot"}, "http://site-1.example/new")
		return err == nil && !a.Allowed
	})
	if got := w.retrievals("site-1.example"); got != 2 {
		t.Errorf("%d retrievals, want 2", got)
	}
}

// Redis is killed under load and started again. Origins in memory need no
// retrieval, and the others are fetched without Redis. No failure allows a URL.
func TestCrawlersOutliveRedis(t *testing.T) {
	portion.Skip(t, 4)
	s, w := startServer(t), newWeb(t)
	store := open(t, s.URL(), redis.Options{Timeout: time.Second}) // the goroutines below use all of the processors
	c := crawler(t, w.address, store)
	var answers, phase atomic.Int64
	phases := []string{"up", "killed", "back"}
	stop, wg := make(chan struct{}), sync.WaitGroup{}
	end := sync.OnceFunc(func() { close(stop); wg.Wait() })
	defer end()
	for range 30 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				// Two questions about an origin that may be in memory, and two about new origins.
				n, kind := rand.IntN(100), phases[phase.Load()]
				check(t, c, fmt.Sprintf("site-%d.example", n), "/closed")
				check(t, c, fmt.Sprintf("site-%d.example", n), "/open")
				check(t, c, fmt.Sprintf("site-%s-%d.example", kind, n), "/closed")
				check(t, c, fmt.Sprintf("down-%s-%d.example", kind, n), "/")
				answers.Add(4)
			}
		})
	}
	stored := func(host string) bool {
		o, err := origin.Parse("http://" + host)
		if err != nil {
			t.Fatal(err)
		}
		_, err = store.Get(context.Background(), o)
		return err == nil
	}
	time.Sleep(500 * time.Millisecond)
	s.Kill()
	phase.Store(1)
	before := answers.Load()
	time.Sleep(1500 * time.Millisecond)
	during := answers.Load() - before
	eventually(t, 10*time.Second, "a new origin is fetched without Redis", func() bool { return w.retrievals("site-killed-7.example") > 0 })
	s.Start()
	phase.Store(2)
	tries := 0
	eventually(t, 15*time.Second, "new sites are in Redis again", func() bool {
		before := fmt.Sprintf("site-again-%d.example", tries) // not the newest: that may still wait for its write
		tries++
		check(t, c, fmt.Sprintf("site-again-%d.example", tries), "/closed")
		return stored(before)
	})
	end()
	t.Logf("%d answers while Redis was down", during)
	if during < 1000 {
		t.Errorf("%d answers while Redis was down", during)
	}
	for n := range 100 {
		if got := w.retrievals(fmt.Sprintf("site-%d.example", n)); got > 1 {
			t.Errorf("site %d was in memory, but there were %d retrievals", n, got)
		}
	}
}
