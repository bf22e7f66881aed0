package watch_test

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/internal/watch"
	"github.com/heed-robots/heed/origin"
)

// files is sites with a file each, of which one in a hundred answers changes.
type files struct {
	fresh time.Duration
	asked atomic.Int64
}

func (f *files) Fetch(_ context.Context, o origin.Origin, _ fetch.Validators) (fetch.Result, error) {
	n := f.asked.Add(1)
	text := fmt.Sprintf("User-agent: *\nDisallow: /%s\n", o.Host())
	if n%100 == 0 {
		text += fmt.Sprintf("Disallow: /%d\n", n)
	}
	return fetch.Result{Origin: o, Status: 200, Body: []byte(text), Header: http.Header{"Cache-Control": {fmt.Sprintf("max-age=%d", int(f.fresh.Seconds()))}}}, nil
}

// The memory does not grow with the rounds, and a site takes little of it. HEED_WHOLE watches 100,000 sites
// for a day, until each was asked once, and half a day.
func TestManySites(t *testing.T) {
	portion.Skip(t, 3)
	sites, speed, fresh := 3000, 3600, 2*time.Hour
	if portion.Whole() {
		sites, speed, fresh = 100_000, 800, 24*time.Hour
	}
	store := cache.NewMemory(1<<30, 0)
	f := &files{fresh: fresh}
	clock := clock{time.Now().Round(0), speed}
	c := &cache.Cache{Fetcher: f, Store: store, MemoryBytes: 1 << 20, Now: clock.now}
	defer c.Close()
	var told atomic.Int64
	w := &watch.Watch{Cache: c, Notes: store.(cache.Noter), Now: clock.now, After: clock.after,
		Tell: func(context.Context, *watch.Message) error { told.Add(1); return nil }}
	var list []origin.Origin
	for i := range sites {
		list = append(list, originOf(t, fmt.Sprintf("https://s%06d.example", i)))
	}
	before := heap()
	ctx, cancel := context.WithCancel(t.Context())
	lists, ended := make(chan []origin.Origin), make(chan struct{})
	go func() { defer close(ended); w.Run(ctx, lists) }()
	lists <- list
	arranged := time.Now()
	for w.Counts().Sites < sites {
		time.Sleep(10 * time.Millisecond)
	}
	took := time.Since(arranged)
	report := func(what string) int {
		n := heap()
		t.Logf("%s: %s after %s, %d retrievals, %d events, %d KiB of heap (%d bytes for each site), %d KiB resident", what, fmt.Sprintf("%+v", w.Counts()), clock.now().Sub(worldBegins).Round(time.Minute),
			f.asked.Load(), told.Load(), n>>10, (n-before)/sites, resident())
		return n
	}
	t.Logf("the list is read after %s", took)
	round := func(n int) {
		for deadline := time.Now().Add(10 * time.Minute); f.asked.Load() < int64(n) && time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		}
		if f.asked.Load() < int64(n) {
			t.Fatalf("%d of %d retrievals", f.asked.Load(), n)
		}
	}
	report("before the first round")
	round(sites)
	first := report("the first round")
	last := first
	if portion.Whole() {
		for n := range 3 {
			<-clock.after(4 * time.Hour)
			last = report(fmt.Sprint("part ", n))
		}
	} else {
		for n := range 3 {
			round((n + 2) * sites)
			last = report(fmt.Sprint("round ", n+2))
		}
	}
	cancel()
	<-ended
	if grown := last - first; grown > 8<<20+first/2 {
		t.Errorf("the heap has grown by %d KiB after the first round", grown>>10)
	}
}

// heap returns the bytes that are in use.
func heap() int {
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
