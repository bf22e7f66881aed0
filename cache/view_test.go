package cache

import (
	"context"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/origin"
)

// What a view sees in a record that a view with other statuses has written, by the table of seen.
func TestSeen(t *testing.T) {
	file := &fetch.Result{Status: 200, Body: []byte("a"), End: end}
	s403 := &fetch.Result{Status: 403, End: end.Add(time.Hour)}
	tooLong := &fetch.Result{Status: 200, End: end} // a robots.txt whose body was not kept
	of := func(name string, s fetch.Statuses) view { return view{nil, s, name} }
	unavailable := of("unavailable", fetch.StatusesOf(nil))
	strict := fetch.StatusesOf(nil)
	strict.Forbidden = fetch.Unreachable
	unreachable := of("unreachable", strict)
	answered := &Record{Answered: s403, Copy: file, Statuses: unavailable.statusesName}
	failed := &Record{Answered: file, Copy: file, Failed: s403, Failures: 3, FailingSince: end, Counted: 3, LongestGap: time.Minute, Statuses: unreachable.statusesName}
	for _, c := range []struct {
		name   string
		view   view
		record *Record
		want   Record
	}{
		{"an answer, as written", unavailable, answered, *answered},
		{"an answer that is a failure here", unreachable, answered,
			Record{Copy: file, Failed: s403, Failures: 1, FailingSince: s403.End, Counted: 1, MixedStatuses: true, Statuses: unavailable.statusesName}},
		{"a failure that is an answer here", unavailable, failed,
			Record{Answered: s403, Copy: file, MixedStatuses: true, Statuses: unreachable.statusesName}},
		{"a failure, as written", unreachable, failed, *failed},
		{"a robots.txt without its body", unavailable, &Record{Answered: tooLong, Copy: file}, Record{Copy: file}},
	} {
		if got := *c.view.seenRecord(c.record); got != c.want {
			t.Errorf("%s:\n got %+v\nwant %+v", c.name, got, c.want)
		}
	}
}

// A result of which only the headers are kept has nothing of its body, and the one with the body stays.
func TestWithoutBody(t *testing.T) {
	r := &fetch.Result{Status: 500, Body: []byte("a"), Truncated: true, Encoding: "utf-16le"}
	if bare := withoutBody(r); bare.Body != nil || bare.Truncated || bare.Encoding != "" || bare.Status != 500 {
		t.Errorf("%+v", bare)
	}
	if !r.Truncated || r.Encoding == "" || len(r.Body) != 1 {
		t.Errorf("the result itself was changed: %+v", r)
	}
}

// RFC 9111, 4.3.4: the headers of a 304 replace those of the copy, but its Age counts only for itself.
// The copy may be in use, so it stays as it is.
func TestRevalidated(t *testing.T) {
	for _, c := range []struct {
		age, want []string
	}{{nil, nil}, {[]string{"5"}, []string{"5"}}} {
		copied := &fetch.Result{Status: 200, Body: []byte("a"), Header: headers("Age", "7", "Etag", `"1"`, "X", "1")}
		before := copied.Header.Clone()
		answer := &fetch.Result{Status: 304, Header: headers("Etag", `"2"`), End: end}
		if c.age != nil {
			answer.Header["Age"] = c.age
		}
		r := revalidate(copied, answer)
		if r.Status != 200 || !r.End.Equal(end) || r.Header.Get("Etag") != `"2"` || r.Header.Get("X") != "1" || !slices.Equal(r.Header["Age"], c.want) {
			t.Errorf("with the Age %q: %+v", c.age, r)
		}
		if !maps.EqualFunc(copied.Header, before, slices.Equal) {
			t.Errorf("the headers of the copy are now %v", copied.Header)
		}
	}
}

// G-8: one refresh of an origin is under way in the background. If too many of others are, none
// begins, and the next question tries again.
func TestRefreshLaterIsLimited(t *testing.T) {
	wait := make(chan struct{})
	c := &Cache{Fetcher: waitingFetcher(wait)}
	c.once.Do(c.init)
	o, err := origin.Parse("https://a.example")
	if err != nil {
		t.Fatal(err)
	}
	file := &fetch.Result{Origin: o, Status: 200, Body: []byte{}, End: time.Now().Add(-100 * day)}
	e := c.settings.newEntry(&Record{Origin: o, Answered: file, Copy: file})
	c.memory.set(o, e)
	for range maxBackground {
		c.background <- struct{}{}
	}
	if c.refreshLater(o, e); e.refreshing.Load() {
		t.Error("a refresh that did not begin is under way")
	}
	for range maxBackground {
		<-c.background
	}
	c.refreshLater(o, e)
	c.refreshLater(o, e)
	if n := len(c.background); n != 1 || !e.refreshing.Load() {
		t.Errorf("%d refreshes are under way: %v", n, e.refreshing.Load())
	}
	close(wait)
	c.Settle()
	if len(c.background) != 0 || e.refreshing.Load() {
		t.Error("a refresh that ended is under way")
	}
}

// waitingFetcher is a Fetcher that waits until the channel is closed.
type waitingFetcher chan struct{}

func (f waitingFetcher) Fetch(_ context.Context, o origin.Origin, _ fetch.Validators) (fetch.Result, error) {
	<-f
	return fetch.Result{Origin: o, Status: 404}, nil
}
