package cli

import (
	"context"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/heed-robots/heed/robotstxt"
)

// How many URLs of live sites are checked at the same time. Each may need a connection.
const (
	defaultJobs = 64
	maxJobs     = 256
)

// unorderedMap is ordered.Map, but uses each result as soon as it is there.
func unorderedMap(workers int, next func() (given, bool), worker func() func(given) answers, use func(answers)) {
	var using sync.Mutex
	var running errgroup.Group
	running.SetLimit(workers)
	do := worker()
	for g, ok := next(); ok; g, ok = next() {
		running.Go(func() error {
			a := do(g)
			using.Lock()
			defer using.Unlock()
			use(a)
			return nil
		})
	}
	running.Wait()
}

// checkAtSite checks a URL with the rules of a live site.
func (o *check) checkAtSite(ctx context.Context, a *answers, given string) {
	url, of, err := o.target(given)
	if err != nil {
		o.refuse(a, given, err)
		return
	}
	site, target, err := o.siteOf(ctx, url, of)
	switch {
	case ctx.Err() != nil:
		return
	case err != nil:
		o.fail(a, exitUsage, url, robotstxt.Decision{}, fmt.Errorf("%s: %w", url, err))
		return
	}
	other := o.isOfOther(url)
	for i := range o.subjects {
		answer, err := site.Check(o.subjects[i].tokens, target)
		if err != nil {
			o.fail(a, exitUsage, url, answer.Decision, fmt.Errorf("%s: %w", url, err))
			return
		}
		if chain := o.unusedChain(i); chain != nil {
			if with, err := site.Check(chain, target); err == nil && (with.Allowed != answer.Allowed || with.Rule != answer.Rule) {
				o.unused.Store(i, true)
			}
		}
		if other {
			answer.Decision = otherOrigin
		}
		o.answer(a, verdict{crawler: i, url: url, Decision: answer.Decision, site: &answer})
	}
	a.urls, a.origin = 1, site.Origin()
}
