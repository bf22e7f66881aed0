package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/origin"
)

// everywhere is a Fetcher that returns a file for every origin. Each origin gets its own copy,
// because a cache keeps the bytes that it gets.
type everywhere func(o origin.Origin) []byte

func (body everywhere) Fetch(_ context.Context, o origin.Origin, _ fetch.Validators) (fetch.Result, error) {
	now := time.Now()
	hops := []fetch.Hop{{URL: o.RobotsURL(), Status: http.StatusOK}}
	return fetch.Result{Origin: o, Hops: hops, Status: http.StatusOK, Body: bytes.Clone(body(o)), Start: now, End: now}, nil
}

// cacheOf returns a cache whose origins have files, each with its URL, and a function that checks the i-th URL.
func cacheOf(urls []string, body func(o origin.Origin) []byte) (c *cache.Cache, check func(i int)) {
	c = &cache.Cache{Fetcher: everywhere(body), MemoryBytes: 1 << 30}
	agents := []string{agent}
	return c, func(i int) {
		if a, err := c.Check(context.Background(), agents, urls[i%len(urls)]); err != nil || a.Outcome != fetch.Rules {
			panic(fmt.Sprint(a, err))
		}
	}
}

// cached measures cache.Check for origins that are in memory.
func (s settings) cached() error {
	t := s.table("answer from memory", "time", "allocations")
	defer t.flush()
	for _, origins := range []int{1, 1_000, 10_000} {
		var urls []string
		for i := range origins {
			urls = append(urls, fmt.Sprintf("https://www.site-%d.example%s", i, typical.miss))
		}
		c, check := cacheOf(urls, func(origin.Origin) []byte { return typical.body })
		next := 0
		checkNext := func() { check(next); next++ }
		for range 100 * origins { // enough for every policy to build its lookup
			checkNext()
		}
		best, allocs := inTurn(s.rounds, 1, repeat(checkNext)), testing.AllocsPerRun(1000, checkNext)
		c.Close()
		t.row(fmt.Sprintf("typical, %d origins", origins), duration(best[0]), fmt.Sprint(allocs))
	}
	return nil
}

// cachedSites adds a row about answers from memory, for a thousand origins one after the other. The
// files of sites are distributed among them.
func (m measurer) cachedSites(name string, sites []site) {
	const origins = 1000
	files := map[string][]byte{}
	urls := make([]string, origins)
	for i := range urls {
		s := &sites[i%len(sites)]
		host := fmt.Sprintf("https://www.site-%d.example", i)
		files[host+"/robots.txt"] = s.body
		urls[i] = host + pathOf(s.questions[i/len(sites)%len(s.questions)].url)
	}
	c, check := cacheOf(urls, func(o origin.Origin) []byte { return files[o.RobotsURL()] })
	defer c.Close()
	checkAll := func() {
		for i := range urls {
			check(i)
		}
	}
	for range oftenAsked {
		checkAll()
	}
	best := inTurn(m.rounds, origins, repeat(checkAll))
	m.row("cache.Check, fresh, 1,000 origins in turn: "+name, duration(best[0]))
}
