package redis_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/polite"
	"github.com/heed-robots/heed/store/redis"
)

// TestPace: the processes of a fleet keep the crawl delay of a site together. Some are killed;
// each costs at most one turn. Redis is killed; each process keeps the delay for itself. Redis
// is started again, and they keep it together again. With HEED_WHOLE the test is short, with a few processes.
// With HEED_PACE, such as 10m, it kills processes for that time, and has fifty processes.
func TestPace(t *testing.T) {
	if os.Getenv("HEED_PACE") == "" && !portion.Whole() {
		t.Skip("it takes twenty seconds: a part of make test-all and make soak")
	}
	processes, delay, length, killPause := 6, 400*time.Millisecond, 5*time.Second, 2*time.Second
	if text := os.Getenv("HEED_PACE"); text != "" {
		var err error
		if length, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
		processes, delay, killPause = 50, time.Second, 20*time.Second
	}
	f := &pacedFleet{t: t, redis: startServer(t), site: newPacedSite(t, delay), delay: delay}
	defer f.end()
	f.watchMachine()
	for range processes {
		f.add()
	}
	f.waitForAll()

	f.missed.Store(0)
	f.site.forget()
	time.Sleep(length / 4)
	kills := 0
	for began := time.Now(); time.Since(began) < length; kills++ {
		f.replace(rand.IntN(processes))
		time.Sleep(killPause)
	}
	f.checkTogether("processes are killed", kills)

	f.redis.Kill()
	// First the processes use the turns that they have, and wait for Redis for two seconds.
	time.Sleep(time.Duration(processes)*delay + 3*time.Second)
	f.site.forget()
	time.Sleep(max(5*delay, 3*time.Second))
	f.checkEach(processes)

	f.redis.Start()
	f.waitForAll()
	time.Sleep(2 * delay) // a process may have begun to wait for a turn of its own
	f.missed.Store(0)
	f.site.forget()
	time.Sleep(max(10*delay, 3*time.Second))
	f.checkTogether("Redis is back", 0)
}

// A pacedFleet is processes that crawl one site as fast as its crawl delay permits.
type pacedFleet struct {
	t         *testing.T
	redis     *server
	site      *pacedSite
	delay     time.Duration
	crawlers  []*pacedCrawler
	added     int
	missed    atomic.Int64 // the turns that the processes missed, since each was too slow
	stalled   atomic.Int64 // the longest delay by the machine
	stopWatch func()
}

// A pacedCrawler is a process: TestPacedCrawler.
type pacedCrawler struct {
	run    *exec.Cmd
	stdin  io.Closer
	closed chan struct{} // its output has ended
}

// watchMachine measures for how long the machine does not run a goroutine.
func (f *pacedFleet) watchMachine() {
	const nap = 5 * time.Millisecond
	ctx, stop := context.WithCancel(context.Background())
	var watch sync.WaitGroup
	watch.Go(func() {
		for ctx.Err() == nil {
			begin := time.Now()
			time.Sleep(nap)
			raise(&f.stalled, time.Since(begin)-nap)
		}
	})
	f.stopWatch = func() { stop(); watch.Wait() }
}

func (f *pacedFleet) start() *pacedCrawler {
	f.added++
	c := &pacedCrawler{run: exec.Command(os.Args[0], "-test.run", "^TestPacedCrawler$"), closed: make(chan struct{})}
	c.run.Env = append(os.Environ(), fmt.Sprintf("HEED_PACED=%s %s %d", f.redis.URL(), f.site.address, f.added))
	c.run.Stderr = os.Stderr
	stdin, err := c.run.StdinPipe()
	if err != nil {
		f.t.Fatal(err)
	}
	c.stdin = stdin
	stdout, err := c.run.StdoutPipe()
	if err != nil {
		f.t.Fatal(err)
	}
	if err := c.run.Start(); err != nil {
		f.t.Fatal(err)
	}
	go func() {
		defer close(c.closed)
		for lines := bufio.NewScanner(stdout); lines.Scan(); {
			if lines.Text() == missedTurn {
				f.missed.Add(1)
			}
		}
	}()
	return c
}

func (f *pacedFleet) add() { f.crawlers = append(f.crawlers, f.start()) }

// replace kills a process (SIGKILL), and starts another one.
func (f *pacedFleet) replace(i int) {
	f.crawlers[i].run.Process.Kill()
	<-f.crawlers[i].closed
	f.crawlers[i].run.Wait()
	f.crawlers[i] = f.start()
}

// waitForAll waits until each process has a turn.
func (f *pacedFleet) waitForAll() {
	f.t.Helper()
	raw := f.redis.raw()
	eventually(f.t, time.Minute, "all processes have a turn", func() bool {
		turns, err := strconv.Atoi(runCommand(f.t, raw, "ZCARD", "heed:{http://site.example}:turns"))
		return err == nil && turns >= len(f.crawlers)
	})
}

func (f *pacedFleet) end() {
	f.stopWatch()
	for _, c := range f.crawlers {
		c.stdin.Close()
	}
	for _, c := range f.crawlers {
		<-c.closed
		if err := c.run.Wait(); err != nil {
			f.t.Errorf("a process: %v", err)
		}
	}
}

// checkTogether checks the gaps between all requests. Each process that was killed may cost one turn. On a slow
// machine, processes also miss turns.
func (f *pacedFleet) checkTogether(what string, kills int) {
	gaps, lost, short := gapsOf(f.site.visits()), 0, 0
	for _, gap := range gaps {
		if gap < f.delay-f.delay/20 {
			short++
		}
		lost += max(0, int(math.Round(float64(gap)/float64(f.delay)))-1)
	}
	missed, stalled := f.missed.Swap(0), time.Duration(f.stalled.Load())
	if len(gaps) < 5 {
		f.t.Fatalf("%s: %d gaps", what, len(gaps))
	}
	f.t.Logf("%s: %d requests, gaps from %v to %v, median %v, %d below 95 %%; %d turns lost, %d processes killed, %d turns missed; the machine stalled for %v",
		what, len(gaps)+1, gaps[0], gaps[len(gaps)-1], gaps[len(gaps)/2], short, lost, kills, missed, stalled)
	if least := f.delay - f.delay/20 - stalled; gaps[0] < least {
		f.t.Errorf("%s: a gap of %v, want at least %v", what, gaps[0], least)
	}
	if lost > kills+int(missed) {
		f.t.Errorf("%s: %d turns were lost, want at most %d", what, lost, kills+int(missed))
	}
}

// checkEach checks the gaps between the requests of each process.
func (f *pacedFleet) checkEach(processes int) {
	byCrawler, stalled := map[string][]visit{}, time.Duration(f.stalled.Load())
	for _, v := range f.site.visits() {
		byCrawler[v.crawler] = append(byCrawler[v.crawler], v)
	}
	if len(byCrawler) != processes {
		f.t.Errorf("%d processes send requests without Redis, want %d", len(byCrawler), processes)
	}
	smallest := time.Duration(math.MaxInt64)
	for _, visits := range byCrawler {
		if gaps := gapsOf(visits); len(gaps) > 0 {
			smallest = min(smallest, gaps[0])
		}
	}
	f.t.Logf("Redis is down: the smallest gap of a process is %v", smallest)
	if smallest < f.delay-f.delay/20-stalled || smallest > 2*f.delay+stalled {
		f.t.Errorf("Redis is down: a gap of %v, want %v", smallest, f.delay)
	}
}

// gapsOf returns the times between visits, sorted.
func gapsOf(visits []visit) (gaps []time.Duration) {
	for i := range max(0, len(visits)-1) {
		gaps = append(gaps, visits[i+1].at.Sub(visits[i].at))
	}
	slices.Sort(gaps)
	return gaps
}

// A pacedSite is a site with a crawl delay. It notes when each request comes.
type pacedSite struct {
	address string
	delay   time.Duration
	mu      sync.Mutex
	seen    []visit
}

type visit struct {
	at      time.Time
	crawler string
}

func newPacedSite(t *testing.T, delay time.Duration) *pacedSite {
	s := &pacedSite{delay: delay}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.address = server.Listener.Addr().String()
	return s
}

func (s *pacedSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	at := time.Now()
	if r.URL.Path == "/robots.txt" {
		fmt.Fprintf(w, "User-agent: *\nCrawl-delay: %g\n", s.delay.Seconds())
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, visit{at, r.URL.Path})
}

func (s *pacedSite) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = nil
}

func (s *pacedSite) visits() []visit {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen)
}

// A countingStore prints a line for each turn that a process missed. It has one turn at a time.
type countingStore struct {
	*redis.Store
	http.RoundTripper // sends the requests

	hasTurn atomic.Bool
}

const missedTurn = "missed a turn"

func (s *countingStore) Reserve(ctx context.Context, o origin.Origin, earliest time.Time, delay time.Duration) (cache.Turn, error) {
	if s.hasTurn.Swap(false) {
		fmt.Println(missedTurn)
	}
	turn, err := s.Store.Reserve(ctx, o, earliest, delay)
	s.hasTurn.Store(err == nil)
	return turn, err
}

// Return counts a turn that comes too late to be used as missed.
func (s *countingStore) Return(ctx context.Context, turn cache.Turn) error {
	if s.hasTurn.Swap(false) && ctx.Err() == nil && turn.Until().Before(turn.At) {
		fmt.Println(missedTurn)
	}
	return s.Store.Return(ctx, turn)
}

func (s *countingStore) RoundTrip(r *http.Request) (*http.Response, error) {
	s.hasTurn.Store(false)
	return s.RoundTripper.RoundTrip(r)
}

// TestPacedCrawler is a process of TestPace. It ends when its standard input ends.
func TestPacedCrawler(t *testing.T) {
	words := strings.Fields(os.Getenv("HEED_PACED"))
	if len(words) != 3 {
		t.Skip("this is a process of TestPace")
	}
	url, address, name := words[0], words[1], words[2]
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	store := &countingStore{Store: open(t, url, redis.Options{}), RoundTripper: &http.Transport{
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, address)
		},
	}}
	c := crawler(t, address, store)
	c.Fetcher.(*fetch.Fetcher).UserAgent = "ExampleBot/1.0"
	rt := &polite.Transport{UserAgent: "ExampleBot/1.0", Cache: c, Base: store}
	var crowd sync.WaitGroup
	for range 3 {
		crowd.Go(func() {
			for ctx.Err() == nil {
				request, err := http.NewRequestWithContext(ctx, "GET", "http://site.example/"+name, nil)
				if err != nil {
					t.Error(err)
					return
				}
				response, err := rt.RoundTrip(request)
				if err != nil {
					if ctx.Err() == nil {
						t.Error(err)
					}
					continue
				}
				response.Body.Close()
			}
		})
	}
	crowd.Wait()
}
