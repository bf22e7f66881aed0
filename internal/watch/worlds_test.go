package watch_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/robotstxt"
)

// A life is a time for which a process watched, by the clock of the world.
type life struct{ from, to time.Time }

// A world of sites changes as chance says, on a fast clock, while the process that watches it is killed again and again. What
// docs/watch.md promises is told, once, and nothing else, and no site is asked too early. HEED_WHOLE watches 6,000 sites for
// a week.
func TestWorlds(t *testing.T) {
	portion.Skip(t, 2)
	sites, speed, span, kills, often := 200, 8640, 2*24*time.Hour, 5, 1.0
	if portion.Whole() { // many sites of which each changes seldom: two cores serve and watch 400 retrievals a second
		sites, speed, span, kills, often = 20_000, 1000, 7*24*time.Hour, 10, 0.08
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	folder := t.TempDir()
	w := newWorld(t, sites, seed, speed, often)
	c := &watcher{Address: w.server.Listener.Addr().String(), Clock: w.clock, Sites: sites, Grows: sites,
		Store: filepath.Join(folder, "heed.db"), Told: filepath.Join(folder, "told"), Fetched: filepath.Join(folder, "fetched"), Calm: filepath.Join(folder, "calm")}
	if portion.Whole() {
		c.Grows = 100 // as many as the store can write in that time
	}
	lives := w.live(t, c, span, kills)
	if w.slow && !portion.Whole() {
		t.Skip("the store could not be written as fast as the clock of this world goes: the disk of this machine is busy")
	}
	w.judge(t, c, lives)
}

// real is a time of the machine as one of the world.
func (w *world) real(d time.Duration) time.Duration { return d * time.Duration(w.clock.Speed) }

// live lets a process watch for a span, kills it now and then and starts another. Then nothing changes any more, and the last
// one tells what it has to.
func (w *world) live(t *testing.T, c *watcher, span time.Duration, kills int) (lives []life) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	settings, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	end := worldBegins.Add(span)
	var peak int
	for n := range kills + 1 {
		var said bytes.Buffer
		p := exec.CommandContext(t.Context(), self)
		p.Env = append(os.Environ(), childEnv+"="+string(settings))
		p.Stderr = &said
		from := w.clock.now()
		if err := p.Start(); err != nil {
			t.Fatal(err)
		}
		exited := make(chan error, 1)
		go func() { exited <- p.Wait() }()
		left := end.Sub(w.clock.now())
		run := left
		if n < kills {
			run = time.Duration(float64(left) / float64(kills+1-n) * (0.4 + 1.2*rand.Float64()))
		}
		select {
		case <-w.clock.after(run):
		case err := <-exited:
			t.Fatalf("the process ended: %v\n%s", err, said.String())
		}
		if n < kills {
			p.Process.Kill()
			<-exited
		} else {
			w.mu.Lock()
			w.calm = true
			w.mu.Unlock()
			if err := os.WriteFile(c.Calm, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			select {
			case err := <-exited:
				if err != nil {
					t.Errorf("the process ended: %v", err)
				}
			case <-time.After(time.Minute + w.clock.realOf(3*time.Hour)):
				t.Error("there are still events to tell")
				p.Process.Kill()
				<-exited
			}
		}
		w.settle(t)
		lives = append(lives, life{from, w.clock.now()})
		peak = max(peak, peakOf(p.ProcessState))
		w.slow = w.slow || bytes.Contains(said.Bytes(), []byte("too many records wait"))
		if said.Len() > 0 {
			t.Logf("process %d said:\n%s", n, said.String())
		}
		if n < kills && rand.N(2) == 0 {
			time.Sleep(w.clock.realOf(time.Duration(rand.Int64N(int64(min(5*time.Hour, max(time.Minute, end.Sub(w.clock.now())/4)))))))
		}
	}
	t.Logf("%d sites, %s at %d×, %d kills, peak of the memory of a process %d KiB", c.Sites, w.clock.now().Sub(worldBegins).Round(time.Minute), w.clock.Speed, kills, peak)
	return lives
}

// realOf is a time of the world as one of the machine.
func (c clock) realOf(d time.Duration) time.Duration { return d / time.Duration(c.Speed) }

func readLines[T any](t *testing.T, path string) (values []T) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var v T
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatalf("%s: %v in %q", path, err, lines.Text())
		}
		values = append(values, v)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return values
}

// check compares what was told with what the log of the server says.
func (w *world) judge(t *testing.T, c *watcher, lives []life) {
	t.Helper()
	if len(w.together) > 0 {
		t.Errorf("%d requests to a host that had not answered another: %q", len(w.together), w.together[:min(5, len(w.together))])
	}
	fetched := map[string][]fetchedLine{}
	for _, f := range readLines[fetchedLine](t, c.Fetched) {
		fetched[f.Site] = append(fetched[f.Site], f)
	}
	events, repeated := w.told(t, c, lives)
	end := lives[len(lives)-1].to.Add(-w.real(5 * time.Second))
	var visits, early, late, total, wrong, guesses int
	words := map[string]int{}
	meanings := map[string]*meaning{}
	for i, s := range w.sites {
		sights := w.sightsOf(t, s, fetched[s.name], lives, meanings)
		visits += len(sights)
		e, l := w.punctuality(t, s, i, sights, lives)
		early += e
		late += l
		states := []*guess{{}}
		for _, sight := range sights {
			var next []*guess
			for _, g := range states {
				next = append(next, g.after(sight, w.real(3*time.Second))...)
			}
			states = next
			if len(states) > 4096 {
				t.Fatalf("%s: too many guesses", s.name)
			}
		}
		guesses = max(guesses, len(states))
		total += len(events[s.name])
		for _, e := range events[s.name] {
			for _, word := range e.What {
				words[word]++
			}
			w.checkWitnesses(t, e)
		}
		if problem := check(states, events[s.name], end); problem != "" {
			if wrong++; wrong <= 5 {
				t.Errorf("%s: %s\n%s", s.name, problem, w.describe(sights, states, events[s.name], lives))
			}
		}
		delete(events, s.name)
	}
	for name, about := range events {
		t.Errorf("%d events about %q, which is no site", len(about), name)
	}
	t.Logf("%d retrievals, %d requests, %d events %v, %d told again around a kill, %d visits repeated early around a kill, %d late, at most %d guesses, %d sites with a wrong event",
		visits, w.requests, total, words, repeated, early, late, guesses, wrong)
	if early > visits/10 {
		t.Errorf("%d of %d retrievals were made again because a process was killed", early, visits)
	}
	if late > visits/20 {
		t.Errorf("%d of %d retrievals came more than 5 s of the machine too late", late, visits)
	}
	if total < int(float64(visits)*w.sites[0].often/100) {
		t.Errorf("only %d events were told", total)
	}
	for _, word := range []string{"verdicts", "preferences", "managed", "brief", "unreachable", "reachable"} {
		if words[word] == 0 {
			t.Logf("no event with the word %s", word)
		}
	}
}

// told returns the events of each site in the order in which they were told first, and how many were told again.
func (w *world) told(t *testing.T, c *watcher, lives []life) (events map[string][]*told, repeated int) {
	t.Helper()
	events = map[string][]*told{}
	first := map[string]toldLine{}
	for _, line := range readLines[toldLine](t, c.Told) {
		e := &told{}
		if err := json.Unmarshal(line.Event, e); err != nil {
			t.Fatalf("%v: %s", err, line.Event)
		}
		if e.Time.After(line.At) {
			t.Errorf("%s was told at %s, before it was found out", e, line.At)
		}
		before, again := first[e.ID]
		if !again {
			first[e.ID] = line
			events[e.Site] = append(events[e.Site], e)
			continue
		}
		repeated++
		if !bytes.Equal(before.Event, line.Event) {
			t.Errorf("an event is told again, and it is not the same:\n%s\n%s", before.Event, line.Event)
		}
		if !slices.ContainsFunc(lives, func(l life) bool {
			return !before.At.After(l.to) && l.to.Sub(before.At) <= w.real(10*time.Second) && line.At.After(l.to)
		}) {
			t.Errorf("told twice, at %s and at %s, and no process was killed: %s", before.At, line.At, e)
		}
	}
	return events, repeated
}

// sightsOf returns the visits of a site as the processes that watched saw them.
func (w *world) sightsOf(t *testing.T, s *worldSite, fetched []fetchedLine, lives []life, meanings map[string]*meaning) (sights []*sight) {
	t.Helper()
	for i, v := range s.visits {
		seen := &sight{visit: v, at: v.done, until: lives[len(lives)-1].to}
		if i+1 < len(s.visits) {
			seen.until = s.visits[i+1].asked
		}
		// The server has the log of a response after it is written, so the process may know it a little earlier.
		for len(fetched) > 0 && fetched[0].End.Before(v.asked) {
			t.Errorf("%s: a retrieval ended at %s, and the server knows of none", s.name, fetched[0].End)
			fetched = fetched[1:]
		}
		if len(fetched) > 0 && fetched[0].End.Before(seen.until) {
			seen.at, seen.took, seen.exact = fetched[0].End, fetched[0].End.Sub(fetched[0].Start), true
			fetched = fetched[1:]
		}
		n := lifeAt(lives, v.asked)
		isLast := i+1 == len(s.visits) || lifeAt(lives, s.visits[i+1].asked) != n // before the kill, or the end
		seen.maybe = isLast && (n < len(lives)-1 && lives[n].to.Sub(seen.at) <= w.real(5*time.Second) || n == len(lives)-1 && !seen.exact)
		if !seen.exact && !seen.maybe {
			t.Errorf("%s: the process did not notice the answer of %s", s.name, v.asked)
		}
		seen.unwritten = n < len(lives)-1 && lives[n].to.Sub(seen.at) < w.real(writing)
		seen.started = i > 0 && lifeAt(lives, s.visits[i-1].asked) != n
		switch {
		case v.failed:
		case v.sum == "":
			seen.means = gone
		default:
			if meanings[v.sum] == nil {
				meanings[v.sum] = meaningOfText(w.texts[v.sum].String(), v.sum)
			}
			seen.means = meanings[v.sum]
		}
		sights = append(sights, seen)
	}
	return sights
}

// writing is how long a record may wait until it is written, on a slow disk with a clock this fast: what waits when a process is
// killed is lost, and the site is asked once more.
const writing = time.Minute

// lifeAt returns the number of the life in which a request was made: the server may see it when the process is killed already.
func lifeAt(lives []life, at time.Time) (n int) {
	for n+1 < len(lives) && !at.Before(lives[n+1].from) {
		n++
	}
	return n
}

// isLastBefore reports whether a visit was the last one before a process was killed.
func isLastBefore(lives []life, v, next *sight, soon time.Duration) bool {
	n := lifeAt(lives, v.asked)
	return n < len(lives)-1 && lifeAt(lives, next.asked) != n && lives[n].to.Sub(v.at) <= soon
}

// punctuality returns how often a site was asked too early because a process was killed, and how often too late. It is an
// error if it was too early otherwise.
func (w *world) punctuality(t *testing.T, s *worldSite, i int, sights []*sight, lives []life) (early, late int) {
	t.Helper()
	failures, lost := 0, 0 // since the last answer
	for n, v := range sights {
		if !v.failed {
			failures, lost = 0, 0
		} else {
			failures++
			if v.unwritten {
				lost++
			}
		}
		least, most := v.lifetime(failures)
		if lost > 0 { // some of the failures are forgotten
			least, _ = v.lifetime(failures - lost)
		}
		if n+1 == len(sights) {
			if lives[len(lives)-1].to.Sub(v.at) > most+w.real(5*time.Second) {
				t.Errorf("%s: it is not asked any more after %s", s.name, v.at)
			}
			break
		}
		next := sights[n+1]
		wait := next.asked.Sub(v.at)
		switch {
		case wait < least && isLastBefore(lives, v, next, w.real(writing)):
			early++
		case wait < least:
			t.Errorf("%s: it is asked again %s after %s, and the answer is fresh for %s", s.name, wait, v.at, least)
		case wait > most+w.real(5*time.Second) && !next.started:
			late++
		}
	}
	return early, late
}

// checkWitnesses checks what an event says of verdicts by the files themselves.
func (w *world) checkWitnesses(t *testing.T, e *told) {
	t.Helper()
	if e.Verdicts == nil || e.Verdicts.Result == "equal" {
		return
	}
	file := func(v *toldVersion) *robotstxt.File {
		if v.SHA256 == "" {
			return robotstxt.Parse(nil, robotstxt.RFC9309)
		}
		return robotstxt.Parse(within(w.texts[v.SHA256].String()), robotstxt.RFC9309)
	}
	old, now := file(e.Old), file(e.New)
	if len(e.Verdicts.Crawlers) == 0 {
		t.Errorf("%s: no crawler has another verdict", e)
	}
	for _, set := range e.Verdicts.Crawlers {
		for _, c := range set.Changes {
			for _, agent := range set.Agents {
				var tokens []string
				if json.Unmarshal(agent, &tokens) != nil {
					tokens = make([]string, 1)
					if err := json.Unmarshal(agent, &tokens[0]); err != nil {
						t.Fatal(err)
					}
				}
				before, after := old.Agent(tokens...).Check(c.Witness).Allowed, now.Agent(tokens...).Check(c.Witness).Allowed
				if before != c.Old.Allowed || after != c.New.Allowed || before == after {
					t.Errorf("%s: of %q for %q it says %v and %v, and the files say %v and %v", e, c.Witness, tokens, c.Old.Allowed, c.New.Allowed, before, after)
				}
			}
		}
	}
}

// describe returns what a failed test shows of a site.
func (w *world) describe(sights []*sight, states []*guess, events []*told, lives []life) (text string) {
	for _, l := range lives {
		text += fmt.Sprintf("\tlife %s to %s\n", short(l.from), short(l.to))
	}
	for i, s := range sights {
		if i > 0 && i+1 < len(sights) && s.means != nil && s.means == sights[i-1].means && s.means == sights[i+1].means && !s.maybe {
			continue // the same again and again
		}
		text += fmt.Sprintf("\tsight %s..%s status %d failed %v sum %.6s %q%q redirected %v wait %v exact %v maybe %v", short(s.asked), short(s.at), s.status, s.failed, s.sum, controls[s.control].name, controls[s.control].value, s.redirected, s.wait, s.exact, s.maybe)
		if s.means != nil {
			text += " " + s.means.verdicts[:16]
		}
		text += "\n"
	}
	shown := map[string]bool{}
	show := func(v *toldVersion) {
		if v == nil || v.SHA256 == "" || shown[v.SHA256] {
			return
		}
		shown[v.SHA256] = true
		text += fmt.Sprintf("\ttext %.6s: %.1000s\n", v.SHA256, w.texts[v.SHA256])
	}
	for _, e := range events {
		text += "\ttold " + e.String() + "\n"
		show(e.Old)
		show(e.New)
	}
	if len(states) > 0 {
		for _, p := range states[len(states)-1].events {
			text += "\tpredicted " + p.String() + "\n"
		}
	}
	return text
}
