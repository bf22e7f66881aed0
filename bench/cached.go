package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"testing"
	"text/tabwriter"
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

// printCached measures cache.Check for origins that are in memory.
func printCached(out *tabwriter.Writer, rounds int) {
	fmt.Fprintln(out, "\nanswer from memory\tns\tallocs\t")
	for _, origins := range []int{1, 1_000, 10_000} {
		var urls []string
		for i := range origins {
			urls = append(urls, fmt.Sprintf("https://www.site-%d.example%s", i, typical.miss))
		}
		c := &cache.Cache{Fetcher: everywhere(func(origin.Origin) []byte { return typical.body }), MemoryBytes: 1 << 30}
		agents := []string{agent}
		check := func(n int) {
			if a, err := c.Check(context.Background(), agents, urls[n%origins]); err != nil || a.Outcome != fetch.Rules {
				panic(fmt.Sprint(a, err))
			}
		}
		for range 100 { // enough for every policy to build its lookup
			for n := range origins {
				check(n)
			}
		}
		next := 0
		checkNext := func() { check(next); next++ }
		best, allocs := inTurn(rounds, 1, repeat(checkNext)), testing.AllocsPerRun(1000, checkNext)
		c.Close()
		fmt.Fprintf(out, "typical, %d origins\t%.0f\t%.0f\t\n", origins, best[0], allocs)
	}
}

// cached adds a row about answers from memory, for a thousand origins one after the other. The
// files of sites are distributed among them.
func (m measurer) cached(name string, sites []site) {
	const origins = 1000
	files := map[string][]byte{}
	urls := make([]string, origins)
	for i := range urls {
		s := &sites[i%len(sites)]
		host := fmt.Sprintf("https://www.site-%d.example", i)
		files[host+"/robots.txt"] = s.body
		urls[i] = host + pathOf(s.questions[i/len(sites)%len(s.questions)].url)
	}
	c := &cache.Cache{Fetcher: everywhere(func(o origin.Origin) []byte { return files[o.RobotsURL()] }), MemoryBytes: 1 << 30}
	defer c.Close()
	agents := []string{agent}
	checkAll := func() {
		for _, url := range urls {
			a, err := c.Check(context.Background(), agents, url)
			if err != nil || a.Outcome != fetch.Rules {
				panic(fmt.Sprint(a, err))
			}
		}
	}
	for range oftenAsked {
		checkAll()
	}
	best := inTurn(m.rounds, origins, repeat(checkAll))
	m.row("cache.Check, fresh, 1,000 origins in turn: "+name, duration(best[0]))
}
