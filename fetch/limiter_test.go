package fetch

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/heed-robots/heed/origin"
)

// MaxPerHost limits the requests to one host, even for many of its ports.
func TestMaxPerHost(t *testing.T) {
	var running, peak atomic.Int32
	var origins []origin.Origin
	for range 12 {
		origins = append(origins, serve(t, func(w http.ResponseWriter, _ *http.Request) {
			n := running.Add(1)
			defer running.Add(-1)
			for old := peak.Load(); n > old && !peak.CompareAndSwap(old, n); old = peak.Load() {
			}
			time.Sleep(20 * time.Millisecond)
			io.WriteString(w, someRules)
		}))
	}
	f := &Fetcher{MaxPerHost: 3, AllowPrivate: true}
	var wg sync.WaitGroup
	for _, o := range origins {
		wg.Go(func() {
			if r, err := f.Fetch(context.Background(), o, Validators{}); err != nil || r.Outcome(nil) != Rules {
				t.Errorf("%s: %v, %v", o, r.Err, err)
			}
		})
	}
	wg.Wait()
	if peak.Load() != 3 {
		t.Errorf("%d requests at the same time, want 3", peak.Load())
	}
	left := -1
	for range 200 {
		f.hosts.mu.Lock()
		left = len(f.hosts.keys)
		f.hosts.mu.Unlock()
		if left == 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if left != 0 {
		t.Errorf("%d hosts are still in memory", left)
	}
}

// A request that waits longer than Timeout for other requests fails with HostBusy.
func TestWaitingForAHostEnds(t *testing.T) {
	o := serve(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, someRules) })
	slow := &Fetcher{MaxPerHost: 1, AllowPrivate: true, Timeout: 200 * time.Millisecond}
	hold, err := slow.hosts.acquire(context.Background(), "127.0.0.1", 1)
	if err != nil {
		t.Fatal(err)
	}
	r, err := slow.Fetch(context.Background(), o, Validators{})
	if err != nil || r.Outcome(nil) != Unreachable || !errors.Is(r.Err, HostBusy) {
		t.Errorf("%s, %v, %v", r.Outcome(nil), r.Err, err)
	}
	hold()
	if r, err := slow.Fetch(context.Background(), o, Validators{}); err != nil || r.Outcome(nil) != Rules {
		t.Errorf("after the other request: %v, %v", r.Err, err)
	}
}

// publicAddress adds a public address to the loopback interface of this machine until the
// test ends.
func publicAddress(t *testing.T) string {
	const address = "11.34.56.78"
	if out, err := exec.Command("ip", "addr", "add", address+"/32", "dev", "lo").CombinedOutput(); err != nil {
		t.Skipf("the test of redirects from public addresses needs the command ip and root: %v: %s", err, out)
	}
	t.Cleanup(func() { exec.Command("ip", "addr", "del", address+"/32", "dev", "lo").Run() })
	return address
}

// G-7: a redirect from a public server to this machine is not followed, however the host
// is written.
func TestGuardedRedirects(t *testing.T) {
	public := publicAddress(t)
	requested := false
	inside := serve(t, func(w http.ResponseWriter, _ *http.Request) { requested = true; io.WriteString(w, "user-agent: *\n") })
	for _, host := range []string{"127.0.0.1", "localhost", "LOCALHOST.", "[::ffff:127.0.0.1]", "0.0.0.0", "[::]", "127.1.2.3"} {
		to := strings.Replace(inside.String(), "127.0.0.1", host, 1)
		outside := serveAt(t, public+":0", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, to+"/robots.txt", http.StatusFound)
		})
		r, err := (&Fetcher{Timeout: 5 * time.Second}).Fetch(context.Background(), outside, Validators{})
		if err != nil || len(r.Hops) != 2 || r.Hops[0].Status != 302 || r.Outcome(nil) != Unreachable || r.Err == nil || requested {
			t.Errorf("redirect to %s: %s, %v, %v, hops %v", to, r.Outcome(nil), r.Err, err, r.Hops)
		}
	}
	outside := serveAt(t, public+":0", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, someRules) })
	if r, err := (&Fetcher{}).Fetch(context.Background(), outside, Validators{}); err != nil || r.Outcome(nil) != Rules {
		t.Errorf("a public server: %v, %v", r.Err, err)
	}
}

// Numbers below 0 mean the default, and never a limit of nothing.
func TestNegativeSettings(t *testing.T) {
	o := serve(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, someRules) })
	f := &Fetcher{AllowPrivate: true, MaxBytes: -1, MaxRedirects: -1, Timeout: -1, MaxPerHost: -1}
	r, err := f.Fetch(context.Background(), o, Validators{})
	if err != nil || r.Err != nil || string(r.Body) != someRules {
		t.Errorf("%q, %v, %v", r.Body, r.Err, err)
	}
}
