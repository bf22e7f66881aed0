package watch

import (
	"context"
	"errors"
	"iter"
	"reflect"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// counted is a Fetcher that counts its retrievals.
type counted int

func (c *counted) Fetch(context.Context, origin.Origin, fetch.Validators) (fetch.Result, error) {
	*c++
	return fetch.Result{Status: 200, Body: []byte("User-agent: *\nDisallow: /x\n")}, nil
}

// A job that runs every day, some seconds earlier than the day before, looks at each site every day.
func TestOnceEveryDay(t *testing.T) {
	o, err := origin.Parse("https://a.example")
	if err != nil {
		t.Fatal(err)
	}
	now, store := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), cache.NewMemory(0, 0)
	var retrievals counted
	clock := func() time.Time { return now }
	w := &Watch{Cache: &cache.Cache{Fetcher: &retrievals, Store: store, Now: clock}, Notes: store.(cache.Noter), Dialect: robotstxt.RFC9309, Now: clock}
	for _, step := range []struct {
		after time.Duration
		want  counted
		due   time.Duration // of the next retrieval, after this look
	}{{0, 1, almostDay}, {10 * time.Minute, 1, almostDay - 10*time.Minute}, {24*time.Hour - 10*time.Minute - 5*time.Second, 2, almostDay},
		{12 * time.Hour, 2, almostDay - 12*time.Hour}, {11*time.Hour + 30*time.Minute, 3, almostDay}} {
		now = now.Add(step.after)
		before := retrievals
		if sum := w.Once(t.Context(), []origin.Origin{o}); retrievals != step.want || !reflect.DeepEqual(sum, Summary{Tried: int(retrievals - before), Due: now.Add(step.due)}) {
			t.Errorf("%s: %+v, %d retrievals; want %d, due in %s", now, sum, retrievals, step.want, step.due)
		}
	}
}

// fails is a Fetcher whose sites are unreachable after their first retrieval.
type fails map[origin.Origin]bool

func (f fails) Fetch(_ context.Context, o origin.Origin, _ fetch.Validators) (fetch.Result, error) {
	if f[o] {
		return fetch.Result{Status: 503}, nil
	}
	f[o] = true
	return fetch.Result{Status: 200, Body: []byte("User-agent: *\nDisallow: /x\n")}, nil
}

// A site that is unreachable is named in each run, also if it need not be tried again yet. So is a site whose copy is used
// after a failure.
func TestOnceNamesUnreachable(t *testing.T) {
	var list []origin.Origin
	for _, url := range []string{"https://a.example", "https://b.example"} {
		o, err := origin.Parse(url)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, o)
	}
	start, store := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), cache.NewMemory(0, 0)
	now := start
	clock := func() time.Time { return now }
	w := &Watch{Cache: &cache.Cache{Fetcher: fails{}, Store: store, Now: clock}, Notes: store.(cache.Noter), Dialect: robotstxt.RFC9309, Now: clock}
	failing := []Failing{{list[0], start.Add(time.Hour), "status 503"}}
	for _, step := range []struct {
		after   time.Duration
		refresh bool
		list    []origin.Origin
		want    Summary
	}{
		{0, false, list[:1], Summary{Tried: 1}},
		{time.Hour, true, list[:1], Summary{Tried: 1, CopyUsed: failing}},
		{11 * time.Hour, false, list, Summary{Tried: 1, CopyUsed: failing}},
		{12 * time.Hour, false, list, Summary{Tried: 1, Unreachable: failing}},
		{0, false, list, Summary{Unreachable: failing}},
	} {
		now, w.Refresh = now.Add(step.after), step.refresh
		sum := w.Once(t.Context(), step.list)
		if sum.Due = (time.Time{}); !reflect.DeepEqual(sum, step.want) {
			t.Errorf("%s: %+v, want %+v", now, sum, step.want)
		}
	}
}

// brokenNotes are notes that cannot be listed, or not be read.
type brokenNotes struct {
	cache.Noter
	list bool
}

func (b *brokenNotes) Note(ctx context.Context, o origin.Origin, name string) ([]byte, error) {
	return nil, errors.New("the disk is gone")
}

func (b *brokenNotes) Notes(ctx context.Context, name string) iter.Seq2[origin.Origin, error] {
	return func(yield func(origin.Origin, error) bool) {
		if b.list {
			yield(origin.Origin{}, errors.New("the disk is gone"))
			return
		}
		for o, err := range b.Noter.Notes(ctx, name) {
			if !yield(o, err) {
				return
			}
		}
	}
}

// A run that cannot read what is to be told does not end as if there were nothing.
func TestOnceCannotReadEvents(t *testing.T) {
	o, err := origin.Parse("https://a.example")
	if err != nil {
		t.Fatal(err)
	}
	store := cache.NewMemory(0, 0)
	if err := store.(cache.Noter).PutNote(t.Context(), o, noteName, (&state{}).encode()); err != nil {
		t.Fatal(err)
	}
	for _, list := range []bool{false, true} {
		w := &Watch{Cache: &cache.Cache{Fetcher: new(counted), Store: store}, Notes: &brokenNotes{store.(cache.Noter), list}, Dialect: robotstxt.RFC9309}
		if sum := w.Once(t.Context(), []origin.Origin{o}); sum.Told != 0 || sum.Failed != 1 {
			t.Errorf("%d told, %d failed", sum.Told, sum.Failed)
		}
	}
}
