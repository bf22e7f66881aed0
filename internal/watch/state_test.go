package watch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

var noon = time.Date(2026, 5, 3, 12, 0, 0, 0, time.UTC)

const (
	second  = time.Second
	minute  = time.Minute
	hour    = time.Hour
	instant = time.Second
)

func mustParse(t testing.TB, url string) origin.Origin {
	t.Helper()
	o, err := origin.Parse(url)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// A step is a look, and the events that it must give, as inShort shows them.
type step struct {
	at     time.Duration // since noon
	answer string        // a robots.txt, or one of the words below
	next   time.Duration // from at to the next retrieval; 0: five minutes
	events string        // separated by "; "
	cached bool
}

const (
	gone     = "404"
	failed   = "failed"
	lastCopy = "failed for so long that the last copy is used"
	anything = "failed for so long that everything is allowed"
)

// Files that differ, or not.
const (
	open     = "User-agent: *\nDisallow: /closed\n"
	comment  = "# another comment\nUser-agent: *\nDisallow: /closed\n"
	shut     = "User-agent: *\nDisallow: /\n"
	half     = "User-agent: *\nDisallow: /half\nDisallow: /closed\n"
	half2    = "# the same\nUser-agent: *\nDisallow: /half\nDisallow: /closed\n"
	noTrain  = "User-agent: *\nContent-Usage: train-ai=n\nDisallow: /closed\n"
	block    = "# BEGIN Cloudflare Managed content\nUser-agent: GPTBot\nDisallow: /closed\n# END Cloudflare Managed Content\n" + open
	block2   = "# BEGIN Cloudflare Managed content\n# why not\n\nUser-agent: GPTBot\nDisallow: /closed\n# END Cloudflare Managed Content\n" + open
	block3   = "# BEGIN Cloudflare Managed content\nUser-agent: CCBot\nDisallow: /closed\n# END Cloudflare Managed Content\n" + open
	cutOff   = "cut off: "
	gptShut  = open + "User-agent: GPTBot\nDisallow: /\n"
	noGroups = "# nothing\n"
)

func (st *step) look(t testing.TB) *look {
	at := noon.Add(st.at)
	if st.next == 0 {
		st.next = 5 * minute
	}
	l := &look{site: mustParse(t, "https://shop.example"), time: at, next: at.Add(st.next), cached: st.cached}
	switch st.answer {
	case failed:
		l.means, l.why = meansDisallowed, "status 503"
	case lastCopy:
		l.means, l.why = meansRules, "status 503"
	case anything:
		l.means, l.why = meansAllowed, "status 503"
	case gone:
		l.version = &Version{Means: meansAllowed, Status: 404, Fetched: at}
	default:
		body, isCut := strings.CutPrefix(st.answer, cutOff)
		l.version = &Version{Means: meansRules, Status: 200, Fetched: at, Bytes: len(body), body: []byte(body), SHA256: (&fetch.Result{Body: []byte(body)}).SHA256(), Truncated: isCut}
	}
	return l
}

// inShort returns an event as in "verdicts high since 1h0m0s new 1h0m0s": its times are since noon.
func inShort(t testing.TB, p *pending) string {
	t.Helper()
	var e struct {
		Head
		Old, New     *Version
		Since, Until *time.Time
		Means        string
	}
	if err := json.Unmarshal(p.Event, &e); err != nil {
		t.Fatal(err)
	}
	var words []string
	for _, w := range e.What {
		words = append(words, string(w))
	}
	text := strings.Join(words, "+") + " " + e.Severity.String()
	if e.Means != "" {
		text += " " + e.Means
	}
	for _, each := range []struct {
		name string
		at   *time.Time
	}{{"since", e.Since}, {"until", e.Until}} {
		if each.at != nil {
			text += fmt.Sprintf(" %s %s", each.name, each.at.Sub(noon))
		}
	}
	if e.Old != nil {
		text += fmt.Sprintf(" old %s new %s", e.Old.Fetched.Sub(noon), e.New.Fetched.Sub(noon))
	}
	return text
}

var comparing = &comparer{dialect: robotstxt.RFC9309, table: crawlers.Known(), limit: time.Minute}

// play plays steps. After each, the state is written and read, as in a store.
func play(t *testing.T, s *state, steps []step) *state {
	t.Helper()
	known := len(s.Events)
	for i, st := range steps {
		l := st.look(t)
		next, err := s.nextState(t.Context(), comparing, l)
		if err != nil {
			t.Fatal(err)
		}
		var events []string
		for k := range next.Events[known:] {
			p := &next.Events[known+k]
			if !p.head.Time.Equal(l.time) || !p.Waiting || p.head.Site != l.site {
				t.Errorf("step %d: the event is at %s about %s, and waits: %v", i, p.head.Time, p.head.Site, p.Waiting)
			}
			events = append(events, inShort(t, p))
		}
		if got := strings.Join(events, "; "); got != st.events {
			t.Errorf("step %d at %s:\n got %q\nwant %q", i, st.at, got, st.events)
		}
		known = len(next.Events)
		if s, err = decode(next.encode()); err != nil {
			t.Fatal(err)
		}
		if string(s.encode()) != string(next.encode()) {
			t.Errorf("step %d: the state is another one after it is read:\n%s\n%s", i, s.encode(), next.encode())
		}
	}
	return s
}

// What is told of a site, and when.
func TestAfter(t *testing.T) {
	day := 24 * hour
	for name, steps := range map[string][]step{
		"the first answer is not told": {{at: 0, answer: shut, next: day}, {at: day, answer: shut, next: day}},
		"what changes nothing is not told, and is what the next answer is compared with": {
			{at: 0, answer: open}, {at: hour, answer: comment}, {at: 2 * hour, answer: comment},
			{at: 3 * hour, answer: shut, next: day, events: "verdicts high since 3h0m0s old 1h0m0s new 3h0m0s"},
		},
		"an answer is told at once if the next retrieval is more than an hour later": {
			{at: 0, answer: open}, {at: hour, answer: shut, next: hour + instant, events: "verdicts high since 1h0m0s old 0s new 1h0m0s"}, {at: 3 * hour, answer: shut},
		},
		"an answer is held if the next retrieval is an hour later": {
			{at: 0, answer: open}, {at: hour, answer: shut, next: hour}, {at: 2*hour + instant, answer: shut, events: "verdicts high since 1h0m0s old 0s new 1h0m0s"},
		},
		"what is over after an hour is brief": {
			{at: 0, answer: open}, {at: hour, answer: shut}, {at: 2 * hour, answer: open, events: "brief low since 1h0m0s until 2h0m0s old 0s new 1h0m0s"},
			{at: 3 * hour, answer: open},
		},
		"what is over after more than an hour is a change and another": {
			{at: 0, answer: open}, {at: hour, answer: shut},
			{at: 2*hour + instant, answer: open, next: day, events: "verdicts high since 1h0m0s old 0s new 1h0m0s; verdicts medium since 2h0m1s old 1h0m0s new 2h0m1s"},
		},
		"the same meaning is enough for brief": {
			{at: 0, answer: open}, {at: hour, answer: shut}, {at: 2 * hour, answer: comment, events: "brief low since 1h0m0s until 2h0m0s old 0s new 1h0m0s"},
			{at: 3 * hour, answer: shut, next: day, events: "verdicts high since 3h0m0s old 2h0m0s new 3h0m0s"},
		},
		"brief tells the last of the different answers": {
			{at: 0, answer: open}, {at: hour, answer: shut}, {at: hour + 5*minute, answer: half}, {at: hour + 10*minute, answer: half2}, {at: hour + 15*minute, answer: half2},
			{at: 2 * hour, answer: open, events: "brief low since 1h0m0s until 2h0m0s old 0s new 1h10m0s"},
		},
		"a change is told when no retrieval within the hour is due any more": {
			{at: 0, answer: open}, {at: hour, answer: shut}, {at: hour + 30*minute, answer: shut, next: 30 * minute},
			{at: hour + 31*minute, answer: shut, next: 29*minute + instant, events: "verdicts high since 1h0m0s old 0s new 1h0m0s"},
		},
		"of different answers the last one is told": {
			{at: 0, answer: open}, {at: hour, answer: shut}, {at: hour + 20*minute, answer: half},
			{at: hour + 40*minute, answer: half, next: hour, events: "verdicts medium since 1h0m0s old 0s new 1h20m0s"},
		},
		"after the hour the last one is told, and the next is another change": {
			{at: 0, answer: open}, {at: hour, answer: shut}, {at: hour + 20*minute, answer: half},
			{at: 3 * hour, answer: shut, events: "verdicts medium since 1h0m0s old 0s new 1h20m0s"},
			{at: 4 * hour, answer: half, events: "brief low since 3h0m0s until 4h0m0s old 1h20m0s new 3h0m0s"},
		},
		"a failure within the hour tells nothing": {
			{at: 0, answer: open}, {at: hour, answer: shut}, {at: hour + 10*minute, answer: failed, next: 50 * minute},
			{at: 2 * hour, answer: open, events: "brief low since 1h0m0s until 2h0m0s old 0s new 1h0m0s"},
		},
		"a failure after which no retrieval within the hour is due": {
			{at: 0, answer: open}, {at: hour, answer: shut},
			{at: hour + 10*minute, answer: failed, next: 50*minute + instant, events: "verdicts high since 1h0m0s old 0s new 1h0m0s"},
			{at: 3 * hour, answer: shut},
		},
		"a failure after the hour": {
			{at: 0, answer: open}, {at: hour, answer: shut}, {at: 2*hour + instant, answer: failed, events: "verdicts high since 1h0m0s old 0s new 1h0m0s"},
		},
		"the same brief again, within 24 hours and after them": {
			{at: 0, answer: open}, {at: hour, answer: shut}, {at: 2 * hour, answer: open, events: "brief low since 1h0m0s until 2h0m0s old 0s new 1h0m0s"},
			{at: 26*hour - instant, answer: shut}, {at: 26 * hour, answer: open},
			{at: 50 * hour, answer: shut}, {at: 50*hour + 5*minute, answer: open, events: "brief low since 50h0m0s until 50h5m0s old 0s new 50h0m0s"},
		},
		"a brief that is not told again is remembered": {
			{at: 0, answer: open}, {at: hour, answer: shut}, {at: 2 * hour, answer: open, events: "brief low since 1h0m0s until 2h0m0s old 0s new 1h0m0s"},
			{at: 20 * hour, answer: shut}, {at: 21 * hour, answer: open}, {at: 40 * hour, answer: shut}, {at: 41 * hour, answer: open},
		},
		"two briefs in turn": {
			{at: 0, answer: open}, {at: hour, answer: shut}, {at: 2 * hour, answer: open, events: "brief low since 1h0m0s until 2h0m0s old 0s new 1h0m0s"},
			{at: 3 * hour, answer: gone}, {at: 4 * hour, answer: open, events: "brief low since 3h0m0s until 4h0m0s old 0s new 3h0m0s"},
			{at: 5 * hour, answer: shut}, {at: 6 * hour, answer: open}, {at: 7 * hour, answer: gone}, {at: 8 * hour, answer: open},
		},
		"unreachable after a day, once": {
			{at: 0, answer: open}, {at: hour, answer: failed}, {at: 25*hour - instant, answer: failed},
			{at: 25 * hour, answer: failed, events: "unreachable high disallows-everything since 1h0m0s"}, {at: 26 * hour, answer: failed}, {at: 60 * hour, answer: failed},
			{at: 70 * hour, answer: open, events: "reachable low since 1h0m0s until 70h0m0s"},
			{at: 71 * hour, answer: failed}, {at: 72 * hour, answer: open},
		},
		"unreachable for less than a day": {{at: 0, answer: open}, {at: hour, answer: failed}, {at: 24 * hour, answer: open}, {at: 25 * hour, answer: failed}, {at: 48 * hour, answer: failed}},
		"two failures, and nobody knows what was between them (R-22)": {
			{at: 0, answer: open}, {at: hour, answer: failed}, {at: 27*hour + instant, answer: failed}, {at: 51 * hour, answer: failed},
			{at: 51*hour + instant, answer: failed, events: "unreachable high disallows-everything since 27h0m1s"},
			{at: 100 * hour, answer: failed}, {at: 101 * hour, answer: open, events: "reachable low since 27h0m1s until 101h0m0s"},
		},
		"a clock that is set back while a site is unreachable": {
			{at: 10 * hour, answer: failed}, {at: 0, answer: failed}, {at: 23 * hour, answer: failed}, {at: day, answer: failed, events: "unreachable high disallows-everything since 0s"},
		},
		"unreachable from the beginning": {
			{at: 0, answer: failed}, {at: day, answer: failed, events: "unreachable high disallows-everything since 0s"}, {at: 2 * day, answer: shut, events: "reachable low since 0s until 48h0m0s"},
		},
		"unreachable for 30 days (R-16)": {
			{at: 0, answer: open}, {at: hour, answer: failed}, {at: day, answer: failed}, {at: 2 * day, answer: failed, events: "unreachable high disallows-everything since 1h0m0s"},
			{at: 31 * day, answer: lastCopy, events: "unreachable high rules since 1h0m0s"}, {at: 32 * day, answer: lastCopy},
			{at: 33 * day, answer: open, events: "reachable low since 1h0m0s until 792h0m0s"},
		},
		"unreachable for 30 days without a file (R-16)": {
			{at: 0, answer: failed}, {at: day, answer: failed, events: "unreachable high disallows-everything since 0s"}, {at: 30 * day, answer: anything, events: "unreachable high allows-everything since 0s"},
		},
		"the answer after failures is compared with the one before": {
			{at: 0, answer: open}, {at: hour, answer: failed}, {at: 20 * hour, answer: failed}, {at: 30 * hour, answer: failed, events: "unreachable high disallows-everything since 1h0m0s"},
			{at: 31 * hour, answer: shut, next: day, events: "reachable low since 1h0m0s until 31h0m0s; verdicts high since 31h0m0s old 0s new 31h0m0s"},
		},
		"a copy that is older than the state is no look": {
			{at: 0, answer: open}, {at: hour, answer: shut, next: day, events: "verdicts high since 1h0m0s old 0s new 1h0m0s"},
			{at: 0, answer: open, cached: true}, {at: hour, answer: shut, cached: true}, {at: 2 * hour, answer: shut},
		},
		"a copy that is older than what is held": {
			{at: 0, answer: open}, {at: hour, answer: shut}, {at: 0, answer: open, cached: true}, {at: 2 * hour, answer: open, events: "brief low since 1h0m0s until 2h0m0s old 0s new 1h0m0s"},
			{at: hour, answer: shut, cached: true}, {at: 3 * hour, answer: open},
		},
		"a failure that is older than the answer after it": {
			{at: 0, answer: open}, {at: hour, answer: failed}, {at: 2 * hour, answer: open}, {at: hour, answer: failed, cached: true},
			{at: 20 * hour, answer: failed}, {at: 26 * hour, answer: failed},
		},
		"a copy that is newer than the state": {
			{at: 0, answer: open}, {at: hour, answer: shut, next: day, cached: true, events: "verdicts high since 1h0m0s old 0s new 1h0m0s"},
		},
		"a clock that was ahead when the change was held": {
			{at: 0, answer: open}, {at: 365 * day, answer: shut}, {at: hour, answer: shut}, {at: 2*hour - 5*minute, answer: shut},
			{at: 2 * hour, answer: shut, events: "verdicts high since 1h0m0s old 0s new 8760h0m0s"},
		},
		"a clock that was ahead when the change was held, and the next retrieval comes late": {
			{at: 0, answer: open}, {at: 365 * day, answer: shut}, {at: hour, answer: shut, next: day, events: "verdicts high since 1h0m0s old 0s new 8760h0m0s"},
		},
		"a clock that was ahead when the change was held, and the site fails": {
			{at: 0, answer: open}, {at: 365 * day, answer: shut}, {at: hour, answer: failed, next: day, events: "verdicts high since 1h0m0s old 0s new 8760h0m0s"},
		},
		"a clock that was ahead when a brief change was over": {
			{at: 0, answer: open}, {at: 365 * day, answer: shut}, {at: 365*day + minute, answer: open, events: "brief low since 8760h0m0s until 8760h1m0s old 0s new 8760h0m0s"},
			{at: hour, answer: shut}, {at: 2 * hour, answer: open, events: "brief low since 1h0m0s until 2h0m0s old 0s new 1h0m0s"},
		},
		"gone": {
			{at: 0, answer: open}, {at: day, answer: gone, next: day, events: "verdicts high since 24h0m0s old 0s new 24h0m0s"},
			{at: 2 * day, answer: open, next: day, events: "verdicts medium since 48h0m0s old 24h0m0s new 48h0m0s"},
		},
		"gone, and it disallowed nothing": {{at: 0, answer: noGroups}, {at: day, answer: gone, next: day}, {at: 2 * day, answer: noGroups, next: day}},
		"some URLs":                       {{at: 0, answer: open}, {at: day, answer: half, next: day, events: "verdicts medium since 24h0m0s old 0s new 24h0m0s"}},
		"one crawler":                     {{at: 0, answer: open}, {at: day, answer: gptShut, next: day, events: "verdicts high since 24h0m0s old 0s new 24h0m0s"}},
		"preferences":                     {{at: 0, answer: open}, {at: day, answer: noTrain, next: day, events: "preferences medium since 24h0m0s old 0s new 24h0m0s"}},
		"managed":                         {{at: 0, answer: open}, {at: day, answer: block, next: day, events: "managed low since 24h0m0s old 0s new 24h0m0s"}, {at: 2 * day, answer: block2, next: day}, {at: 3 * day, answer: block3, next: day, events: "managed low since 72h0m0s old 48h0m0s new 72h0m0s"}},
		"too long": {
			{at: 0, answer: open}, {at: day, answer: cutOff + open, next: day, events: "too-long medium since 24h0m0s old 0s new 24h0m0s"}, {at: 2 * day, answer: cutOff + comment, next: day},
			{at: 3 * day, answer: comment, next: day, events: "not-too-long low since 72h0m0s old 48h0m0s new 72h0m0s"},
		},
		"empty file":    {{at: 0, answer: open}, {at: day, answer: "\n", next: day, events: "verdicts high since 24h0m0s old 0s new 24h0m0s"}},
		"only comment":  {{at: 0, answer: open}, {at: day, answer: "# soon\n", next: day, events: "verdicts high since 24h0m0s old 0s new 24h0m0s"}},
		"HTML page":     {{at: 0, answer: open}, {at: day, answer: "<html>\n<p>Hello\n</html>\n", next: day, events: "verdicts high since 24h0m0s old 0s new 24h0m0s"}},
		"opened":        {{at: 0, answer: open}, {at: day, answer: "User-agent: *\nDisallow:\n", next: day, events: "verdicts medium since 24h0m0s old 0s new 24h0m0s"}},
		"several words": {{at: 0, answer: block}, {at: day, answer: shut + noTrain, next: day, events: "verdicts+managed high since 24h0m0s old 0s new 24h0m0s"}},
		"brief of preferences only": {
			{at: 0, answer: open}, {at: hour, answer: noTrain}, {at: hour + 5*minute, answer: open, events: "brief low since 1h0m0s until 1h5m0s old 0s new 1h0m0s"},
		},
	} {
		t.Run(name, func(t *testing.T) { play(t, &state{}, steps) })
	}
}

// A retrieval of the same answer does not change the note.
func TestSameNote(t *testing.T) {
	for _, answer := range []string{open, gone} {
		s := play(t, &state{}, []step{{at: 0, answer: answer}})
		if again := play(t, s, []step{{at: hour, answer: answer}}); string(again.encode()) != string(s.encode()) {
			t.Errorf("%q: the note is another one:\n%s\n%s", answer, again.encode(), s.encode())
		}
	}
}

// Each event has an ID of its own, which does not change.
func TestEventIDs(t *testing.T) {
	s := play(t, &state{}, []step{{at: 0, answer: open}, {at: hour, answer: shut},
		{at: 3 * hour, answer: open, next: 2 * hour, events: "verdicts high since 1h0m0s old 0s new 1h0m0s; verdicts medium since 3h0m0s old 1h0m0s new 3h0m0s"}})
	a, b := s.Events[0].head.ID, s.Events[1].head.ID
	if a == b || a == "" {
		t.Errorf("the events have the IDs %q and %q", a, b)
	}
	if m := s.first(); m == nil || m.ID != a {
		t.Errorf("the first event to tell is %v", m)
	}
	s.told("another")
	s.told(a)
	if m := s.first(); m == nil || m.ID != b {
		t.Errorf("the first event to tell is %v", m)
	}
	s.told(b)
	if s.first() != nil || s.waiting() != 0 || len(s.Events) != 2 {
		t.Errorf("after all are told, %v is first, %d wait, and %d are kept", s.first(), s.waiting(), len(s.Events))
	}
}

// All events that wait are kept, and the last ones of those that were told.
func TestKeptEvents(t *testing.T) {
	s := &state{}
	for i := range 40 {
		s.add(&look{site: mustParse(t, "https://shop.example"), time: noon.Add(time.Duration(i) * hour)}, &Event{Head: Head{What: []What{Reachable}}, Since: &noon})
	}
	if len(s.Events) != 40 || s.waiting() != 40 {
		t.Fatalf("%d events are kept, and %d wait", len(s.Events), s.waiting())
	}
	var last []string
	for _, p := range s.Events[24:] {
		last = append(last, p.head.ID)
	}
	for s.first() != nil {
		s.told(s.first().ID)
	}
	var kept []string
	for _, p := range s.Events {
		kept = append(kept, p.head.ID)
	}
	if !slices.Equal(kept, last) {
		t.Errorf("kept are %d events, %v; expected %v", len(kept), kept, last)
	}
}

// An event that waits is kept, however many later ones nobody wants.
func TestKeptWaiting(t *testing.T) {
	s := &state{}
	for i := range 40 {
		s.add(&look{site: mustParse(t, "https://shop.example"), time: noon.Add(time.Duration(i) * hour)}, &Event{Head: Head{What: []What{Reachable}}, Since: &noon})
		if i > 0 {
			s.told(s.Events[len(s.Events)-1].head.ID)
		}
	}
	if m := s.first(); m == nil || !m.Time.Equal(noon) || len(s.Events) != 1+keptEvents {
		t.Errorf("first is %v, and %d are kept", m, len(s.Events))
	}
}

// The same file from another URL is another answer; the same one again says when it was first seen.
func TestAgain(t *testing.T) {
	a := &Version{Means: meansRules, Status: 200, URL: "https://shop.example/robots.txt", SHA256: "1", Fetched: noon}
	b := *a
	b.Fetched = noon.Add(hour)
	if a.versionToKeep(&b) != a {
		t.Error("the same answer is another one")
	}
	b.URL = "https://cdn.example/robots.txt"
	if a.versionToKeep(&b) != &b {
		t.Error("the answer of another URL is the same one")
	}
}

// Of the changes that were over soon, a limited number is remembered.
func TestKeptBriefs(t *testing.T) {
	s := &state{}
	for i := range 100 {
		s.cameBefore(brief{"a", fmt.Sprint(i), noon}, noon)
	}
	if len(s.Briefs) != keptBriefs || s.Briefs[keptBriefs-1].Between != "99" {
		t.Errorf("%d are kept, the last one is %v", len(s.Briefs), s.Briefs[len(s.Briefs)-1])
	}
	s.cameBefore(brief{"a", "new", noon.Add(25*hour + instant)}, noon.Add(25*hour))
	if len(s.Briefs) != 1 {
		t.Errorf("%d are kept after a day", len(s.Briefs))
	}
}

// A note that cannot be read is an error, and no panic.
func TestWrongNotes(t *testing.T) {
	s := play(t, &state{}, []step{{at: 0, answer: open}, {at: hour, answer: shut, next: 2 * hour, events: "verdicts high since 1h0m0s old 0s new 1h0m0s"}, {at: 4 * hour, answer: half}})
	note := s.encode()
	back, err := decode(note)
	if err != nil || string(back.Told.body) != shut || string(back.Held.Version.body) != half {
		t.Fatalf("the bodies are %q and %q: %v", back.Told.body, back.Held.Version.body, err)
	}
	for _, wrong := range []string{"x", "watch2 {}\n", "watch1 {\n", "watch1 [1]\n", string(note[:len(note)-1]), strings.Replace(string(note), `"bytes":26`, `"bytes":-1`, 1),
		`watch1 {"events":[{"event":5}]}` + "\n", `watch1 {"held":{}}` + "\n", `watch1 {"told":{},"held":{}}` + "\n", `watch1 {"held":{"version":{}}}` + "\n"} {
		if _, err := decode([]byte(wrong)); !errors.Is(err, errWrongState) {
			t.Errorf("%.60q: error %v", wrong, err)
		}
	}
	if s, err := decode(nil); err != nil || s.Told != nil {
		t.Errorf("no note: %v, %v", s, err)
	}
	for cut := range note {
		decode(note[:cut])
	}
	for i := range note {
		for _, b := range []byte(`"0:}x`) {
			mutant := slices.Clone(note)
			mutant[i] = b
			tryNote(t, mutant)
		}
		tryNote(t, slices.Delete(slices.Clone(note), i, i+1))
	}
}

// tryNote looks at a site with a note that may be damaged.
func tryNote(t *testing.T, note []byte) {
	t.Helper()
	s, err := decode(note)
	if err != nil {
		return
	}
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("%q: panic: %v", note, p)
		}
	}()
	one := &comparer{dialect: robotstxt.RFC9309, table: crawlers.Known(), crawlers: [][]string{{"a"}}, limit: time.Minute}
	next, err := s.nextState(t.Context(), one, (&step{at: 6 * hour, answer: open}).look(t))
	if err != nil {
		t.Fatal(err)
	}
	next.encode()
}

// A comparison that takes too long is undecided, and is told as such; one that is ended is an error.
func TestUndecided(t *testing.T) {
	slow := &comparer{dialect: robotstxt.RFC9309, table: crawlers.Known(), limit: 0}
	old, l := (&step{answer: open}).look(t), (&step{at: hour, answer: shut, next: 2 * hour}).look(t)
	s := &state{Told: old.version}
	next, err := s.nextState(t.Context(), slow, l)
	if err != nil || len(next.Events) != 1 {
		t.Fatalf("%v, %v", next, err)
	}
	if got := inShort(t, &next.Events[0]); got != "verdicts low since 1h0m0s old 0s new 1h0m0s" {
		t.Error(got)
	}
	if e := string(next.Events[0].Event); !strings.Contains(e, `"result":"undecided"`) {
		t.Error(e)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.nextState(ctx, slow, l); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// Undecided preferences are no grave event.
func TestUndecidedPreferences(t *testing.T) {
	l := func(answer string) *Version { return (&step{answer: answer}).look(t).version }
	a, b := l(open), l(noTrain)
	c := changeOf(a, b, &report.Comparison{Result: "equal", Preferences: &report.ComparedPreferences{Result: "undecided"}}, a.input(nil).File, b.input(nil).File)
	if c == nil || c.severity != Low || !slices.Equal(c.what, []What{PreferencesChanged}) {
		t.Errorf("%+v", c)
	}
}

// The sentence of an event names crawlers as all texts do, and says for which crawlers a purpose token changes the preferences.
func TestCrawlersInWords(t *testing.T) {
	all := &comparer{dialect: robotstxt.RFC9309, table: crawlers.Known(), limit: time.Minute}
	old, l := (&step{answer: open}).look(t), (&step{at: hour, answer: open + "\nUser-agent: Google-Extended\nDisallow: /\n", next: 2 * hour}).look(t)
	next, err := (&state{Told: old.version}).nextState(t.Context(), all, l)
	if err != nil || len(next.Events) != 1 {
		t.Fatalf("%v, %v", next, err)
	}
	if e := string(next.Events[0].Event); !strings.Contains(e, "train-ai was unknown and is disallowed for @AdsBot-Google, Googlebot; and more preferences") {
		t.Error(e)
	}
	old, l = (&step{answer: "User-agent: AdsBot-Google\nDisallow: /cart\n\n" + open}).look(t), (&step{at: hour, answer: "User-agent: *\nDisallow: /\n", next: 2 * hour}).look(t)
	if next, err = (&state{Told: old.version}).nextState(t.Context(), all, l); err != nil || len(next.Events) != 1 {
		t.Fatalf("%v, %v", next, err)
	}
	if e := string(next.Events[0].Event); !strings.Contains(e, "Everything is disallowed now for all crawlers without a group. For example") {
		t.Error(e)
	}
}

// The sentence of an event says first what is disallowed now, and then what is allowed.
func TestDisallowedFirst(t *testing.T) {
	all := &comparer{dialect: robotstxt.RFC9309, table: crawlers.Known(), limit: time.Minute}
	open, closed := "", ""
	for name := 'a'; name <= 'y'; name++ {
		open += fmt.Sprintf("User-agent: %c\nDisallow:\n\n", name)
		closed += fmt.Sprintf("User-agent: %c\nDisallow: /%c\n\n", name, name)
	}
	for _, test := range []struct{ old, new, want string }{
		{open + "User-agent: z\nDisallow: /\n", closed, `; some URLs are allowed now for z; and more"`},
		{
			"User-agent: a\nDisallow: /x\n\nUser-agent: *\nDisallow: /z\n", "User-agent: *\nDisallow: /z\nDisallow: /long/path\n",
			"Some URLs are disallowed now, and others allowed, for a. For example, https://shop.example/z was allowed",
		},
		{
			"User-agent: a\nDisallow: /x\n\nUser-agent: b\nDisallow: /y\n", "User-agent: b\nDisallow: /y\nDisallow: /z\n",
			"Some URLs are disallowed now for b. For example, https://shop.example/z was allowed",
		},
		{
			"User-agent: *\nDisallow: /\n\nUser-agent: b\nDisallow:\n", "User-agent: *\nDisallow:\n\nUser-agent: b\nDisallow: /cart\n",
			`Some URLs are disallowed now for b. For example, https://shop.example/cart was allowed (no rule matches), and now is disallowed (line 5: Disallow: /cart); some URLs are allowed now for all crawlers without a group"`,
		},
		{
			"User-agent: *\nDisallow:\n\nUser-agent: b\nDisallow: /cart\n", "User-agent: *\nDisallow: /\n\nUser-agent: b\nDisallow:\n",
			`Everything is disallowed now for all crawlers without a group. For example, https://shop.example/ was allowed (no rule matches), and now is disallowed (line 2: Disallow: /); some URLs are allowed now for b"`,
		},
		{
			"User-agent: a\nDisallow: /y\n\nUser-agent: b\nUser-agent: c\nDisallow: /y\n", "User-agent: a\nDisallow: /x\n\nUser-agent: b\nDisallow: /z\n\nUser-agent: c\nDisallow:\n",
			`(line 2: Disallow: /x); some URLs are disallowed now, and others allowed, for b; some URLs are allowed now for c"`,
		},
		{
			"User-agent: *\nDisallow:\n", "User-agent: AI2Bot\nUser-agent: img2dataset\nDisallow: /\n\nUser-agent: *\nDisallow:\n",
			"Everything is disallowed now for AI2Bot (AI), img2dataset (img). For example",
		},
		{
			"User-agent: *\nContent-Usage: train-ai=n\nContent-Usage: search=y\n", "User-agent: *\nContent-Usage: train-ai=y\nContent-Usage: search=n\n",
			"search was allowed and is disallowed for all crawlers without a group; and more preferences",
		},
	} {
		old, l := (&step{answer: test.old}).look(t), (&step{at: hour, answer: test.new, next: 2 * hour}).look(t)
		next, err := (&state{Told: old.version}).nextState(t.Context(), all, l)
		if err != nil || len(next.Events) != 1 {
			t.Fatalf("%v, %v", next, err)
		}
		if e := string(next.Events[0].Event); !strings.Contains(e, test.want) {
			t.Error(e)
		}
	}
}

// When a short change is over, its sentence does not say that the change still holds.
func TestBriefInWords(t *testing.T) {
	for _, test := range []struct{ old, between, want string }{
		{open, shut, "The old answer is back. Another answer came for a short time, first seen at 2026-05-03 13:00 UTC and gone at 2026-05-03 13:05 UTC: status 200, 26 bytes. " +
			"Everything was disallowed then for all crawlers without a group. For example, https://shop.example/ was disallowed (line 2: Disallow: /), and is allowed again"},
		{block, half, "Some URLs were disallowed then for all crawlers without a group, GPTBot. For example, https://shop.example/half was disallowed (line 2: Disallow: /half), and is allowed again"},
		{shut, gone, "Some URLs were allowed then for all crawlers without a group. For example, https://shop.example/ was allowed (robots.txt is unavailable), and is disallowed again"},
		{open, noTrain, "No verdict changed"},
	} {
		s := &state{}
		for _, st := range []step{{answer: test.old}, {at: hour, answer: test.between}, {at: hour + 5*minute, answer: "# new\n" + test.old}} {
			var err error
			if s, err = s.nextState(t.Context(), comparing, st.look(t)); err != nil {
				t.Fatal(err)
			}
		}
		var text string
		for _, p := range s.Events {
			text += p.head.Text
		}
		if !strings.HasSuffix(text, test.want) {
			t.Errorf("from %q to %q and back:\n got %s\nwant %s", test.old, test.between, text, test.want)
		}
	}
}
