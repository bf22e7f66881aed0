package main

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestFit: the cost that made the points is found.
func TestFit(t *testing.T) {
	made := cost{perURL: 3e-7, perOrigin: 2e-5}
	at := func(urls, origins int) point {
		return point{urls, origins, time.Duration(1e9 * (made.perURL*float64(urls) + made.perOrigin*float64(origins)))}
	}
	c := fit([]point{at(10_000, 10_000), at(580_000, 10_000), at(58_000_000, 1_000_000)})
	if near := func(a, b float64) bool { return math.Abs(a/b-1) < 1e-4 }; !near(c.perURL, made.perURL) || !near(c.perOrigin, made.perOrigin) {
		t.Error(c)
	}
	longer := at(1_000_000, 1_000)
	longer.took *= 2
	if wrong := c.wrong(longer); math.Abs(wrong+0.5) > 1e-4 {
		t.Error(wrong)
	}
}

// smallWorld has five hosts; two of the three hosts of the corpus have the same file.
func smallWorld() *world {
	hosts := []*host{{name: "b.example", robots: []byte("x")}, {name: "a.example", robots: []byte("x")}, {name: "c.example", robots: []byte("y")}}
	return &world{hosts, []string{"/"}, []int{0, 1, 2}, 5, bothSchemes[:1]}
}

func TestLists(t *testing.T) {
	w := smallWorld()
	ordered, origins := w.list(inOrder, 15)
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
	mixed, origins := w.list(shuffled, 15)
	if origins != 5 || slices.Equal(mixed, ordered) {
		t.Error("not shuffled", origins, mixed)
	}
	slices.Sort(mixed)
	slices.Sort(ordered)
	if !slices.Equal(mixed, ordered) {
		t.Error("shuffled has other URLs:", mixed)
	}
	uneven, origins := w.list(skewed, 5)
	if different := slices.Compact(slices.Clone(uneven)); len(uneven) != 5 || origins != len(different) || origins == 5 {
		t.Error(uneven, origins)
	}
}

// TestFiles: in each turn, hosts share the files that they share in the corpus.
func TestFiles(t *testing.T) {
	name := filepath.Join(t.TempDir(), "robots.jsonl")
	if err := smallWorld().writeJSON(name); err != nil {
		t.Fatal(err)
	}
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
