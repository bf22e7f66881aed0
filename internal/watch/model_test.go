package watch_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A model says which events must be told of a site, from what the server saw and from docs/watch.md alone. Where a process
// was killed, a visit may be lost, and where the time of the next retrieval is by chance, two things may be right: so it
// follows several guesses, and one of them must be right.

// A sight is a visit as the process that watches saw it.
type sight struct {
	visit
	at        time.Time     // the end of the retrieval
	until     time.Time     // the next visit, or the end of the world
	took      time.Duration // the retrieval
	exact     bool          // at and took are known
	maybe     bool          // the process was killed soon: it may have kept nothing of it
	started   bool          // a process was started since the sight before
	unwritten bool          // the process was killed before long: the record may be lost, so a failure may not count
	means     *meaning      // nil: it failed
}

// answer is an answer with the time when it was first seen.
type answer struct {
	*meaning
	status int
	url    string
	first  time.Time
}

// isSame reports whether an answer is the same one, from the same place.
func (a *answer) isSame(s *sight) bool {
	return a.sum == s.means.sum && a.meaning.means == s.means.means && a.status == s.status && a.url == s.url
}

// A predicted event.
type predicted struct {
	what         string
	severity     string
	from, to     time.Time // of the member time
	since, until time.Time // zero: not compared
	old, now     *answer   // nil: there is none
	fuzz         time.Duration
}

// A guess is a state of a site that may be right.
type guess struct {
	base     *answer // what the next answer is compared with
	held     *answer // the last answer that differs, within an hour
	heldFrom time.Time
	failing  time.Time
	lastFail time.Time
	failures int
	lost     int  // of the failures: how many may be forgotten
	isTold   bool // unreachable was told
	briefs   map[string]time.Time
	events   []predicted
}

const hold = time.Hour

func (g *guess) copy() *guess {
	c := *g
	c.events = slices.Clip(g.events)
	c.briefs = map[string]time.Time{}
	for k, v := range g.briefs {
		c.briefs[k] = v
	}
	return &c
}

// lifetime returns the shortest and the longest time until the next retrieval.
func (s *sight) lifetime(failures int) (least, most time.Duration) {
	if !s.failed {
		fresh := min(max(controls[s.control].fresh-s.took, 5*time.Minute), 24*time.Hour)
		return fresh, fresh
	}
	if s.wait >= 0 {
		wait := min(max(s.wait, 30*time.Second), 24*time.Hour)
		return wait, wait
	}
	first, limit := time.Minute, time.Hour
	if s.status == 503 {
		first, limit = 30*time.Second, 15*time.Minute
	}
	wait := min(first<<min(max(failures-1, 0), 16), limit)
	return wait * 3 / 4, wait
}

// after returns the guesses after a sight.
func (g *guess) after(s *sight, fuzz time.Duration) (next []*guess) {
	if s.maybe {
		next = append(next, g.copy())
	}
	g = g.copy()
	if s.exact {
		fuzz = time.Second
	}
	if s.failed {
		return append(next, g.afterFailure(s, fuzz)...)
	}
	a := &answer{s.means, s.status, s.url, s.at}
	if !g.failing.IsZero() {
		if g.isTold {
			g.events = append(g.events, predicted{what: "reachable", severity: "low", from: s.at, to: s.at, since: g.failing, until: s.at, fuzz: fuzz})
		}
		g.failing, g.failures, g.lost, g.isTold = time.Time{}, 0, 0, false
	}
	switch {
	case g.base == nil:
		g.base = a
		return append(next, g)
	case g.held != nil && s.at.Sub(g.heldFrom) > hold:
		g.tell(s, fuzz)
	case g.held != nil:
		if what, _ := differences(g.base.meaning, a.meaning); len(what) == 0 {
			pair := g.base.sum + g.base.meaning.means + " " + g.held.sum + g.held.meaning.means
			last, was := g.briefs[pair]
			if !was || g.heldFrom.Sub(last) >= 24*time.Hour {
				g.events = append(g.events, predicted{what: "brief", severity: "low", from: s.at, to: s.at, since: g.heldFrom, until: s.at, old: g.base, now: g.held, fuzz: fuzz})
			}
			g.briefs[pair] = s.at
			g.held = nil
			g.base = g.base.or(a, s)
			return append(next, g)
		}
		g.held = g.held.or(a, s)
		return append(next, g.due(s, fuzz)...)
	}
	if what, _ := differences(g.base.meaning, a.meaning); len(what) == 0 {
		g.base = g.base.or(a, s)
		return append(next, g)
	}
	g.held, g.heldFrom = a, s.at
	return append(next, g.due(s, fuzz)...)
}

// or returns the answer itself if another is the same one, else the other.
func (a *answer) or(b *answer, s *sight) *answer {
	if a.isSame(s) {
		return a
	}
	return b
}

// tell tells the change that is held.
func (g *guess) tell(s *sight, fuzz time.Duration) {
	from := s.at
	if s.started {
		from = g.heldFrom // a process that starts looks at what it knows
	}
	if what, severity := differences(g.base.meaning, g.held.meaning); len(what) > 0 {
		g.events = append(g.events, predicted{what: strings.Join(what, ","), severity: severity, from: from, to: s.at, since: g.heldFrom, old: g.base, now: g.held, fuzz: fuzz})
	}
	g.base, g.held = g.held, nil
}

// due tells the change that is held if no retrieval within the hour is due any more.
func (g *guess) due(s *sight, fuzz time.Duration) []*guess {
	least, _ := s.lifetime(g.failures - g.lost)
	_, most := s.lifetime(g.failures)
	end := g.heldFrom.Add(hold)
	if !s.failed { // if the process looks at an answer that is no longer fresh, the next retrieval is due when it looks
		most = max(most, s.until.Sub(s.at))
	}
	if !s.exact {
		least -= fuzz
		most += fuzz
	}
	switch {
	case s.at.Add(least).After(end):
		g.tell(s, fuzz)
	case s.at.Add(most).After(end):
		other := g.copy()
		other.tell(s, fuzz)
		return []*guess{g, other}
	}
	return []*guess{g}
}

func (g *guess) afterFailure(s *sight, fuzz time.Duration) (next []*guess) {
	g.failures++
	if s.unwritten {
		g.lost++
	}
	if g.failing.IsZero() || !g.isTold && s.at.Sub(g.lastFail) > 26*time.Hour {
		g.failing = s.at
	}
	g.lastFail = s.at
	next = []*guess{g}
	if g.held != nil {
		if s.at.Sub(g.heldFrom) > hold {
			g.tell(s, fuzz)
		} else {
			next = g.due(s, fuzz)
		}
	}
	for _, g := range next {
		if !g.isTold && s.at.Sub(g.failing) >= 24*time.Hour {
			g.isTold = true
			g.events = append(g.events, predicted{what: "unreachable", severity: "high", from: s.at, to: s.at, since: g.failing, fuzz: fuzz})
		}
	}
	return next
}

// A told event, with what of it is compared.
type told struct {
	ID          string
	Time        time.Time
	Site        string
	What        []string
	Severity    string
	Text        string
	Old, New    *toldVersion
	Since       time.Time
	Until       time.Time
	Means       string
	Why         string
	Preferences *struct {
		Result  string
		Changes []struct{ Witness, Result string }
	}
	Verdicts *struct {
		Result   string
		Crawlers []struct {
			Agents  []json.RawMessage
			Effect  string
			Changes []struct {
				Witness  string
				Old, New struct{ Allowed bool }
			}
		}
		More bool
	}
}

// onlyRobotsTxt reports whether the preferences changed for /robots.txt only, which everybody may fetch, or are undecided.
func (e *told) onlyRobotsTxt() bool {
	for _, c := range e.Preferences.Changes {
		if c.Result != "undecided" && c.Witness != "/robots.txt" {
			return false
		}
	}
	return true
}

type toldVersion struct {
	Means     string
	Status    int
	URL       string
	Truncated bool
	Bytes     int
	SHA256    string
	Fetched   time.Time
}

// isNear reports whether a time is that of another, as exactly as it is known.
func isNear(a, b time.Time, fuzz time.Duration) bool { return a.Sub(b).Abs() <= fuzz }

// is returns "" if an event is the predicted one, or what is not right.
func (p *predicted) is(e *told) string {
	what := strings.Join(e.What, ",")
	if e.Preferences != nil && strings.HasPrefix(what, "verdicts,preferences") && !strings.Contains(p.what, "preferences") && e.onlyRobotsTxt() {
		// For crawlers with another verdict there may be no other page that both files allow.
		what = strings.Replace(what, ",preferences", "", 1)
	}
	switch {
	case p.what != what:
		return "what"
	case p.severity != e.Severity:
		return "severity"
	case e.Time.Before(p.from.Add(-p.fuzz)) || e.Time.After(p.to.Add(p.fuzz)):
		return "time"
	case !isNear(e.Since, p.since, p.fuzz):
		return "since"
	case !isNear(e.Until, p.until, p.fuzz):
		return "until"
	case !p.old.is(e.Old, p.fuzz):
		return "old"
	case !p.now.is(e.New, p.fuzz):
		return "new"
	case (e.What[0] == "unreachable") != (e.Means == "disallows-everything"), (e.What[0] == "unreachable") != (e.Why != ""):
		return "means"
	case (p.old != nil && p.old.verdicts != p.now.verdicts) != (e.Verdicts != nil && e.Verdicts.Result == "differs"):
		return "verdicts"
	case strings.Contains(p.what, "preferences") && (e.Preferences == nil || e.Preferences.Result != "differs"):
		return "preferences"
	case e.Text == "" || e.ID == "":
		return "text"
	}
	return ""
}

func (a *answer) is(v *toldVersion, fuzz time.Duration) bool {
	if a == nil || v == nil {
		return a == nil && v == nil
	}
	return a.meaning.means == v.Means && a.status == v.Status && a.url == v.URL && a.sum == v.SHA256 && a.long == v.Truncated && isNear(a.first, v.Fetched, fuzz)
}

func (a *answer) String() string {
	if a == nil {
		return "-"
	}
	return fmt.Sprintf("%d %.6s first %s", a.status, a.sum, short(a.first))
}

func (v *toldVersion) String() string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf("%d %.6s first %s %s %s", v.Status, v.SHA256, short(v.Fetched), v.Means, v.URL)
}

func short(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format("02T15:04:05")
}

func (p *predicted) String() string {
	return fmt.Sprintf("%s %s at %s…%s since %s until %s old %v new %v", p.what, p.severity, short(p.from), short(p.to), short(p.since), short(p.until), p.old, p.now)
}

func (e *told) String() string {
	return fmt.Sprintf("%s %s at %s since %s until %s old %v new %v", strings.Join(e.What, ","), e.Severity, short(e.Time), short(e.Since), short(e.Until), e.Old, e.New)
}

// check compares what was told of a site with the guesses. Events after the end may be missing. It returns what is wrong.
func check(guesses []*guess, events []*told, end time.Time) string {
	var best string
	most := -1
	for _, g := range guesses {
		n, wrong := 0, ""
		for i := range max(len(g.events), len(events)) {
			switch {
			case i >= len(events):
				if g.events[i].to.Before(end) {
					wrong = "not told: " + g.events[i].String()
				}
			case i >= len(g.events):
				wrong = "not predicted: " + events[i].String()
			default:
				if not := g.events[i].is(events[i]); not != "" {
					wrong = fmt.Sprintf("%s: predicted %v\n\ttold %v", not, &g.events[i], events[i])
				}
			}
			if wrong != "" {
				break
			}
			n++
		}
		if wrong == "" {
			return ""
		}
		if n > most {
			most, best = n, fmt.Sprintf("event %d: %s", n, wrong)
		}
	}
	return best
}
