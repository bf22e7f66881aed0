package watch_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/watch"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/store/sqlite"
)

// childEnv has what a process that watches needs, as JSON.
const childEnv = "HEED_WATCH_CHILD"

// A watcher is a process that watches a world. It can be killed at any time.
type watcher struct {
	Store, Told, Fetched, Calm string // files; when the last one exists, each event is told at the first try, and the process ends
	Address                    string // of the server of the world
	Clock                      clock
	Sites                      int
	Grows                      int // the list begins with so many sites, and gets as many more every ten minutes
}

// A toldLine is what a watcher writes for each event.
type toldLine struct {
	At    time.Time       `json:"at"`
	Event json.RawMessage `json:"event"`
}

// A fetchedLine is what a watcher writes for each retrieval.
type fetchedLine struct {
	Site       string
	Start, End time.Time
}

func TestMain(m *testing.M) {
	if text := os.Getenv(childEnv); text != "" {
		var w watcher
		if err := json.Unmarshal([]byte(text), &w); err != nil {
			panic(err)
		}
		if err := w.run(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// lines is a file to which lines are added, each with one call of the system: so a process that is killed writes none in part.
type lines struct {
	mu   sync.Mutex
	file *os.File
}

func openLines(path string) (*lines, error) {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	return &lines{file: f}, err
}

func (l *lines) add(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err = l.file.Write(append(line, '\n'))
	return err
}

func (w *watcher) run() error {
	store, err := sqlite.Open(w.Store, sqlite.Options{})
	if err != nil {
		return err
	}
	defer store.Close()
	told, err := openLines(w.Told)
	if err != nil {
		return err
	}
	fetched, err := openLines(w.Fetched)
	if err != nil {
		return err
	}
	var list []origin.Origin
	for _, name := range siteNames(w.Sites) {
		o, err := origin.Parse(name)
		if err != nil {
			return err
		}
		list = append(list, o)
	}
	dialer := &net.Dialer{}
	transport := &http.Transport{DisableKeepAlives: true, DisableCompression: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return dialer.DialContext(ctx, "tcp", w.Address)
	}}
	now := func() time.Time { return w.Clock.now() }
	c := &cache.Cache{Fetcher: &fetch.Fetcher{Transport: transport, AllowPrivate: true, MaxPerHost: 1}, Store: store, MemoryBytes: 32 << 20, Now: now}
	var troubles atomic.Int64
	trouble := func(o origin.Origin, err error) {
		if troubles.Add(1) <= 5 {
			fmt.Fprintln(os.Stderr, "trouble:", o, err)
		}
	}
	defer func() { fmt.Fprintln(os.Stderr, "troubles:", troubles.Load()) }()
	c.Events = cache.Events{
		Fetched: func(r *fetch.Result) {
			if err := fetched.add(fetchedLine{r.Origin.String(), r.Start, r.End}); err != nil {
				panic(err)
			}
		},
		StoreFailed: func(_ string, o origin.Origin, err error) { trouble(o, err) },
		WrongRecord: trouble,
	}
	defer c.Close()
	isCalm := func() bool { _, err := os.Stat(w.Calm); return err == nil }
	var failures sync.Map
	watching := &watch.Watch{Cache: c, Notes: store, Now: now, After: w.Clock.after, Tell: func(_ context.Context, m *watch.Message) error {
		n, _ := failures.LoadOrStore(m.ID, new(int))
		if rand.N(2) == 0 && *n.(*int) < 8 && !isCalm() {
			*n.(*int)++ // events of one site are told one by one
			return errNotTold
		}
		return told.add(toldLine{w.Clock.now(), m.JSON})
	}}
	watching.Trouble = func(o origin.Origin, err error) {
		if !errors.Is(err, errNotTold) {
			trouble(o, err)
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	lists := make(chan []origin.Origin)
	go func() {
		for known := -1; known < len(list); {
			if n := min(len(list), w.Grows*int(now().Sub(worldBegins)/(10*time.Minute)+1)); n > known {
				known = n
				lists <- list[:n]
			}
			<-w.Clock.after(time.Minute)
		}
	}()
	if os.Getenv("HEED_WATCH_MEMORY") != "" {
		go reportMemory(watching)
	}
	go func() {
		for idle := 0; idle < 5; time.Sleep(20 * time.Millisecond) {
			idle++
			if !isCalm() || watching.Counts().Waiting > 0 || watching.Counts().Sites < len(list) {
				idle = 0
			}
		}
		stop()
	}()
	watching.Run(ctx, lists)
	return nil
}

var errNotTold = errors.New("the event is not told this time")

func reportMemory(w *watch.Watch) {
	for ; ; time.Sleep(30 * time.Second) {
		fmt.Fprintf(os.Stderr, "memory: %d KiB, %+v\n", resident(), w.Counts())
	}
}

// resident returns the memory of this process in KiB, 0 if it is not known.
func resident() (kib int) {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	var size, pages int
	fmt.Sscan(string(text), &size, &pages)
	return pages * (os.Getpagesize() >> 10)
}
