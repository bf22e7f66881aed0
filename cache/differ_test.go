package cache_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/markup"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// randomResults is a Fetcher that returns random results, failures of our own included.
type randomResults struct {
	mu     sync.Mutex
	random *rand.Rand
}

func (m *randomResults) Fetch(_ context.Context, o origin.Origin, _ fetch.Validators) (fetch.Result, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	statuses := []int{200, 200, 200, 206, 204, 301, 304, 401, 403, 404, 410, 429, 500, 503, 599, 0, 0, 0}
	r := fetch.Result{Origin: o, Status: statuses[m.random.IntN(len(statuses))]}
	switch {
	case r.Status == 0:
		r.Err = &fetch.Failure{Kind: fetch.FailureKind(m.random.IntN(10)), Text: "broken"}
	case r.Status == 200:
		bodies := []string{"", "user-agent: *\ndisallow: /", "user-agent: *\ndisallow: /*b$\nallow: /a\n\nuser-agent: x\ndisallow: /a", "<html>no"}
		r.Body = []byte(bodies[m.random.IntN(len(bodies))])
		r.Page = fetch.Page(markup.PageOf(r.Body))
	case r.Status >= 500:
		r.SaysNotFound = m.random.IntN(3) == 0
	}
	for range m.random.IntN(8) {
		r.Hops = append(r.Hops, fetch.Hop{URL: o.RobotsURL(), Status: 301})
	}
	r.Hops = append(r.Hops, fetch.Hop{URL: o.RobotsURL(), Status: r.Status})
	return r, nil
}

// Check, Explain and ExplainIn make the same decision. ExplainIn is called with the dialect of
// the Cache, and with a copy of that dialect, which it must treat as another one.
func TestCheckAndExplainAgree(t *testing.T) {
	portion.Skip(t, 4)
	random := rand.New(rand.NewPCG(9, 9))
	o, _ := origin.Parse("https://a.example")
	targets := []string{"https://a.example/a", "https://a.example/ab", "https://a.example/robots.txt", "https://a.example", "HTTPS://A.example:443/b?c", "https://u:p@a.example/%62#f"}
	agentLists := [][]string{{"x"}, {"*"}, {"y", "x"}, {"not a token"}}
	seen := map[string]int{}
	for round := range 400 {
		dialect := append(robotstxt.Dialects(), nil)[random.IntN(6)]
		start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		var passed atomic.Int64 // atomic, since a refresh in the background reads the clock too
		c := &cache.Cache{
			Fetcher: &randomResults{random: rand.New(rand.NewPCG(9, uint64(round)))}, Dialect: dialect, Now: func() time.Time { return start.Add(time.Duration(passed.Load())) },
			LastGood: cache.LastGood(random.IntN(3)), CopyIfGone: random.IntN(2) == 0,
		}
		if round%2 == 0 {
			c.Store = cache.NewMemory(0, 0)
		}
		statuses := fetch.StatusesOf(dialect)
		same := robotstxt.RFC9309
		if dialect != nil {
			same = dialect
		}
		another := *same // equal, but at another address
		for range 40 {
			passed.Add(int64([]time.Duration{0, time.Second, time.Minute, time.Hour, 30 * time.Hour, 8 * 24 * time.Hour, -time.Hour}[random.IntN(7)]))
			find := []func(context.Context, origin.Origin) (*cache.Site, error){c.Site, c.PeekSite}[random.IntN(2)]
			s, err := find(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			for _, target := range targets {
				agents := agentLists[random.IntN(len(agentLists))]
				a, err := s.Check(agents, target)
				e, err2 := s.Explain(agents, target)
				in, err3 := s.ExplainIn(dialect, nil, agents, target)
				by, err4 := s.ExplainIn(&another, &statuses, agents, target)
				if err := errors.Join(err, err2, err3, err4); err != nil {
					t.Fatal(err)
				}
				seen[fmt.Sprint(a.Outcome, a.Stale, a.Err != nil)]++
				for name, d := range map[string]robotstxt.Decision{"Explain": e.Decision, "ExplainIn": in.Decision, "ExplainIn of a copy": by.Decision} {
					if d != a.Decision {
						t.Fatalf("round %d, %s, %s, %v: %s decides %v, Check %v (%+v)", round, dialect, target, agents, name, d, a.Decision, a)
					}
				}
			}
		}
		c.Close()
	}
	if len(seen) < 8 {
		t.Errorf("few kinds of answers: %v", seen)
	}
	t.Log(seen)
}

// ExplainIn decides as a Cache of that dialect does after the same retrieval.
func TestExplainInDecidesAsThatDialect(t *testing.T) {
	o, _ := origin.Parse("https://a.example")
	for n := range uint64(300) {
		sites := map[*robotstxt.Dialect]*cache.Site{}
		for _, d := range robotstxt.Dialects() {
			c := &cache.Cache{Dialect: d, Fetcher: &randomResults{random: rand.New(rand.NewPCG(n, 9))}}
			defer c.Close()
			s, err := c.Site(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			sites[d] = s
		}
		for in, s := range sites {
			for there, other := range sites {
				for _, path := range []string{"/", "/a", "/b", "/robots.txt"} {
					trace, err := s.ExplainIn(there, nil, agents, path)
					a, err2 := other.Check(agents, path)
					if err != nil || err2 != nil || trace.Decision != a.Decision {
						t.Fatalf("%+v of %s in %s: explained %v, decided %v (%v, %v)", s.Result(), in, there, trace.Decision, a.Decision, err, err2)
					}
				}
			}
		}
	}
}
