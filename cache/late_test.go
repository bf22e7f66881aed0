package cache_test

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cache/storetest"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/origin"
)

// lateStore is a Store whose next Get takes as long as somebody lets it.
type lateStore struct {
	cache.Store
	hold atomic.Pointer[chan struct{}]
}

func (s *lateStore) Get(ctx context.Context, o origin.Origin) (*cache.Record, error) {
	r, err := s.Store.Get(ctx, o)
	if hold := s.hold.Swap(nil); hold != nil {
		*hold <- struct{}{} // it has read
		<-*hold
	}
	return r, err
}

// what a slow store knew does not replace what was fetched meanwhile.
func TestLateStore(t *testing.T) {
	ctx, o := context.Background(), storetest.Site(1)
	store := &lateStore{Store: cache.NewMemory(0, 0)}
	now := time.Now()
	if err := store.Put(ctx, storetest.Answer(o, now, "User-agent: *\nAllow: /\n")); err != nil {
		t.Fatal(err)
	}
	c := &cache.Cache{Store: store, Fetcher: sameFile{[]byte("User-agent: *\nDisallow: /\n"), "x"}}
	defer c.Close()
	hold := make(chan struct{})
	store.hold.Store(&hold)
	peeked := make(chan error)
	go func() {
		_, err := c.Peek(ctx, agents, o.String()+"/x")
		peeked <- err
	}()
	<-hold
	if err := c.Refresh(ctx, o); err != nil {
		t.Fatal(err)
	}
	hold <- struct{}{}
	if err := <-peeked; err != nil {
		t.Fatal(err)
	}
	if a, err := c.Check(ctx, agents, o.String()+"/x"); err != nil || a.Allowed {
		t.Errorf("an answer of before the refresh: %+v, %v", a, err)
	}
}

// slow is a Fetcher that takes as long as somebody lets it, or until its context
// ends.
type slow struct {
	sameFile
	began, end chan struct{}
}

func (f *slow) Fetch(ctx context.Context, o origin.Origin, v fetch.Validators) (fetch.Result, error) {
	f.began <- struct{}{}
	select {
	case <-f.end:
		return f.sameFile.Fetch(ctx, o, v)
	case <-ctx.Done():
		return fetch.Result{}, ctx.Err()
	}
}

func newSlow() *slow {
	return &slow{sameFile{[]byte("User-agent: *\nDisallow: /\n"), "x"}, make(chan struct{}), make(chan struct{})}
}

// To forget an origin that is being asked forgets what comes of that too.
func TestForgetDuringRetrieval(t *testing.T) {
	ctx, o := context.Background(), storetest.Site(1)
	store, f := cache.NewMemory(0, 0), newSlow()
	c := &cache.Cache{Store: store, Fetcher: f}
	defer c.Close()
	checked, forgot := make(chan error), make(chan error)
	go func() {
		_, err := c.Check(ctx, agents, o.String()+"/x")
		checked <- err
	}()
	<-f.began
	go func() { forgot <- c.Forget(ctx, o) }()
	time.Sleep(20 * time.Millisecond) // either order is right, this one is the harder
	close(f.end)
	if err := errors.Join(<-checked, <-forgot); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Get(ctx, o); !errors.Is(err, cache.ErrNotFound) {
		t.Errorf("the store: %v, want ErrNotFound", err)
	}
	if versions, err := store.History(ctx, o); err != nil || len(versions) > 0 {
		t.Errorf("the history: %v, %v", versions, err)
	}
	if a, err := c.Peek(ctx, agents, o.String()+"/x"); err != nil || a.Outcome != fetch.Unreachable || a.Err == nil {
		t.Errorf("memory: %+v, %v", a, err)
	}
}

// Close ends a retrieval that nobody waits for any more, and nothing is put into
// the store afterwards.
func TestCloseDuringRetrieval(t *testing.T) {
	o := storetest.Site(1)
	store, f := cache.NewMemory(0, 0), newSlow()
	c := &cache.Cache{Store: store, Fetcher: f}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-f.began
		cancel()
	}()
	if a, err := c.Check(ctx, agents, o.String()+"/x"); !errors.Is(err, context.Canceled) || a.Allowed {
		t.Fatalf("%+v, %v", a, err)
	}
	c.Close()
	close(f.end)
	time.Sleep(10 * time.Millisecond)
	if _, err := store.Get(context.Background(), o); !errors.Is(err, cache.ErrNotFound) {
		t.Errorf("after Close the store has %v", err)
	}
}

type failing struct{ err error }

func (f failing) Fetch(_ context.Context, o origin.Origin, _ fetch.Validators) (fetch.Result, error) {
	return fetch.Result{Origin: o, Err: f.err, Header: http.Header{}, End: time.Now()}, nil
}

// afterAnother is a Store whose lease comes after somebody else has put a record.
type afterAnother struct {
	cache.Store
	before *cache.Record
}

func (s afterAnother) Lease(ctx context.Context, _ origin.Origin) (func(), error) {
	return func() {}, s.Put(ctx, s.before)
}

// a retrieval that waited for its turn goes on from what the one before it
// put, not from what was known before it waited.
func TestLeaseAfterAnother(t *testing.T) {
	o, store := storetest.Site(1), cache.NewMemory(0, 0)
	at := time.Now().Add(-time.Minute)
	before := &cache.Record{
		Origin: o, Failed: &fetch.Result{Origin: o, Status: 500, Start: at, End: at}, FailingSince: at, Failures: 3,
	}
	c := &cache.Cache{Store: afterAnother{store, before}, Fetcher: failing{errors.New("reset")}}
	defer c.Close()
	if err := c.Refresh(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	c.Settle()
	if r, err := store.Get(context.Background(), o); err != nil || r.Failures != 4 {
		t.Errorf("%+v, %v, want the fourth failure", r, err)
	}
}
