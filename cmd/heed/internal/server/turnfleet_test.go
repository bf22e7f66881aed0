package server

import (
	"context"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/internal/testing/redistest"
	"github.com/heed-robots/heed/internal/turns"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/store/redis"
)

// startOnRedis starts a daemon with a Redis.
func startOnRedis(t *testing.T, url string) (daemon string) {
	t.Helper()
	store, err := redis.Open(url, redis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	fetcher := &fetch.Fetcher{AllowPrivate: true}
	caches := NewCaches(func(d *robotstxt.Dialect) *cache.Cache {
		return &cache.Cache{Fetcher: fetcher, Store: store, Dialect: d}
	})
	t.Cleanup(func() { caches.Close(); store.Close() })
	return start(t, &Server{Caches: caches, Turns: &turns.Turns{Shared: store}})
}

// The turns of daemons with one Redis are of the same fleet, and each can give back those of
// another. When Redis is down, a daemon keeps the delay with its own turns and with those that it
// got from Redis.
func TestTurnsOfDaemons(t *testing.T) {
	fleet := redistest.Start(t)
	one, other, shop := startOnRedis(t, fleet.URL()), startOnRedis(t, fleet.URL()), site(t, slowSite)
	began := time.Now()
	take := func(daemon string, after float64) *aTurn {
		t.Helper()
		status, answer, got := turn(t, daemon, shop+"/")
		if got.expect(t, began, after); status != 200 {
			t.Errorf("%d %v", status, answer)
		}
		return got
	}
	take(one, 0)
	second := take(other, 30)
	third := take(one, 60)
	if status := giveBack(t, one, second.id); status != 200 {
		t.Errorf("giving back the turn of another daemon: status %d", status)
	}
	take(one, 30)
	fleet.Kill()
	if status := giveBack(t, other, third.id); status != http.StatusServiceUnavailable {
		t.Errorf("giving back without Redis: status %d", status)
	}
	take(one, 90)   // behind those that it got from Redis
	take(other, 60) // behind the one that it got
	own := take(other, 90)
	if status := giveBack(t, other, own.id); status != 200 {
		t.Errorf("giving back an own turn: status %d", status)
	}
	take(other, 90)
}

// A visits is a site with a crawl delay, which notes when which daemon's clients came.
type visits struct {
	delay time.Duration
	mu    sync.Mutex
	last  map[string]time.Time     // by daemon, and "" for all
	least map[string]time.Duration // the smallest gap
	count int

	missed atomic.Int64 // turns for which a client was too slow
}

func (v *visits) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now := time.Now()
	if r.URL.Path == "/robots.txt" {
		fmt.Fprintf(w, "User-agent: *\nCrawl-delay: %g\n", v.delay.Seconds())
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.count++
	for _, who := range []string{"", r.Header.Get("Daemon")} {
		if last, ok := v.last[who]; ok {
			v.least[who] = min(v.least[who], now.Sub(last))
		}
		v.last[who] = now
	}
}

func (v *visits) forget(who string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.last, who)
	v.least[who], v.count = math.MaxInt64, 0
}

// crawl sends requests to the site when it has a turn, until the context ends.
func (v *visits) crawl(ctx context.Context, t *testing.T, daemon, name, site string) {
	for ctx.Err() == nil {
		_, _, got := turn(t, daemon, site+"/")
		if got == nil {
			t.Error("no turn")
			return
		}
		select {
		case <-time.After(time.Until(got.at)): // the clients are on one machine, so no time is lost on the way
		case <-ctx.Done():
			giveBack(t, daemon, got.id)
			return
		}
		if time.Since(got.at).Seconds() > got.valid {
			v.missed.Add(1)
			continue
		}
		r, _ := http.NewRequest("GET", site+"/", nil)
		r.Header.Set("Daemon", name)
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Error(err)
			return
		}
		io.Copy(io.Discard, response.Body)
		response.Body.Close()
	}
}

// The site sees the crawl delay between the requests of many clients of two daemons with one Redis.
// Redis is killed: each daemon keeps the delay for itself. HEED_TURNS, such as 10m, makes it longer.
func TestTurnsAtSite(t *testing.T) {
	if os.Getenv("HEED_TURNS") == "" && !portion.Whole() {
		t.Skip("it takes ten seconds: a part of make test-all")
	}
	v := &visits{delay: time.Second, last: map[string]time.Time{}, least: map[string]time.Duration{}}
	length := 5 * time.Second
	if text := os.Getenv("HEED_TURNS"); text != "" {
		var err error
		if length, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	fleet := redistest.Start(t)
	site := httptest.NewServer(v)
	defer site.Close()
	for _, who := range []string{"", "0", "1"} {
		v.forget(who)
	}
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	stalled := watchMachine(ctx, &running)
	for i := range 2 {
		daemon := startOnRedis(t, fleet.URL())
		for range 5 {
			running.Go(func() { v.crawl(ctx, t, daemon, strconv.Itoa(i), site.URL) })
		}
	}
	check := func(what string, who ...string) {
		t.Helper()
		v.mu.Lock()
		defer v.mu.Unlock()
		late := stalled()
		for _, who := range who {
			t.Logf("%s: daemon %q: the smallest gap is %v, after %d requests and %d missed turns in all; the machine stalled for %v", what, who, v.least[who], v.count, v.missed.Load(), late)
			if want := v.delay - v.delay/20 - late; v.least[who] < want || v.least[who] == math.MaxInt64 {
				t.Errorf("%s: daemon %q: a gap of %v, want %v", what, who, v.least[who], want)
			}
		}
	}
	time.Sleep(length)
	check("with Redis", "")
	fleet.Kill()
	time.Sleep(length)
	check("Redis is down", "0", "1")
	stop()
	running.Wait()
}

// watchMachine returns a function that returns for how long the machine did not run a goroutine, at
// most.
func watchMachine(ctx context.Context, running *sync.WaitGroup) func() time.Duration {
	const nap = 5 * time.Millisecond
	var mu sync.Mutex
	var longest time.Duration
	running.Go(func() {
		for ctx.Err() == nil {
			began := time.Now()
			time.Sleep(nap)
			mu.Lock()
			longest = max(longest, time.Since(began)-nap)
			mu.Unlock()
		}
	})
	return func() time.Duration {
		mu.Lock()
		defer mu.Unlock()
		return longest
	}
}

// goneClient is a Pacer that gives a turn when the client does not wait for it any more.
type goneClient struct {
	cache.Pacer
	asked chan bool
	back  chan cache.Turn
}

func (g goneClient) Reserve(ctx context.Context, o origin.Origin, _ time.Time, delay time.Duration) (cache.Turn, error) {
	g.asked <- true
	<-ctx.Done()
	return cache.Turn{Origin: o, ID: "1", At: time.Now(), Delay: delay}, nil
}

func (g goneClient) Return(ctx context.Context, t cache.Turn) error {
	g.back <- t
	return ctx.Err()
}

// The turn of a client that goes before it has the answer is given back.
func TestTurnOfGoneClient(t *testing.T) {
	g := goneClient{asked: make(chan bool), back: make(chan cache.Turn)}
	daemon, shop := start(t, &Server{Turns: &turns.Turns{Shared: g}}), site(t, slowSite)
	ctx, gone := context.WithCancel(context.Background())
	r, err := http.NewRequestWithContext(ctx, "POST", daemon+"/v1/turn", strings.NewReader(`{"agent": "a", "url": "`+shop+`/"}`))
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		if response, err := http.DefaultClient.Do(r); err == nil {
			response.Body.Close()
		}
	}()
	<-g.asked
	gone()
	if turn := <-g.back; turn.ID != "1" || turn.Origin.String() != shop {
		t.Errorf("%+v was given back", turn)
	}
}
