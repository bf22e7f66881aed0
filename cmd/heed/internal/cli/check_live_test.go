package cli

import (
	"slices"
	"testing"
	"time"
)

// In any order each answer is used once, by one at a time, and a slow one keeps none back.
func TestAsTheyCome(t *testing.T) {
	urls := []string{"slow", "a", "b", "c"}
	next := func() (given, bool) {
		if len(urls) == 0 {
			return given{}, false
		}
		g := given{url: urls[0]}
		urls = urls[1:]
		return g, true
	}
	worker := func() func(given) answers {
		return func(g given) answers {
			if g.url == "slow" {
				time.Sleep(100 * time.Millisecond)
			}
			return answers{out: []byte(g.url)}
		}
	}
	var got []string
	asTheyCome(2, next, worker, func(a answers) { got = append(got, string(a.out)) })
	if len(got) != 4 || got[3] != "slow" {
		t.Errorf("answers came as %v", got)
	}
	if slices.Sort(got); !slices.Equal(got, []string{"a", "b", "c", "slow"}) {
		t.Errorf("answers are %v", got)
	}
}
