package robotstxt_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"testing"

	"github.com/heed-robots/heed/internal/conformance"
	"github.com/heed-robots/heed/internal/testing/corpus"
	"github.com/heed-robots/heed/internal/testing/hostile"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/robotstxt"
)

// checksBefore are numbers of earlier decisions of a policy. The next decision must not
// depend on them.
var checksBefore = []int{0, 1, 16, 1000}

// warm makes count decisions about the given targets in turn.
func warm(p *robotstxt.Policy, count int, targets []string) {
	for i := range count {
		p.Check(targets[i%len(targets)])
	}
}

// explained returns the decision of Explain, which tries all patterns in turn.
func explained(t *testing.T, p *robotstxt.Policy, target string) robotstxt.Decision {
	t.Helper()
	trace := p.Explain(target)
	d := trace.Decision
	robotstxt.CheckSpans(t, trace)
	switch {
	case (d.Reason == robotstxt.ByRule) != (len(trace.Candidates) > 0):
		t.Errorf("%s: %q: %+v with %d candidates", trace.Dialect, target, d, len(trace.Candidates))
	case d.Reason == robotstxt.ByRule && trace.Candidates[0].Rule != d.Rule:
		t.Errorf("%s: %q: %.200s decides, tried in turn %.200s", trace.Dialect, target, d.Rule, trace.Candidates[0].Rule)
	}
	return d
}

// A sampled is a real file, with agents and URLs to check.
type sampled struct {
	name   string
	body   []byte
	agents []string
	urls   []string
}

// sample picks real files at random: some of those that are largest or have most wildcards,
// and some of the others.
func sample(t *testing.T, r *rand.Rand) []sampled {
	t.Helper()
	cases := os.Getenv("HEED_CONFORMANCE")
	if cases == "" {
		t.Skip("HEED_CONFORMANCE is not set: it names the folder that holds google-real.jsonl.gz")
	}
	bodies := map[string][]byte{}
	for name, body := range corpus.Files(t, "robots-txt.tar.gz") {
		bodies[path.Base(name)] = body
	}
	var files []sampled
	o := conformance.Options{ReadFile: func(name string) ([]byte, error) { return bodies[name], nil }}
	err := conformance.Run(filepath.Join(cases, "google-real.jsonl.gz"), o, func(result conformance.Result) {
		c := result.Case
		if n := len(files); n == 0 || files[n-1].name != c.RobotsFile {
			files = append(files, sampled{name: c.RobotsFile, body: bodies[c.RobotsFile]})
		}
		f := &files[len(files)-1]
		f.agents, f.urls = append(f.agents, c.Agents[0]), append(f.urls, c.URL)
	})
	if err != nil {
		t.Fatal(err)
	}
	const maxSize, extremes = 300_000, 12
	files = slices.DeleteFunc(files, func(f sampled) bool { return len(f.body) > maxSize })
	for i, measure := range []func(f sampled) int{
		func(f sampled) int { return len(f.body) },
		func(f sampled) int { return bytes.Count(f.body, []byte("*")) },
	} {
		rest := files[i*extremes:]
		slices.SortFunc(rest, func(a, b sampled) int { return measure(b) - measure(a) })
	}
	if portion.Whole() {
		return append(pick(r, files[2*extremes:], 120), files[:2*extremes]...)
	}
	return append(pick(r, files[2*extremes:], 8), pick(r, files[:2*extremes], 1)...)
}

// pick returns count of the files, at random.
func pick(r *rand.Rand, files []sampled, count int) []sampled {
	var picked []sampled
	for _, i := range r.Perm(len(files))[:count] {
		picked = append(picked, files[i])
	}
	return picked
}

func notInARace(t *testing.T) {
	t.Helper()
	if robotstxt.RaceDetector {
		t.Skip("nothing here is concurrent, and it would take minutes")
	}
}

// The decisions of a policy do not depend on how often it was used: real URLs and real files.
func TestPoliciesDecideAlikeOnRealFiles(t *testing.T) {
	t.Parallel()
	notInARace(t)
	for _, f := range sample(t, robotstxt.NewRandom(t)) {
		for _, d := range robotstxt.Dialects() {
			used := robotstxt.Parse(f.body, d) // its policies are used more and more often
			for _, agent := range f.agents {
				warm(used.Agent(agent), 100, f.urls)
			}
			for i, url := range f.urls {
				agent := f.agents[i]
				want := explained(t, robotstxt.Parse(f.body, d).Agent(agent), url)
				for _, count := range checksBefore {
					if count == 1000 && i%6 != 0 {
						continue // for this number, two URLs of each file are enough
					}
					p := robotstxt.Parse(f.body, d).Agent(agent)
					warm(p, count, f.urls)
					if got := p.Check(url); got != want {
						t.Errorf("%s, %s: agent %q, URL %q: after %d decisions %+v, explained as %+v", f.name, d, agent, url, count, got, want)
					}
				}
				if got := used.Agent(agent).Check(url); got != want {
					t.Errorf("%s, %s: agent %q, URL %q: after others %+v, explained as %+v", f.name, d, agent, url, got, want)
				}
				if len(f.body) < 3000 && i < 3 {
					compareOracle(t, f, d, agent, url, want)
				}
			}
		}
	}
}

// compareOracle compares a decision with that of the oracle.
func compareOracle(t *testing.T, f sampled, d *robotstxt.Dialect, agent, url string, got robotstxt.Decision) {
	t.Helper()
	name, ok := d.ReadAgent(agent)
	if !ok {
		return
	}
	if allowed, line, ok := robotstxt.Oracle(d.String(), f.body, []string{name}, url); ok && (got.Allowed != allowed || got.Rule.Line != line) {
		t.Errorf("%s, %s: agent %q, URL %q: %+v, the oracle decides %v, line %d", f.name, d, agent, url, got, allowed, line)
	}
}

// The decisions of a policy do not depend on how often it was used: hostile files and URLs,
// each file in a random dialect. Short URLs are also explained.
func TestPoliciesDecideAlikeOnHostileFiles(t *testing.T) {
	t.Parallel()
	notInARace(t)
	r := robotstxt.NewRandom(t)
	for _, f := range hostile.Families() {
		if !portion.Of(4) {
			continue
		}
		dialects := robotstxt.Dialects()
		if !portion.Whole() {
			dialects = dialects[r.IntN(len(dialects)):][:1]
		}
		body := []byte(f.Body)
		var short []string
		for _, target := range f.Targets {
			short = append(short, target[:min(len(target), 200)])
		}
		for _, d := range dialects {
			file := robotstxt.Parse(body, d)
			policy, other := file.Agent("ExampleBot"), file.Agent("OtherBot")
			policies := make([]*robotstxt.Policy, len(checksBefore))
			for i, count := range checksBefore {
				policies[i] = robotstxt.Parse(body, d).Agent("ExampleBot")
				warm(policies[i], count, short)
			}
			for i, target := range slices.Concat(f.Targets, short) {
				var want robotstxt.Decision
				switch {
				case i >= len(f.Targets):
					want = explained(t, policy, target)
				case d == robotstxt.RFC9309 || d == robotstxt.Google: // the others are not compiled again: that takes most of the time
					want = robotstxt.Parse(body, d).Agent("ExampleBot").Check(target)
				default:
					want = policies[0].Check(target)
				}
				for i, count := range checksBefore {
					if got := policies[i].Check(target); got != want {
						t.Errorf("%s, %s: %.100q: after %d decisions %.200s, before %.200s", d, f.Name, target, count, got, want)
					}
				}
				if got := other.Check(target); got != want {
					t.Errorf("%s, %s: %.100q: another agent %.200s, want %.200s", d, f.Name, target, got, want)
				}
			}
		}
	}
}
