package cache_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cache/storetest"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// fetcherFunc is a Fetcher as a function, such as one of another package.
type fetcherFunc func(origin.Origin, fetch.Validators) (fetch.Result, error)

func (f fetcherFunc) Fetch(_ context.Context, o origin.Origin, v fetch.Validators) (fetch.Result, error) {
	return f(o, v)
}

// status 304 from a Fetcher of another package means "not modified" only after a
// conditional request with the Validators of the Cache.
func TestNotModifiedNeedsConditional(t *testing.T) {
	for _, c := range []struct {
		name        string
		conditional bool
		dialect     *robotstxt.Dialect
		want        string
	}{
		{"conditional", true, nil, "denied rule; rules 200"},
		{"unconditional", false, nil, "denied unreachable; unreachable 304, failing 0s"},
		{"conditional without Validators (G-1)", true, robotstxt.Google, "denied unreachable; unreachable 304, failing 0s"},
	} {
		now := start
		f := fetcherFunc(func(o origin.Origin, v fetch.Validators) (fetch.Result, error) {
			r := fetch.Result{Hops: []fetch.Hop{{URL: o.RobotsURL(), Status: 200}}, Status: 200}
			if now.Equal(start) {
				r.Header = http.Header{"Etag": {`"1"`}, "Cache-Control": {"max-age=3600"}}
				r.Body = []byte("User-agent: *\nDisallow: /private\n")
				return r, nil
			}
			if want := (fetch.Validators{URL: o.RobotsURL(), ETag: `"1"`}); v != want && c.dialect == nil {
				t.Errorf("%s: Validators %+v", c.name, v)
			}
			r.Status, r.Hops[0].Status, r.Conditional = 304, 304, c.conditional
			return r, nil
		})
		store := cache.NewMemory(0, 0)
		h := &cache.Cache{Fetcher: f, Now: func() time.Time { return now }, Dialect: c.dialect, Store: store}
		for _, at := range []time.Duration{0, time.Hour} {
			now = start.Add(at)
			a, err := h.Check(context.Background(), agents, storetest.Origin(1).String()+"/private")
			want := "denied rule; rules 200"
			if at > 0 {
				want = c.want
			}
			if got := decision(a.Decision) + "; " + retrievalText(a, now); err != nil || got != want {
				t.Errorf("%s, after %s: %s, %v, want %s", c.name, at, got, err, want)
			}
		}
		h.Close()
	}
}

// A Cache accepts Results with empty fields, and a wrong Result never allows.
func TestResultsOfOtherFetchers(t *testing.T) {
	o := storetest.Origin(1)
	const denies = "User-agent: *\nDisallow: /private\n"
	for _, c := range []struct {
		name   string
		result fetch.Result
		want   string
	}{
		{"nothing", fetch.Result{}, "denied unreachable; unreachable, failing 0s"},
		{"a status and a body", fetch.Result{Status: 200, Body: []byte(denies)}, "denied rule; rules 200"},
		{"only a status", fetch.Result{Status: 404}, "allowed unavailable; unavailable 404"},
		{"a file without a body", fetch.Result{Status: 200}, "allowed no-group; rules 200"},
		{"only an error", fetch.Result{Err: errors.New("x")}, "denied unreachable; unreachable error, failing 0s"},
		{"a status and an error", fetch.Result{Status: 404, Err: errors.New("x")}, "denied unreachable; unreachable 404 error, failing 0s"},
		{"a nil *Failure as error", fetch.Result{Status: 404, Err: (*fetch.Failure)(nil)}, "error"},
		{"an error that panics", fetch.Result{Err: panickingError{}}, "error"},
		{"an end without a start", fetch.Result{Status: 404, End: start}, "allowed unavailable; unavailable 404"},
		{"a start without an end", fetch.Result{Status: 404, Start: start}, "allowed unavailable; unavailable 404"},
		{"a start after the end", fetch.Result{Status: 404, Start: start.Add(time.Hour), End: start}, "allowed unavailable; unavailable 404"},
		{"not modified without a cached file", fetch.Result{Status: 304, Conditional: true}, "denied unreachable; unreachable 304, failing 0s"},
		{"headers that are not canonical", fetch.Result{Status: 200, Body: []byte(denies), Header: http.Header{"etag": nil, "": {""}}}, "denied rule; rules 200"},
		{"another origin", fetch.Result{Origin: storetest.Origin(2), Status: 404}, "error"},
		{"the origin", fetch.Result{Origin: o, Status: 404}, "allowed unavailable; unavailable 404"},
		{"text that is not UTF-8", fetch.Result{Status: 200, Body: []byte(denies), Encoding: "\xff", Header: http.Header{"Etag": {"\xff"}}}, "denied rule; rules 200"},
	} {
		t.Run(c.name, func(t *testing.T) {
			store := cache.NewMemory(0, 0)
			h := &cache.Cache{
				Fetcher: fetcherFunc(func(origin.Origin, fetch.Validators) (fetch.Result, error) { return c.result, nil }),
				Store:   store, Now: func() time.Time { return start },
			}
			defer h.Close()
			a, err := h.Check(context.Background(), agents, o.String()+"/private")
			if c.want == "error" {
				if err == nil || a.Allowed {
					t.Errorf("%s, %v", decision(a.Decision), err)
				}
				return
			}
			if got := decision(a.Decision) + "; " + retrievalText(a, start); err != nil || got != c.want {
				t.Errorf("%s, %v, want %s", got, err, c.want)
			}
			h.Settle()
			r, err := store.Get(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			again, err := cache.ReadRecord(r.Origin, r.Head(), r.Body())
			if err != nil || again.Origin != o || !again.Last().End.Equal(start) || again.Last().Start.Before(start.Add(-time.Hour)) {
				t.Errorf("the record: %+v, %v", again, err)
			}
			for range 3 {
				if err := h.Refresh(context.Background(), o); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

type panickingError struct{}

func (panickingError) Error() string { panic("no text") }

// A panic of a Fetcher is an error, and no caller waits for ever.
func TestFetcherPanics(t *testing.T) {
	for _, what := range []any{"text", errors.New("an error"), fmt.Sprintf} {
		h := &cache.Cache{Fetcher: fetcherFunc(func(origin.Origin, fetch.Validators) (fetch.Result, error) { panic(what) })}
		for range 2 {
			a, err := h.Check(context.Background(), agents, storetest.Origin(1).String())
			if err == nil || a.Allowed || !strings.Contains(err.Error(), "panic") {
				t.Errorf("%s, %v", decision(a.Decision), err)
			}
		}
		h.Close()
	}
}
