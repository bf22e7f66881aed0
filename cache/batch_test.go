package cache_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cache/storetest"
)

// gatedBatches is a Batcher whose first call waits until free is closed. It notes the size of each
// call.
type gatedBatches struct {
	batchingMemory
	begun, free chan struct{}
	once        sync.Once

	mu    sync.Mutex
	sizes []int
}

func (g *gatedBatches) wait(records int) {
	g.once.Do(func() { close(g.begun); <-g.free })
	g.mu.Lock()
	defer g.mu.Unlock()
	g.sizes = append(g.sizes, records)
}

func (g *gatedBatches) PutAll(ctx context.Context, records []*cache.Record) error {
	g.wait(len(records))
	seen := map[string]bool{}
	for _, r := range records {
		if name := r.Origin.String(); seen[name] {
			return errors.New(name + " is twice in a batch")
		} else {
			seen[name] = true
		}
	}
	return g.batchingMemory.PutAll(ctx, records)
}

func (g *gatedBatches) Put(ctx context.Context, r *cache.Record) error {
	g.wait(1)
	return g.batchingMemory.Put(ctx, r)
}

// What waits for a Batcher is written together, so the last record does not wait for a call of the
// store for each of those before it. If a batch fails, each of its records is tried alone.
func TestWaitingRecordsAreWrittenTogether(t *testing.T) {
	for _, fail := range []bool{false, true} {
		store := &gatedBatches{begun: make(chan struct{}), free: make(chan struct{})}
		store.Store, store.fail = cache.NewMemory(0, 0), fail
		var lost losses
		c := &cache.Cache{Store: store, Fetcher: &changingFile{}, Events: cache.Events{StoreFailed: lost.add}}
		check(t, c, storetest.Origin(0))
		<-store.begun
		const sites = 200
		for n := 1; n <= sites; n++ {
			check(t, c, storetest.Origin(n))
		}
		refresh(t, c, storetest.Origin(1)) // a second record of one origin
		close(store.free)
		closed := c.Close()
		want, calls := 0, 1+4+1 // the first one, 200 in batches of 64, and the second record
		for n := range sites + 1 {
			if strings.Contains(storetest.Origin(n).Host(), "7") && fail {
				want++
			}
		}
		if got := strings.Count(lost.all(), "put "); got != want || (closed == nil) != (want == 0) {
			t.Errorf("%d records are lost, want %d: %v", got, want, closed)
		}
		if !fail && len(store.sizes) > calls {
			t.Errorf("the store got calls with %v records; want at most %d calls", store.sizes, calls)
		}
		for n := range sites + 1 {
			r, err := store.Get(context.Background(), storetest.Origin(n))
			if fail && strings.Contains(storetest.Origin(n).Host(), "7") {
				continue
			}
			if err != nil || r.Last() == nil {
				t.Errorf("record %d: %v", n, err)
			}
		}
	}
}
