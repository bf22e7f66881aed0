package checkcmd

import (
	"slices"
	"testing"
	"time"

	"github.com/heed-robots/heed/origin"
)

// While heed check waits for input, it shows no progress. While it waits for one site, it
// shows that site, and otherwise how many URLs and sites are done.
func TestProgressOfCheck(t *testing.T) {
	o := &check{total: 3}
	if got := o.progress(2 * time.Second); got != "" {
		t.Errorf("waiting for input: %q", got)
	}
	first, _ := origin.Parse("https://a.example/x")
	second, _ := origin.Parse("https://b.example/")
	end := o.Live.Waits.Begin(first)
	endSecond := o.Live.Waits.Begin(first)
	if got := o.progress(3 * time.Second); got != "fetching from https://a.example, 3 s" {
		t.Errorf("waiting for one site: %q", got)
	}
	end()
	o.Live.Waits.Begin(second)
	o.Live.FetchCount.Add(7)
	o.Live.FailCount.Add(2)
	o.doneCount.Add(2)
	if got := o.progress(time.Second); got != "2 of 3 URLs answered, 2/s, 7 sites fetched, 2 failing, 1 s" {
		t.Errorf("waiting for several sites: %q", got)
	}
	endSecond()
	if got := o.progress(10 * time.Second); got != "2 of 3 URLs answered, fetching from https://b.example, 10 s" {
		t.Errorf("waiting for the last site: %q", got)
	}
	o.Robots, o.total = "robots.txt", 0
	o.doneCount.Add(1998)
	if got := o.progress(4 * time.Second); got != "2000 URLs answered, 500/s, 4 s" {
		t.Errorf("checking with a file: %q", got)
	}
}

// unorderedMap uses each answer once, and uses a slow one last.
func TestUnorderedMapUsesSlowAnswerLast(t *testing.T) {
	urls := []string{"slow", "a", "b", "c"}
	next := func() (part, bool) {
		if len(urls) == 0 {
			return part{}, false
		}
		g := part{urls: urls[:1]}
		urls = urls[1:]
		return g, true
	}
	worker := func() func(part) answers {
		return func(g part) answers {
			if g.urls[0] == "slow" {
				time.Sleep(100 * time.Millisecond)
			}
			return answers{out: []byte(g.urls[0])}
		}
	}
	var got []string
	unorderedMap(2, next, worker, func(a answers) { got = append(got, string(a.out)) })
	if len(got) != 4 || got[3] != "slow" {
		t.Errorf("the order of the answers is %v", got)
	}
	if slices.Sort(got); !slices.Equal(got, []string{"a", "b", "c", "slow"}) {
		t.Errorf("answers are %v", got)
	}
}
