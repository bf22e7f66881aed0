package server

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/internal/watch"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// anEvent returns an event about a site.
func anEvent(t *testing.T, number int, site string, s watch.Severity, what ...watch.What) *watch.Message {
	t.Helper()
	o, err := origin.Parse(site)
	if err != nil {
		t.Fatal(err)
	}
	h := watch.Head{ID: fmt.Sprint("e", number), Time: time.Unix(int64(number), 0).UTC(), Site: o, What: what, Severity: s, Text: "x"}
	return &watch.Message{Head: h, JSON: report.AppendJSON(nil, &watch.Event{Head: h})}
}

// follow opens the stream of events, and returns a function that returns the id of the next one, "" at the end.
func follow(t *testing.T, url, last string) (next func() string, header http.Header) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if last != "" {
		r.Header.Set("Last-Event-ID", last)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { response.Body.Close() })
	if response.StatusCode != 200 {
		t.Fatal(response.Status)
	}
	lines := bufio.NewScanner(response.Body)
	return func() string {
		id := ""
		for lines.Scan() {
			if text, is := strings.CutPrefix(lines.Text(), "id: "); is {
				id = text
			}
			if data, is := strings.CutPrefix(lines.Text(), "data: "); is {
				var e map[string]any
				if err := json.Unmarshal([]byte(data), &e); err != nil || e["id"] != id {
					t.Errorf("%v, %s", err, data)
				}
				document, _ := theDocument()
				if err := document.Components.Schemas["WatchEvent"].Value.VisitJSON(e, openapi3.EnableJSONSchema2020()); err != nil {
					t.Error(err)
				}
				return id
			}
		}
		return ""
	}, response.Header
}

// GET /v1/watch sends the events after the one that a client has, those that it asks for, and ends when the daemon leaves.
func TestWatch(t *testing.T) {
	s := &Server{Watched: &Watched{}}
	daemon := start(t, s)
	tell := func(m *watch.Message) { s.Watched.Tell(t.Context(), m) }
	s.Watched.Remember([]*watch.Message{anEvent(t, 2, "https://b.example", watch.High, watch.Unreachable), anEvent(t, 1, "https://a.example", watch.Low, watch.Brief)})
	fresh, header := follow(t, daemon+"/v1/watch", "")
	again, _ := follow(t, daemon+"/v1/watch", "e1")
	lost, _ := follow(t, daemon+"/v1/watch", "e0")
	grave, _ := follow(t, daemon+"/v1/watch?severity=medium&only=verdicts,too-long", "e1")
	ofSite, _ := follow(t, daemon+"/v1/watch?url=https://a.example/x", "e0")
	if got := header.Get("Content-Type"); got != "text/event-stream" {
		t.Errorf("Content-Type %q", got)
	}
	tell(anEvent(t, 3, "https://a.example", watch.Low, watch.VerdictsChanged))
	tell(anEvent(t, 2, "https://b.example", watch.High, watch.Unreachable)) // again
	tell(anEvent(t, 4, "https://b.example", watch.Medium, watch.VerdictsChanged, watch.PreferencesChanged))
	tell(anEvent(t, 5, "https://a.example", watch.High, watch.Unreachable))
	tell(anEvent(t, 6, "https://a.example", watch.Medium, watch.TooLong))
	for _, c := range []struct {
		name string
		next func() string
		want string
	}{
		{"new events", fresh, "e3 e4 e5 e6"}, {"after e1", again, "e2 e3 e4 e5 e6"}, {"after one that is not known", lost, "e1 e2 e3 e4 e5 e6"},
		{"verdicts and too-long, at least medium", grave, "e4 e6"}, {"of a site", ofSite, "e1 e3 e5 e6"},
	} {
		for _, want := range strings.Fields(c.want) {
			if got := c.next(); got != want {
				t.Errorf("%s: %q, want %q", c.name, got, want)
			}
		}
	}
	s.Leave(time.Second)
	if got := fresh(); got != "" {
		t.Errorf("%q after the end", got)
	}
}

// A stream begins when the events of before are there: they are not new.
func TestWatchWaitsForEventsOfBefore(t *testing.T) {
	s := &Server{Watched: &Watched{EarlierAdded: make(chan struct{})}}
	daemon := start(t, s)
	time.AfterFunc(50*time.Millisecond, func() {
		s.Watched.Remember([]*watch.Message{anEvent(t, 1, "https://a.example", watch.Low, watch.Brief)})
		s.Watched.Remember([]*watch.Message{anEvent(t, 2, "https://b.example", watch.Low, watch.Brief)})
		close(s.Watched.EarlierAdded)
	})
	fresh, _ := follow(t, daemon+"/v1/watch", "")
	<-s.Watched.EarlierAdded
	s.Watched.Tell(t.Context(), anEvent(t, 3, "https://a.example", watch.Low, watch.VerdictsChanged))
	if got := fresh(); got != "e3" {
		t.Errorf("the first event is %q, want e3", got)
	}
}

// A client that missed many events gets one after the other: together they would be much memory for one that reads slowly.
func TestWatchWritesOneEventAtATime(t *testing.T) {
	s := &Server{Watched: &Watched{}, Caches: NewCaches(func(d *robotstxt.Dialect) *cache.Cache { return &cache.Cache{Dialect: d} })}
	for i := range maxWatched {
		s.Watched.Tell(t.Context(), anEvent(t, i, "https://a.example", watch.Low, watch.Brief))
	}
	r := httptest.NewRequestWithContext(t.Context(), "GET", "http://127.0.0.1/v1/watch", nil)
	r.Header.Set("Last-Event-ID", "lost")
	w := &measured{ResponseRecorder: httptest.NewRecorder()}
	s.Handler()
	s.Leave(time.Second)
	if err := s.answerWatch(w, r); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(w.Body.String(), "data: "); n != maxWatched || w.largest > 1000 {
		t.Errorf("%d events, the largest write has %d bytes", n, w.largest)
	}
}

// measured is a response whose largest write is known.
type measured struct {
	*httptest.ResponseRecorder
	largest int
}

func (m *measured) Write(p []byte) (int, error) {
	m.largest = max(m.largest, len(p))
	return m.ResponseRecorder.Write(p)
}

// At most 1,000 events are kept.
func TestWatchedIsLimited(t *testing.T) {
	var w Watched
	for i := range maxWatched + 10 {
		w.Tell(t.Context(), anEvent(t, i, "https://a.example", watch.Low, watch.Brief))
	}
	if events, _ := w.eventsAfter(""); len(events) != maxWatched || events[0].ID != "e10" {
		t.Errorf("%d events, the first is %s", len(events), events[0].ID)
	}
	w.Remember([]*watch.Message{anEvent(t, 5, "https://a.example", watch.Low, watch.Brief), anEvent(t, 2_000, "https://a.example", watch.Low, watch.Brief)})
	if events, _ := w.eventsAfter(""); len(events) != maxWatched || events[0].ID != "e11" || w.newest() != "e2000" {
		t.Errorf("%d events, from %s to %s", len(events), events[0].ID, w.newest())
	}
}

// Wrong requests for events get an error.
func TestWatchErrors(t *testing.T) {
	daemon := start(t, &Server{Watched: &Watched{}})
	for query, want := range map[string]string{
		"?only=verdict": `only: "verdict" is not a kind of change; expected one of verdicts, preferences, managed, too-long, not-too-long, brief, unreachable, reachable`, "?severity=grave": "severity \"grave\": expected low, medium or high",
		"?url=x": "expected an absolute URL", "?since=1": "since",
	} {
		if status, answer := ask(t, "GET", daemon+"/v1/watch"+query, ""); status != 400 || !strings.Contains(fmt.Sprint(answer["error"]), want) {
			t.Errorf("%s: %d %v, want %s", query, status, answer, want)
		}
	}
	if r, err := http.Head(daemon + "/v1/watch?only=&severity=&url="); err != nil || r.StatusCode != 200 || r.Header.Get("Content-Type") != "text/event-stream" {
		t.Errorf("HEAD, without values: %v, %v", r, err)
	}
	if status, answer := ask(t, "GET", start(t, &Server{})+"/v1/watch", ""); status != 404 || !strings.Contains(fmt.Sprint(answer["error"]), "--watch") {
		t.Errorf("%d %v", status, answer)
	}
}

// GET /v1/robots has the events about a site with its history.
func TestRobotsHasEvents(t *testing.T) {
	gone := refusing(t)
	s := &Server{Watched: &Watched{EventsOf: func(_ context.Context, o origin.Origin) ([]*watch.Message, error) {
		return []*watch.Message{anEvent(t, 2, o.String(), watch.High, watch.Unreachable), anEvent(t, 1, o.String(), watch.Low, watch.Brief)}, nil
	}}}
	daemon := start(t, s)
	_, answer := ask(t, "GET", daemon+"/v1/robots?history=true&url="+gone, "")
	expect(t, answer, map[string]any{"events.0.id": "e2", "events.0.severity": "high", "events.0.what.0": "unreachable", "events.1.id": "e1", "events.2": nil})
	_, answer = ask(t, "GET", daemon+"/v1/robots?url="+gone, "")
	if _, is := answer["events"]; is {
		t.Error("events without a history")
	}
}
