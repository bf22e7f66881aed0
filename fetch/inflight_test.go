package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/origin"
)

// silent starts a server, on all addresses of this machine, that accepts connections and
// sends nothing. It counts the open ones, and the highest number of them.
func silent(t *testing.T) (port int, open, peak *atomic.Int64) {
	t.Helper()
	listener, err := net.Listen("tcp4", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	open, peak = new(atomic.Int64), new(atomic.Int64)
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			n := open.Add(1)
			peak.Store(max(peak.Load(), n))
			go func() {
				io.Copy(io.Discard, c)
				c.Close()
				open.Add(-1)
			}()
		}
	}()
	return listener.Addr().(*net.TCPAddr).Port, open, peak
}

// fetchAll starts a retrieval of each origin, all at the same time, and calls seen with
// each result, one after the other.
func fetchAll(t *testing.T, f *Fetcher, origins []origin.Origin, seen func(Result)) *sync.WaitGroup {
	var group sync.WaitGroup
	var mu sync.Mutex
	for _, o := range origins {
		group.Go(func() {
			r, err := f.Fetch(context.Background(), o, Validators{})
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			seen(r)
		})
	}
	return &group
}

// Retrievals from 10,000 hosts that never respond, of all schemes, use a limited number of
// connections. A healthy host is still fetched. A retrieval that sent no request fails
// with HostBusy.
func TestDeadHosts(t *testing.T) {
	portion.Skip(t, 3)
	const count, inFlight = 10_000, 100
	port, open, peak := silent(t)
	var dead []origin.Origin
	for i := range count {
		scheme := []string{"http", "https", "ftp"}[i%3]
		dead = append(dead, parse(t, fmt.Sprintf("%s://127.1.%d.%d:%d", scheme, i>>8, i&0xff, port)))
	}
	healthy := serve(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, someRules) })
	f := &Fetcher{AllowPrivate: true, MaxInFlight: inFlight, Timeout: 2 * time.Second}
	busy, failed := 0, 0
	files := openFiles(t)
	group := fetchAll(t, f, dead, func(r Result) {
		switch {
		case errors.Is(r.Err, HostBusy):
			busy++
		case errors.Is(r.Err, TimedOut):
			failed++
		default:
			t.Errorf("%s: %v", r.Origin, r.Err)
		}
	})
	await(t, "connections", func() bool { return open.Load() >= inFlight/2 })
	if n := openFiles(t) - files; n > 4*inFlight {
		t.Errorf("%d files are open", n)
	}
	tries := 0
	for ; tries < 20; tries++ {
		r, err := f.Fetch(context.Background(), healthy, Validators{})
		if err == nil && r.Outcome(nil) == Rules {
			break
		}
		if err != nil || !errors.Is(r.Err, HostBusy) {
			t.Errorf("a healthy host: %v, %v", r.Err, err)
		}
	}
	if tries == 20 {
		t.Error("no request was sent to the healthy host")
	}
	group.Wait()
	t.Logf("at most %d connections, %d timed out, %d sent no request, the healthy host was fetched at try %d", peak.Load(), failed, busy, tries+1)
	if n := peak.Load(); n > 2*inFlight { // the server notices later that the client closed one
		t.Errorf("%d connections at the same time", n)
	}
	if busy == 0 || failed < inFlight {
		t.Errorf("%d sent no request, %d timed out", busy, failed)
	}
	await(t, "the end of all connections", func() bool { return open.Load() == 0 })
	f.all.mu.Lock()
	defer f.all.mu.Unlock()
	if f.all.running != 0 || f.all.firsts.Len()+f.all.redirects.Len() != 0 {
		t.Errorf("%d requests still count as running, %d wait", f.all.running, f.all.firsts.Len()+f.all.redirects.Len())
	}
}

func openFiles(t *testing.T) int {
	t.Helper()
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("no /proc/self/fd here: ", err)
	}
	return len(files)
}

// await waits until done returns true.
func await(t *testing.T, what string, done func() bool) {
	t.Helper()
	for range 2000 {
		if done() {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("waited in vain for %s", what)
}

// A web is all sites of a test that needs no network.
type web func(*http.Request) (*http.Response, error)

func (w web) RoundTrip(r *http.Request) (*http.Response, error) { return w(r) }

// hang is a site that never responds.
func hang(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// rules is a site with someRules.
func rules(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(someRules)), Request: r}, nil
}

// Many hosts of one domain that never respond do not delay the hosts of other domains.
func TestDomainOfDeadHosts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &Fetcher{MaxInFlight: 16, Timeout: 4 * time.Second, Transport: web(func(r *http.Request) (*http.Response, error) {
			if strings.Contains(r.URL.Host, ".trap.co.uk") {
				return hang(r)
			}
			return rules(r)
		})}
		var dead []origin.Origin
		for i := range 1000 {
			dead = append(dead, parse(t, fmt.Sprintf("http://n%d.trap.co.uk%s", i, []string{"", "."}[i%2])))
		}
		group := fetchAll(t, f, dead, func(r Result) {
			if r.Err == nil {
				t.Errorf("%s: %s", r.Origin, r.Outcome(nil))
			}
		})
		synctest.Wait() // all dead hosts hang, or wait for one that hangs
		began := time.Now()
		for i := range 20 {
			r, err := f.Fetch(t.Context(), parse(t, fmt.Sprintf("http://www.site%d.co.uk", i)), Validators{})
			if err != nil || r.Outcome(nil) != Rules {
				t.Errorf("another domain: %v, %v", r.Err, err)
			}
		}
		if time.Since(began) != 0 {
			t.Errorf("other domains waited %s for the dead hosts", time.Since(began))
		}
		group.Wait()
		f.domains.mu.Lock()
		defer f.domains.mu.Unlock()
		if n := len(f.domains.keys); n != 0 {
			t.Errorf("%d domains are still in memory", n)
		}
	})
}

func TestDomains(t *testing.T) {
	for host, want := range map[string]string{
		"www.example.com": "example.com", "example.com": "example.com", "a.b.example.co.uk": "example.co.uk", "me.github.io": "me.github.io",
		"com": "com", "localhost": "localhost", "": "", ".": ".", "127.1.2.3": "127.1.2.3", "::1": "::1", "a..b": "a..b",
	} {
		if got := domainOf(host); got != want {
			t.Errorf("%q: %q, want %q", host, got, want)
		}
	}
}

// The hosts of a domain together get an eighth of MaxInFlight, or MaxPerHost if that is more.
func TestShareOfADomain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, test := range []struct{ perHost, inFlight, want int }{{1, 24, 3}, {5, 8, 5}, {2, 9, 2}} {
			f := &Fetcher{MaxPerHost: test.perHost, MaxInFlight: test.inFlight, Timeout: 100 * time.Millisecond}
			count := 0
			for i := range 6 {
				if _, err := f.acquire(context.Background(), f.newTimeLeft(), fmt.Sprintf("n%d.example.co.uk", i)); err == nil {
					count++
				}
			}
			if count != test.want {
				t.Errorf("%+v: %d requests", test, count)
			}
			if n := len(f.hosts.keys); n != test.want {
				t.Errorf("%+v: %d hosts are in memory", test, n)
			}
		}
	})
}

// The time that a request waits is taken from that of its retrieval, and after a redirect it
// waits in the queue of redirects.
func TestAcquireAfterRedirect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &Fetcher{MaxInFlight: 1, Timeout: time.Minute}
		release, err := f.acquire(context.Background(), f.newTimeLeft(), "a.example")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.acquire(context.Background(), &timeLeft{waiting: time.Millisecond}, "b.example"); !errors.Is(err, HostBusy) || strings.Contains(err.Error(), "to it") {
			t.Error(err)
		}
		if hosts, domains := len(f.hosts.keys), len(f.domains.keys); hosts != 1 || domains != 1 {
			t.Errorf("%d hosts and %d domains are in memory", hosts, domains)
		}
		left := f.newTimeLeft()
		left.requested = true
		acquired := make(chan func())
		go func() {
			release, _ := f.acquire(context.Background(), left, "b.example")
			acquired <- release
		}()
		synctest.Wait()
		if redirects, firsts := f.all.redirects.Len(), f.all.firsts.Len(); redirects != 1 || firsts != 0 {
			t.Errorf("%d redirects and %d first requests wait", redirects, firsts)
		}
		time.Sleep(10 * time.Second)
		release()
		(<-acquired)()
		if waited := time.Minute - left.waiting; waited != 10*time.Second {
			t.Errorf("%s are taken from the time to wait", waited)
		}
	})
}

// All requests of a retrieval share its time.
func TestRequestsShareTheTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &Fetcher{Timeout: time.Minute}
		left := f.newTimeLeft()
		f.withinLimits(context.Background(), left, "a.example", func(context.Context) error { time.Sleep(10 * time.Second); return nil })
		if spent := time.Minute - left.requesting; spent != 10*time.Second || !left.requested {
			t.Errorf("%+v", left)
		}
	})
}

// Letter case and a final dot make no other host.
func TestOneHostInManySpellings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &Fetcher{MaxPerHost: 1, Timeout: 200 * time.Millisecond}
		release, err := f.acquire(context.Background(), f.newTimeLeft(), "www.example.com")
		if err != nil {
			t.Fatal(err)
		}
		for _, host := range []string{"www.example.com", "WWW.Example.com", "www.example.com."} {
			if _, err := f.acquire(context.Background(), f.newTimeLeft(), host); !errors.Is(err, HostBusy) || !strings.Contains(err.Error(), "to it") {
				t.Errorf("%s: %v", host, err)
			}
		}
		release()
		if release, err = f.acquire(context.Background(), f.newTimeLeft(), "WWW.example.com."); err != nil {
			t.Fatal(err)
		}
		release()
	})
}

// Hosts that all redirect to one slow host delay only each other: a retrieval that waits
// to follow a redirect does not count for MaxInFlight.
func TestRedirectsToOneSlowHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &Fetcher{MaxInFlight: 10, MaxPerHost: 2, Timeout: 3 * time.Second, Transport: web(func(r *http.Request) (*http.Response, error) {
			switch {
			case r.URL.Host == "slow.example":
				return hang(r)
			case strings.HasPrefix(r.URL.Host, "parked"):
				return &http.Response{StatusCode: 302, Header: http.Header{"Location": {"http://slow.example/"}}, Body: http.NoBody, Request: r}, nil
			}
			return rules(r)
		})}
		var parked []origin.Origin
		for i := range 50 {
			parked = append(parked, parse(t, fmt.Sprintf("http://parked%d.example", i)))
		}
		redirected := 0
		group := fetchAll(t, f, parked, func(r Result) {
			if r.Redirects() == 1 {
				redirected++
			}
			if r.Outcome(nil) != Unreachable {
				t.Errorf("%s: %s", r.Origin, r.Outcome(nil))
			}
		})
		synctest.Wait()
		began := time.Now()
		for range 20 {
			if r, err := f.Fetch(t.Context(), parse(t, "http://healthy.test"), Validators{}); err != nil || r.Outcome(nil) != Rules {
				t.Errorf("a healthy host: %v, %v", r.Err, err)
			}
		}
		if time.Since(began) != 0 {
			t.Errorf("a healthy host waited %s", time.Since(began))
		}
		group.Wait()
		if redirected != 50 {
			t.Errorf("%d of 50 were redirected", redirected)
		}
	})
}

// The time in which a request waits for other requests does not count for its Timeout.
func TestWaitingDoesNotCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const timeout = 4 * time.Second
		f := &Fetcher{MaxInFlight: 1, Timeout: timeout, Transport: web(func(r *http.Request) (*http.Response, error) {
			select {
			case <-time.After(timeout * 6 / 10):
				return rules(r)
			case <-r.Context().Done():
				return nil, r.Context().Err()
			}
		})}
		began := time.Now()
		fetchAll(t, f, []origin.Origin{parse(t, "http://a.example"), parse(t, "http://b.example")}, func(r Result) {
			if r.Outcome(nil) != Rules {
				t.Error(r.Err)
			}
		}).Wait()
		if took := time.Since(began); took != timeout*12/10 { // MaxInFlight makes one wait for the other
			t.Errorf("both took %s", took)
		}
	})
}

// A limiter serves requests in their order, but those that follow a redirect first. A
// request whose context ends does not count any more.
func TestLimiterOrder(t *testing.T) {
	var l limiter
	ctx := context.Background()
	if !l.acquire(ctx, 1, false) {
		t.Fatal("the first request has to wait")
	}
	var order []string
	var group sync.WaitGroup
	waiting := func() int {
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.firsts.Len() + l.redirects.Len()
	}
	enter := func(ctx context.Context, name string, isRedirect bool) {
		before := waiting()
		group.Go(func() {
			if l.acquire(ctx, 1, isRedirect) {
				order = append(order, name) // no lock: only one request runs at a time
				l.release()
			}
		})
		await(t, "the request to wait", func() bool { return waiting() > before })
	}
	canceled, cancel := context.WithCancel(ctx)
	enter(ctx, "a", false)
	enter(canceled, "canceled", false)
	enter(ctx, "b", false)
	enter(canceled, "canceled too", true)
	enter(ctx, "c", true)
	enter(ctx, "d", true)
	cancel()
	await(t, "the canceled ones to leave", func() bool { return waiting() == 4 })
	l.release()
	group.Wait()
	if got := strings.Join(order, " "); got != "c d a b" || l.running != 0 {
		t.Errorf("%s, and %d running", got, l.running)
	}
}
