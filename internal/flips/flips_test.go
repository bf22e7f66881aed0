package flips

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/heed-robots/heed/robotstxt"
)

const examples = 3

// file returns a random robots.txt.
func file(r *rand.Rand) *robotstxt.File {
	var b strings.Builder
	for _, agent := range []string{"A", "B", "C", "*"} {
		if r.IntN(3) == 0 {
			continue
		}
		fmt.Fprintf(&b, "User-agent: %s\n", agent)
		for range r.IntN(4) {
			fmt.Fprintf(&b, "%s: /%s\n", []string{"Allow", "Disallow"}[r.IntN(2)], []string{"", "a", "a/", "b", "*x", "a/b$"}[r.IntN(6)])
		}
	}
	return robotstxt.ParseString(b.String(), nil)
}

// TestRun: each URL whose verdict differs for a crawler is found, none else, in the order of the URLs, and counted in its directory.
func TestRun(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	agents := [][]string{nil, {"A"}, {"B"}, {"C"}, {"C", "A"}, {"D"}, {"D", "B"}}
	for range 60 {
		old, new := file(r), file(r)
		var urls []string
		for range r.IntN(3 * batchURLs) {
			urls = append(urls, []string{"", "https://h.example"}[r.IntN(2)]+"/"+[]string{"", "a", "b", "a/b", "a/x", "c/x?/", "#a/"}[r.IntN(7)])
		}
		want := map[string]int{}
		var pairs []Pair
		for i, a := range agents {
			p := Pair{old.Agent(a...), new.Agent(a...)}
			pairs = append(pairs, p)
			for _, url := range urls {
				if o, n := p.Old.Check(url).Allowed, p.New.Check(url).Allowed; o != n {
					want[fmt.Sprint(i, " ", url, " ", o)]++
				}
			}
		}
		got := map[string]int{}
		last := -1
		var told strings.Builder
		search := Search{Pairs: pairs, Examples: examples, To: &told, Append: func(dst []byte, f *Flip) []byte {
			return fmt.Appendf(dst, "%d %s %v\n", f.Pair, f.URL, f.Old.Allowed)
		}}
		result, err := search.Run(slices.Values(urls))
		for line := range strings.Lines(told.String()) {
			var url string
			var pair int
			var was bool
			if _, err := fmt.Sscan(line, &pair, &url, &was); err != nil {
				t.Fatal(err)
			}
			got[fmt.Sprint(pair, " ", url, " ", was)]++
			i := slices.Index(urls[max(last, 0):], url)
			if i < 0 {
				t.Fatalf("%s is out of order", url)
			}
			last = max(last, 0) + i
		}
		if err != nil || result.URLs != int64(len(urls)) {
			t.Fatal(err, result.URLs)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("got %v\nwant %v", got, want)
		}
		for i, c := range result.Counts {
			var blocked, opened int64
			for n, d := range c.Directories {
				blocked, opened = blocked+d.Blocked, opened+d.Opened
				if n > 0 && d.Blocked+d.Opened > c.Directories[n-1].Blocked+c.Directories[n-1].Opened {
					t.Error("directories are not in order")
				}
			}
			var sum int64
			for key, n := range want {
				if strings.HasPrefix(key, fmt.Sprint(i, " ")) {
					sum += int64(n)
				}
			}
			if blocked != c.Blocked || opened != c.Opened || sum != c.Blocked+c.Opened || int64(len(c.Examples)) != min(c.Blocked, examples)+min(c.Opened, examples) {
				t.Errorf("%+v: %d and %d in directories, want %d in all", c, blocked, opened, sum)
			}
		}
	}
}

// TestLimits: directories beyond the limit are counted together, and an error ends the run.
func TestLimits(t *testing.T) {
	pairs := []Pair{{robotstxt.ParseString("", nil).Agent(), robotstxt.ParseString("User-agent: *\nDisallow: /", nil).Agent()}}
	urls := func(yield func(string) bool) {
		for i := range maxDirectories + 7 {
			if !yield(fmt.Sprintf("/%d/x", i)) {
				return
			}
		}
	}
	r, err := (&Search{Pairs: pairs}).Run(urls)
	if last := r.Counts[0].Directories[len(r.Counts[0].Directories)-1]; err != nil || len(r.Counts[0].Directories) != maxDirectories+1 || last != (Directory{Blocked: 7}) {
		t.Errorf("%v, %d directories, the last is %+v", err, len(r.Counts[0].Directories), last)
	}
	failing := Search{Pairs: pairs, To: full{}, Append: func(dst []byte, f *Flip) []byte { return append(dst, f.URL...) }}
	if _, err := failing.Run(urls); err != errFull {
		t.Errorf("error %v", err)
	}
}

// full is a disk without space.
type full struct{}

var errFull = errors.New("full")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestDirectoryOf(t *testing.T) {
	for url, want := range map[string]string{
		"/": "/", "/a": "/", "/a/": "/a/", "/a/b/c": "/a/", "https://h.example": "/", "https://h.example/a?b/c": "/", "https://h.example/a/b?c": "/a/", "/a#/b": "/", "https://h.example?a/b/": "/",
	} {
		if got := directoryOf(url); got != want {
			t.Errorf("%s: %s, want %s", url, got, want)
		}
	}
}

// A URL that a list has twice counts once.
func TestDistinct(t *testing.T) {
	urls := []string{"/a", "/b", "/a", "https://h.example/a", "/a", "/b"}
	if got := slices.Collect(Distinct(slices.Values(urls))); !slices.Equal(got, []string{"/a", "/b", "https://h.example/a"}) {
		t.Error(got)
	}
}
