package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/heed-robots/heed/cmd/heed/internal/sites"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/internal/testing/redistest"
)

// manySites is many sites on one port: each has an address of its own in 127.0.0.0/8. All
// disallow /cart.
type manySites struct {
	port     int
	requests atomic.Int64
}

func startSites(t *testing.T) *manySites {
	t.Helper()
	l, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &manySites{port: l.Addr().(*net.TCPAddr).Port}
	server := http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		s.requests.Add(1)
		io.WriteString(w, "User-agent: *\nDisallow: /cart\n"+strings.Repeat("# a long comment\n", 100))
	})}
	go server.Serve(l)
	t.Cleanup(func() { server.Close() })
	return s
}

func (s *manySites) origin(i int) string {
	return fmt.Sprintf("http://127.2.%d.%d:%d", i>>8, i&255, s.port)
}

// verdict asks the daemon about a URL, and returns "allowed", "disallowed", "unreachable" or why
// there is no answer.
func (d *servingProcess) verdict(url string) string {
	response, err := http.Get(d.url + "/v1/check?agent=ExampleBot&url=" + url)
	if err != nil {
		return err.Error()
	}
	defer response.Body.Close()
	var a struct {
		Allowed       bool
		Reason, Error string
	}
	switch err := json.NewDecoder(response.Body).Decode(&a); {
	case err != nil:
		return err.Error()
	case a.Error != "":
		return a.Error
	case a.Reason == "unreachable":
		return a.Reason
	case a.Allowed:
		return "allowed"
	}
	return "disallowed"
}

// checkSites asks about both kinds of URLs of some sites, and fails for each wrong answer.
func (d *servingProcess) checkSites(t *testing.T, when string, s *manySites, first, last int) {
	t.Helper()
	for i := first; i < last; i++ {
		if got := d.verdict(s.origin(i) + "/cart"); got != "disallowed" {
			t.Errorf("%s: %s/cart: %s", when, s.origin(i), got)
		}
		if got := d.verdict(s.origin(i) + "/"); got != "allowed" {
			t.Errorf("%s: %s/: %s", when, s.origin(i), got)
		}
	}
}

// After SIGKILL, the next daemon answers from what the first one had written, with at most a few
// retrievals more.
func TestServeKilled(t *testing.T) {
	portion.Skip(t, 4)
	t.Parallel()
	folder, many := t.TempDir(), startSites(t)
	d := startServe(t, "--store", folder)
	d.checkSites(t, "before", many, 0, 200)
	time.Sleep(2 * time.Second) // the records are written in the background
	d.Process.Kill()
	d.Wait()
	before := many.requests.Load()
	d = startServe(t, "--store", folder)
	d.checkSites(t, "after", many, 0, 200)
	if n := many.requests.Load() - before; n > 20 {
		t.Errorf("after SIGKILL and a restart there were %d retrievals for 200 sites that were cached", n)
	}
}

// What was answered more than five seconds before SIGKILL is in the store, also under load: with HEED_WHOLE, as
// much as the machine can bear.
func TestServeKilledUnderLoad(t *testing.T) {
	t.Parallel()
	portion.Skip(t, 4)
	const bound = 5 * time.Second
	pause, asked := 20*time.Millisecond, 7*time.Second
	if portion.Whole() {
		pause, asked = 0, 8*time.Second
	}
	folder, many := t.TempDir(), startSites(t)
	d := startServe(t, "--store", folder)
	var next atomic.Int64
	var asking sync.WaitGroup
	var mu sync.Mutex
	answered := map[int]time.Time{}
	for range 64 {
		asking.Go(func() {
			for {
				i := int(next.Add(1))
				if d.verdict(many.origin(i)+"/cart") != "disallowed" { // the daemon is killed
					return
				}
				mu.Lock()
				answered[i] = time.Now()
				mu.Unlock()
				time.Sleep(pause)
			}
		})
	}
	time.Sleep(asked)
	killed := time.Now()
	d.Process.Kill()
	d.Wait()
	asking.Wait()
	d = startServe(t, "--store", folder)
	older, lost, oldest := 0, 0, time.Duration(0)
	for i, at := range answered {
		before := many.requests.Load()
		if got := d.verdict(many.origin(i) + "/cart"); got != "disallowed" {
			t.Errorf("site %d: %s", i, got)
		}
		age := killed.Sub(at)
		if age > bound {
			older++
		}
		if many.requests.Load() > before {
			lost++
			oldest = max(oldest, age)
		}
	}
	t.Logf("%d answers; %d were not in the store, and the first of these was given %s before SIGKILL", len(answered), lost, oldest)
	if oldest > bound || older < 100 {
		t.Errorf("%d answers were given more than %s before SIGKILL, and one of them is not in the store: it was given %s before", older, bound, oldest)
	}
}

// storeErrors returns the sum of heed_store_errors_total.
func (d *servingProcess) storeErrors(t *testing.T) (sum int) {
	t.Helper()
	response, err := http.Get(d.url + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "heed_store_errors_total{") {
			_, count, _ := strings.Cut(strings.TrimSpace(line), "} ")
			n, err := strconv.Atoi(count)
			if err != nil {
				t.Error(err)
			}
			sum += n
		}
	}
	return sum
}

// checkTrouble fails unless the failures of the store were counted and, as well as its end, are once
// in the log.
func (d *servingProcess) checkTrouble(t *testing.T) {
	t.Helper()
	for range 100 { // records are written in the background
		if len(d.log.lines("the store works again")) > 0 {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	failures, ends := d.log.lines("the store failed"), d.log.lines("the store works again")
	if n := d.storeErrors(t); n == 0 || len(failures) != 1 || len(ends) != 1 {
		t.Errorf("%d failures were counted, and these were logged: %q, %q", n, failures, ends)
	}
}

// If the folder of the store is removed, its file is replaced or damaged, its disk is full, or it
// cannot be opened, all answers are right; a store that can be used again is used again, and the log
// says both once.
func TestServeWithoutStore(t *testing.T) {
	t.Parallel()
	t.Run("removed", func(t *testing.T) {
		t.Parallel()
		many := startSites(t)
		folder := filepath.Join(t.TempDir(), "store")
		d := startServe(t, "--store", folder)
		d.checkSites(t, "before", many, 0, 20)
		if err := os.RemoveAll(folder); err != nil {
			t.Fatal(err)
		}
		time.Sleep(1100 * time.Millisecond) // the daemon looks once a second
		d.checkSites(t, "after", many, 0, 100)
		d.checkTrouble(t)
		d.checkKept(t, folder, many, 20, 100)
	})
	t.Run("damaged", func(t *testing.T) {
		t.Parallel()
		many := startSites(t)
		folder := t.TempDir()
		d := startServe(t, "--store", folder)
		d.checkSites(t, "before", many, 0, 20)
		d.Process.Signal(syscall.SIGTERM)
		d.Wait()
		d = startServe(t, "--store", folder) // all records are in the file itself now
		if err := os.WriteFile(filepath.Join(folder, sites.StoreFile), make([]byte, 1<<20), 0o600); err != nil {
			t.Fatal(err)
		}
		d.checkSites(t, "damaged", many, 20, 50)
		time.Sleep(1100 * time.Millisecond)
		d.checkSites(t, "after", many, 50, 100)
		d.checkTrouble(t)
		d.checkKept(t, folder, many, 50, 100)
	})
	t.Run("opened later", func(t *testing.T) {
		t.Parallel()
		many := startSites(t)
		file := filepath.Join(t.TempDir(), "file")
		folder := filepath.Join(file, "store")
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		d := startServe(t, "--store", folder)
		d.checkSites(t, "before", many, 0, 20)
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		time.Sleep(1100 * time.Millisecond)
		d.checkSites(t, "after", many, 20, 100)
		d.checkTrouble(t)
		d.checkKept(t, folder, many, 20, 100)
	})
	t.Run("full disk", func(t *testing.T) {
		t.Parallel()
		many := startSites(t)
		folder := t.TempDir()
		if err := syscall.Mount("none", folder, "tmpfs", 0, "size=1m"); err != nil {
			t.Skipf("no disk can be mounted: %v", err)
		}
		d := startServe(t, "--store", folder)
		t.Cleanup(func() { d.Process.Kill(); d.Wait(); syscall.Unmount(folder, 0) })
		ballast := make([]byte, 1<<20)
		os.WriteFile(filepath.Join(folder, "ballast"), ballast, 0o600) // fails when the disk is full
		d.checkSites(t, "full disk", many, 0, 300)
		d.checkSites(t, "full disk, again", many, 0, 300)
		if err := os.Remove(filepath.Join(folder, "ballast")); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mount("none", folder, "tmpfs", syscall.MS_REMOUNT, "size=64m"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(1100 * time.Millisecond)
		d.checkSites(t, "more room", many, 300, 400)
		d.checkTrouble(t)
		d.checkKept(t, folder, many, 300, 400)
	})
}

// checkKept fails if another daemon with the store fetches sites again.
func (d *servingProcess) checkKept(t *testing.T, folder string, s *manySites, first, last int) {
	t.Helper()
	d.Process.Signal(syscall.SIGTERM) // it writes all records before it ends
	d.Wait()
	before := s.requests.Load()
	startServe(t, "--store", folder).checkSites(t, "another daemon", s, first, last)
	if n := s.requests.Load() - before; n > 0 {
		t.Errorf("another daemon made %d retrievals for %d sites that are in the store", n, last-first)
	}
}

// While Redis is down all answers are right; when it is up again, it is used.
func TestServeWithoutRedis(t *testing.T) {
	portion.Skip(t, 4)
	t.Parallel()
	many, redis := startSites(t), redistest.Start(t)
	d := startServe(t, "--store", redis.URL())
	d.checkSites(t, "Redis is up", many, 0, 50)
	redis.Kill()
	d.checkSites(t, "Redis is down", many, 0, 100)
	redis.Start()
	time.Sleep(3 * time.Second)
	d.checkSites(t, "Redis is up again", many, 100, 150)
	d.Process.Signal(syscall.SIGTERM) // it writes all records before it ends
	d.Wait()
	before := many.requests.Load()
	startServe(t, "--store", redis.URL()).checkSites(t, "another daemon", many, 100, 150)
	if n := many.requests.Load() - before; n > 5 {
		t.Errorf("another daemon made %d retrievals for 50 sites that are in Redis", n)
	}
}

// A thousand sites that accept connections and say nothing are unreachable in the end, and nobody
// who asks about another site waits for them.
func TestServeStalledSites(t *testing.T) {
	portion.Skip(t, 4)
	t.Parallel()
	stalled, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	defer stalled.Close()
	var mu sync.Mutex
	var accepted []net.Conn
	go func() {
		for {
			c, err := stalled.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			accepted = append(accepted, c)
			mu.Unlock()
		}
	}()
	many := startSites(t)
	d := startServe(t, "--timeout", "8s")
	d.checkSites(t, "before", many, 0, 1)
	var asking sync.WaitGroup
	var wrong atomic.Value
	start := time.Now()
	for i := range 1000 {
		asking.Go(func() {
			url := fmt.Sprintf("http://127.3.%d.%d:%d/", i>>8, i&255, stalled.Addr().(*net.TCPAddr).Port)
			if got := d.verdict(url); got != "unreachable" {
				wrong.Store(url + ": " + got)
			}
		})
	}
	time.Sleep(time.Second)
	asked := time.Now()
	d.checkSites(t, "while a thousand sites stall", many, 0, 1)
	if took := time.Since(asked); took > 6*time.Second {
		t.Errorf("two questions about a cached site took %s while a thousand sites stall", took)
	}
	asking.Wait()
	if why := wrong.Load(); why != nil {
		t.Error(why)
	}
	t.Logf("1000 stalled sites: %s", time.Since(start))
}

// SIGTERM under load: no client gets a part of an answer. A connection that is closed before its
// request was read is no answer at all, and the client asks another daemon.
func TestServeTerminatedUnderLoad(t *testing.T) {
	portion.Skip(t, 4)
	many := startSites(t)
	d := startServe(t)
	d.checkSites(t, "before", many, 0, 10)
	var asking sync.WaitGroup
	var answers atomic.Int64
	stop := make(chan bool)
	for n := range 16 {
		asking.Go(func() {
			for i := n; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				response, err := http.Get(d.url + "/v1/check?agent=ExampleBot&url=" + many.origin(i%10) + "/cart")
				if err != nil {
					return
				}
				body, err := io.ReadAll(response.Body)
				response.Body.Close()
				if err != nil || response.StatusCode == 200 && !strings.Contains(string(body), `"allowed":false`) {
					t.Errorf("status %d, %q, %v", response.StatusCode, body, err)
				}
				answers.Add(1)
			}
		})
	}
	time.Sleep(time.Second)
	d.Process.Signal(syscall.SIGTERM)
	ended := make(chan error, 1)
	go func() { ended <- d.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("after SIGTERM: %v", err)
		}
	case <-time.After(time.Minute):
		t.Error("the daemon does not end")
	}
	close(stop)
	asking.Wait()
	t.Logf("%d answers", answers.Load())
}

// If no resolver answers, a site is unreachable in time, and those that are cached are answered.
func TestServeWithoutDNS(t *testing.T) {
	portion.Skip(t, 4)
	t.Parallel()
	many := startSites(t)
	dead := filepath.Join(t.TempDir(), "resolv.conf")
	if err := os.WriteFile(dead, []byte("nameserver 127.0.0.153\noptions timeout:1 attempts:1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	silent, err := net.ListenPacket("udp", "127.0.0.153:53")
	if err != nil {
		t.Skipf("no resolver can be played: %v", err)
	}
	defer silent.Close()
	// A mount that only the daemon sees.
	d := startServeWith(t, []string{"unshare", "--mount", "sh", "-c", `mount --bind "$0" /etc/resolv.conf && exec "$@"`, dead}, "--timeout", "3s")
	start := time.Now()
	if got := d.verdict("https://site.example/"); got != "unreachable" {
		t.Errorf("no resolver answers: %s", got)
	}
	if took := time.Since(start); took < 500*time.Millisecond || took > 20*time.Second {
		t.Errorf("it took %s; expected about as long as --timeout", took)
	}
	d.checkSites(t, "no resolver answers", many, 0, 2)
}

// A store that does not work at the start is logged before any question, and the daemon still answers.
func TestServeStoreDownAtStart(t *testing.T) {
	d := startServe(t, "--store", "redis://127.0.0.1:1")
	if log := d.log.lines("level=WARN"); len(log) != 1 || !strings.Contains(log[0], "the store failed") {
		t.Errorf("%q", log)
	}
	response, err := http.Get(d.url + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != 200 {
		t.Error(response.Status)
	}
	if log := startServe(t).log.lines("level=WARN"); len(log) != 0 {
		t.Errorf("a store that works: %q", log)
	}
}

// If the process may open no more files, the log says why clients get no answer.
func TestServeTooManyOpenFiles(t *testing.T) {
	t.Parallel()
	d := startServeWith(t, []string{"sh", "-c", `ulimit -n 64 && exec "$@"`, "sh"})
	for range 100 {
		dialServe(t, d)
	}
	for end := time.Now().Add(20 * time.Second); len(d.log.lines("too many open files")) == 0; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the log: %q", d.log.lines(""))
		}
	}
	time.Sleep(2 * time.Second) // the daemon tries again each second
	if lines := d.log.lines("too many open files"); len(lines) != 1 {
		t.Errorf("%q", lines)
	}
}
