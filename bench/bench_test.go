package main

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/robotstxt"
)

// The made-up files have the sizes that the tables name, and every library parses them.
func TestInputsHaveTheirSizes(t *testing.T) {
	for _, s := range []site{typical, large} {
		policy := heed.policyOf(s.Robots, crawler)
		if decision := policy.(*robotstxt.Policy).Check(s.Questions[hit].URL); decision.Reason != robotstxt.ByRule {
			t.Errorf("%s: no rule decides about %s", s.name, s.Questions[hit].URL)
		}
		if temoto.parse(s.Robots) == nil {
			t.Errorf("temoto refuses %s", s.name)
		}
	}
	if n := len(typical.Robots); n < 2500 || n > 3500 {
		t.Errorf("a typical file of %d bytes, want about 3,000", n)
	}
}

// A shape has the means in which made-up files must be similar to real ones.
type shape struct{ rules, wildcards float64 } // the rules of a file, and the share of rules with wildcards

func shapeOf(sites []site) shape {
	var rules, wild float64
	for i := range sites {
		for g := range robotstxt.Parse(sites[i].Robots, robotstxt.Google).Groups() {
			for _, r := range g.Rules {
				rules++
				if strings.Contains(r.Pattern, "*") || strings.HasSuffix(r.Pattern, "$") {
					wild++
				}
			}
		}
	}
	return shape{rules / float64(len(sites)), wild / rules}
}

// Made-up files have nearly as many rules as real ones, and as many wildcards; each has questions.
func TestMadeUpFilesAreLikeRealOnes(t *testing.T) {
	made := madeUpInputs()
	for _, s := range append([]site{made.large, made.huge}, made.sites...) {
		if len(s.Questions) != 3 || temoto.parse(s.Robots) == nil {
			t.Fatalf("%s: %d bytes, %d questions", s.name, len(s.Robots), len(s.Questions))
		}
	}
	var real *inputs
	if err := catchFailure(func() { real = realInputs() }); errors.Is(err, errNoCorpus) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name       string
		real, made []site
	}{
		{"all", real.sites, made.sites},
		{"small", real.small, made.small},
		{"large", []site{real.large}, []site{made.large}},
	} {
		want, got := shapeOf(c.real), shapeOf(c.made)
		t.Logf("%s: %+v, real %+v", c.name, got, want)
		if math.Abs(got.rules-want.rules) > want.rules/10 || math.Abs(got.wildcards-want.wildcards) > 0.03 {
			t.Errorf("%s: %+v, real %+v", c.name, got, want)
		}
	}
}

func TestNumbers(t *testing.T) {
	for ns, want := range map[float64]string{0.4: "0.40 ns", 12: "12.0 ns", 999: "999 ns", 999.9: "1.00 µs", 1234: "1.23 µs", 45_600: "45.6 µs", 789_000: "789 µs", 1.5e6: "1.50 ms", 2e9: "2.00 s", 125e9: "125 s"} {
		if got := duration(ns); got != want {
			t.Errorf("%g ns: %q, want %q", ns, got, want)
		}
	}
	for n, want := range map[float64]string{0: "0", 7: "7", 999: "999", 1000: "1,000", 1234567.4: "1,234,567"} {
		if got := number(n); got != want {
			t.Errorf("%g: %q, want %q", n, got, want)
		}
	}
}

func write(t *testing.T, name string, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(strings.Join(append(lines, ""), "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// An output may have a line twice, also with another between.
func TestLinesWithout(t *testing.T) {
	truth, other := write(t, "truth", "a", "a", "a", "d"), write(t, "other", "b", "c", "d")
	if more, fewer := linesWithout(other, truth), linesWithout(truth, other); more != "2" || fewer != "3" {
		t.Error(more, fewer)
	}
}

// The ceiling writes all lines with a host, in their order, also where a block ends within a line.
func TestCeiling(t *testing.T) {
	var lines []string
	for i := range 20_000 {
		lines = append(lines, "https://a.example/"+strings.Repeat("x", i%97))
	}
	var out strings.Builder
	copyLinesWithHost(write(t, "list", append(lines, "no URL")...), &out)
	if want := strings.Join(lines, "\n") + "\n"; out.String() != want {
		t.Errorf("%d bytes, want %d", out.Len(), len(want))
	}
}

func TestHostOf(t *testing.T) {
	for line, want := range map[string]string{
		"https://a.example/b\n": "a.example", `{"url":"http://b.example"}`: "b.example", "https://c.example?d": "c.example",
		"https://e.example": "e.example", "none\n": "",
	} {
		if got := hostOf(line); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

// The cost that made the runs is found.
func TestFit(t *testing.T) {
	made := cost{perURL: 3e-7, perOrigin: 2e-5}
	at := func(urls, origins int) *scaleRun {
		took := time.Duration(1e9 * (made.perURL*float64(urls) + made.perOrigin*float64(origins)))
		return &scaleRun{row: &row{count: urls, best: &usage{CPU: took}}, origins: origins}
	}
	c := fitCost([]*scaleRun{at(10_000, 10_000), at(580_000, 10_000), at(58_000_000, 1_000_000)})
	if near := func(a, b float64) bool { return math.Abs(a/b-1) < 1e-4 }; !near(c.perURL, made.perURL) || !near(c.perOrigin, made.perOrigin) {
		t.Error(c)
	}
}

// smallWorld has five hosts; two of the three hosts of the corpus have the same file.
func smallWorld() *world {
	hosts := []site{{name: "b.example", Robots: []byte("x")}, {name: "a.example", Robots: []byte("x")}, {name: "c.example", Robots: []byte("y")}}
	return &world{hosts, map[string][]string{"": {"/"}}, 5, []string{"https://"}}
}

func TestLists(t *testing.T) {
	w := smallWorld()
	ordered, origins := w.hostList(inOrder, 15)
	var names, want []string
	for _, name := range w.urls(ordered) {
		names = append(names, name)
	}
	for _, name := range []string{"a.example", "b.example", "c.example", "n1.a.example", "n1.b.example"} {
		want = append(want, slices.Repeat([]string{name}, 3)...)
	}
	if origins != 5 || !slices.Equal(names, want) {
		t.Error(origins, names)
	}
	mixed, origins := w.hostList(shuffled, 15)
	if origins != 5 || slices.Equal(mixed, ordered) {
		t.Error("not shuffled", origins, mixed)
	}
	slices.Sort(mixed)
	slices.Sort(ordered)
	if !slices.Equal(mixed, ordered) {
		t.Error("shuffled has other URLs:", mixed)
	}
	uneven, origins := w.hostList(skewed, 5)
	if different := slices.Compact(slices.Clone(uneven)); len(uneven) != 5 || origins != len(different) || origins == 5 {
		t.Error(uneven, origins)
	}
}

// In each turn, hosts share the files that they share in the corpus.
func TestFiles(t *testing.T) {
	name := filepath.Join(t.TempDir(), "robots.jsonl")
	smallWorld().writeJSON(name)
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for part, want := range map[string]int{`"body":"x"`: 2, `"body":"y"`: 1, `"body":"x\n# turn 1"`: 2, `"https://n1.b.example"`: 1, "\n": 5} {
		if n := strings.Count(string(text), part); n != want {
			t.Errorf("%s: %d times, want %d, in\n%s", part, n, want, text)
		}
	}
}

// The files of the own cases are where the bench, which runs in the root of the repository, looks for them.
func TestOwnCases(t *testing.T) {
	for _, name := range ownCases {
		if _, err := os.Stat(filepath.Join("..", filepath.FromSlash(name))); err != nil {
			t.Error(err)
		}
	}
}
