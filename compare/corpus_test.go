package compare_test

import (
	"context"
	"fmt"
	"path"
	"slices"
	"testing"
	"time"

	"github.com/heed-robots/heed/compare"
	"github.com/heed-robots/heed/internal/testing/corpus"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/robotstxt"
)

// TestHistory compares each version of a real robots.txt with the one before.
func TestHistory(t *testing.T) {
	t.Parallel()
	versions := map[string][]string{}
	bodies := map[string]string{}
	for name, body := range corpus.Files(t, "history.tar.gz") {
		versions[path.Dir(name)] = append(versions[path.Dir(name)], name)
		bodies[name] = string(body)
	}
	var times []time.Duration
	pairs, equal, most, slowest := 0, 0, 0, ""
	for _, names := range versions {
		slices.Sort(names)
		for i := 1; i < len(names); i++ {
			old, new := robotstxt.ParseString(bodies[names[i-1]], nil), robotstxt.ParseString(bodies[names[i]], nil)
			start := time.Now()
			r := compare.Files(context.Background(), old, new)
			took := time.Since(start)
			times = append(times, took)
			pairs++
			if r.Outcome == compare.Equal {
				equal++
			}
			for _, c := range r.Crawlers {
				if c.Result.Undecided > 0 {
					t.Errorf("%s, %s: undecided after %d steps", names[i], c, c.Result.Work)
				}
				if c.Result.Work > most {
					most, slowest = c.Result.Work, names[i]
				}
			}
		}
	}
	slices.Sort(times)
	var sum time.Duration
	for _, d := range times {
		sum += d
	}
	t.Logf("%d pairs, %d equal, %v in all, median %v, 99th %v, max %v; most work %d, %s",
		pairs, equal, sum, times[len(times)/2], times[len(times)*99/100], times[len(times)-1], most, slowest)
}

// TestRulesOfCorpus finds the use of each rule of many real files.
func TestRulesOfCorpus(t *testing.T) {
	t.Parallel()
	start := time.Now()
	var max time.Duration
	slowest := ""
	uses := map[compare.Use]int{}
	for name, body := range corpus.Files(t, "robots-txt.tar.gz") {
		if !portion.Of(60) {
			continue
		}
		f := robotstxt.Parse(body, nil)
		each := time.Now()
		for _, p := range policiesOf(f) {
			for _, u := range compare.Rules(p) {
				uses[u.Use]++
				if u.Use == compare.UseUnknown {
					t.Errorf("%s: the use of %v is unknown", name, u.Rule)
				}
			}
		}
		if took := time.Since(each); took > max {
			max, slowest = took, name
		}
	}
	t.Logf("%v in %v; max %v, %s", uses, time.Since(start), max, slowest)
}

// policiesOf returns the policies of all crawlers, each once.
func policiesOf(f *robotstxt.File) (policies []*robotstxt.Policy) {
	seen := map[string]bool{}
	names := []string{"*"}
	for g := range f.Groups() {
		for _, a := range g.Agents {
			if a.Name != "" {
				names = append(names, a.Name)
			}
		}
	}
	for _, name := range names {
		p := f.Agent(name)
		if key := fmt.Sprint(p.GroupsThatApply()); !seen[key] {
			seen[key] = true
			policies = append(policies, p)
		}
	}
	return policies
}
