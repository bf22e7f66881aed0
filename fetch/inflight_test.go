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
	"time"

	"github.com/heed-robots/heed/origin"
)

// silent starts a server, on all addresses of this machine, that takes
// connections and says nothing. It counts those that are open.
func silent(t *testing.T) (port int, open, most *atomic.Int64) {
	t.Helper()
	listener, err := net.Listen("tcp4", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	open, most = new(atomic.Int64), new(atomic.Int64)
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			n := open.Add(1)
			most.Store(max(most.Load(), n))
			go func() {
				io.Copy(io.Discard, c)
				c.Close()
				open.Add(-1)
			}()
		}
	}()
	return listener.Addr().(*net.TCPAddr).Port, open, most
}

// fetchAll retrieves all at the same time, and calls seen with each result, one
// at a time.
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

// 10,000 hosts that never answer hold a bounded number of connections, of all
// schemes, and do not keep a healthy one from its turn. Of those that had none,
// nothing is said but that.
func TestDeadHosts(t *testing.T) {
	const count, inFlight = 10_000, 100
	port, open, most := silent(t)
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
		t.Error("a healthy host has no turn")
	}
	group.Wait()
	t.Logf("%d connections at most, %d timed out, %d had no turn, a healthy host was asked at try %d", most.Load(), failed, busy, tries+1)
	if n := most.Load(); n > 2*inFlight { // what the client has closed the server sees later
		t.Errorf("%d connections at the same time", n)
	}
	if busy == 0 || failed < inFlight {
		t.Errorf("%d had no turn, %d timed out", busy, failed)
	}
	await(t, "the end of all connections", func() bool { return open.Load() == 0 })
	f.all.mu.Lock()
	defer f.all.mu.Unlock()
	if f.all.running != 0 || f.all.firsts.Len()+f.all.redirects.Len() != 0 {
		t.Errorf("%d places are left taken, %d wait", f.all.running, f.all.firsts.Len()+f.all.redirects.Len())
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

// await waits for something that comes soon.
func await(t *testing.T, what string, come func() bool) {
	t.Helper()
	for range 2000 {
		if come() {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("waited in vain for %s", what)
}

// However many dead hosts a domain has, they leave room for others, which do not
// even wait.
func TestDomainOfDeadHosts(t *testing.T) {
	t.Parallel()
	port, _, most := silent(t)
	healthy := serve(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, someRules) })
	address := strings.TrimPrefix(healthy.String(), "http://")
	f := &Fetcher{MaxInFlight: 16, Timeout: 4 * time.Second, Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, network, name string) (net.Conn, error) {
			to := address
			if strings.Contains(name, ".trap.co.uk") {
				to = fmt.Sprintf("127.0.0.1:%d", port)
			}
			return new(net.Dialer).DialContext(ctx, network, to)
		},
	}}
	var dead []origin.Origin
	for i := range 1000 {
		dead = append(dead, parse(t, fmt.Sprintf("http://n%d.trap.co.uk%s", i, []string{"", "."}[i%2])))
	}
	var ended atomic.Bool // the time of the first of them
	group := fetchAll(t, f, dead, func(r Result) {
		ended.Store(true)
		if r.Err == nil {
			t.Errorf("%s: %s", r.Origin, r.Outcome(nil))
		}
	})
	await(t, "the dead", func() bool { return most.Load() > 0 })
	for i := range 20 {
		r, err := f.Fetch(context.Background(), parse(t, fmt.Sprintf("http://www.site%d.co.uk", i)), Validators{})
		if err != nil || r.Outcome(nil) != Rules {
			t.Errorf("another domain: %v, %v", r.Err, err)
		}
	}
	if ended.Load() {
		t.Error("another domain waited for the dead")
	}
	group.Wait()
	f.domains.mu.Lock()
	defer f.domains.mu.Unlock()
	if n := len(f.domains.keys); n != 0 {
		t.Errorf("%d domains are left behind", n)
	}
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

// However a redirect writes a host, it is one host.
func TestOneHostInManyWays(t *testing.T) {
	t.Parallel()
	f := &Fetcher{MaxPerHost: 1, Timeout: 200 * time.Millisecond}
	leave, err := f.acquire(context.Background(), f.newTimeLeft(), "www.example.com")
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"www.example.com", "WWW.Example.com", "www.example.com."} {
		var busy *busyError
		if _, err := f.acquire(context.Background(), f.newTimeLeft(), host); !errors.As(err, &busy) || busy.InAll {
			t.Errorf("%s: %v", host, err)
		}
	}
	leave()
	if leave, err = f.acquire(context.Background(), f.newTimeLeft(), "WWW.example.com."); err != nil {
		t.Fatal(err)
	}
	leave()
}

// Hosts that all lead to the same slow one hold each other up there, and nobody
// else: a redirect holds no place while it waits for a turn.
func TestRedirectsToOneSlowHost(t *testing.T) {
	t.Parallel()
	port, _, _ := silent(t)
	parking := serveAt(t, "0.0.0.0:0", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, fmt.Sprintf("http://127.99.0.1:%d/", port), http.StatusFound)
	})
	_, parkingPort, _ := net.SplitHostPort(strings.TrimPrefix(parking.String(), "http://"))
	var parked []origin.Origin
	for i := range 50 {
		parked = append(parked, parse(t, fmt.Sprintf("http://127.98.0.%d:%s", i+1, parkingPort)))
	}
	f := &Fetcher{AllowPrivate: true, MaxInFlight: 10, MaxPerHost: 2, Timeout: 3 * time.Second}
	redirected := 0
	group := fetchAll(t, f, parked, func(r Result) {
		if r.Redirects() == 1 {
			redirected++
		}
		if r.Outcome(nil) != Unreachable {
			t.Errorf("%s: %s", r.Origin, r.Outcome(nil))
		}
	})
	healthy := serve(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, someRules) })
	for range 20 {
		if r, err := f.Fetch(context.Background(), healthy, Validators{}); err != nil || r.Outcome(nil) != Rules {
			t.Errorf("a healthy host: %v, %v", r.Err, err)
		}
	}
	group.Wait()
	if redirected != 50 {
		t.Errorf("%d of 50 were asked", redirected)
	}
}

// What a retrieval waits is not taken from the time that it has to ask.
func TestWaitingDoesNotCount(t *testing.T) {
	t.Parallel()
	const timeout = 4 * time.Second
	slow := func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(timeout * 6 / 10)
		io.WriteString(w, someRules)
	}
	f := &Fetcher{MaxInFlight: 1, Timeout: timeout, AllowPrivate: true}
	fetchAll(t, f, []origin.Origin{serve(t, slow), serve(t, slow)}, func(r Result) {
		if r.Outcome(nil) != Rules { // one after the other: there is one place
			t.Error(r.Err)
		}
	}).Wait()
}

// Places go round first come, first served, those that go on before those that
// begin, and who gives up leaves no place taken.
func TestPlacesInOrder(t *testing.T) {
	var l limiter
	ctx := context.Background()
	if !l.acquire(ctx, 1, false) {
		t.Fatal("no place, and nobody has one")
	}
	var order []string
	var group sync.WaitGroup
	waiting := func() int {
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.firsts.Len() + l.redirects.Len()
	}
	enter := func(ctx context.Context, name string, goesOn bool) {
		before := waiting()
		group.Go(func() {
			if l.acquire(ctx, 1, goesOn) {
				order = append(order, name) // who has the place is alone
				l.release()
			}
		})
		await(t, "who waits", func() bool { return waiting() > before })
	}
	given, giveUp := context.WithCancel(ctx)
	enter(ctx, "a", false)
	enter(given, "gives up", false)
	enter(ctx, "b", false)
	enter(given, "gives up too", true)
	enter(ctx, "c", true)
	enter(ctx, "d", true)
	giveUp()
	await(t, "who gave up", func() bool { return waiting() == 4 })
	l.release()
	group.Wait()
	if got := strings.Join(order, " "); got != "c d a b" || l.running != 0 {
		t.Errorf("%s, and %d taken", got, l.running)
	}
}
