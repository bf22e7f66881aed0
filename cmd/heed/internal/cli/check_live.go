package cli

import (
	"context"
	"fmt"
	"sync"

	"github.com/heed-robots/heed/internal/ordered"
	"github.com/heed-robots/heed/robotstxt"
)

// How many questions wait for sites at the same time: by default, and at most. Each site
// that is asked takes a connection.
const (
	defaultJobs = 64
	maxJobs     = 256
)

// checkLive checks URLs against what their sites say now.
func (o *check) checkLive(urls []string) error {
	closeAll, err := o.live.open(o.dialect)
	if err != nil {
		return err
	}
	defer closeAll()
	for _, c := range o.crawlers {
		o.noteMisspelt(c)
	}
	l := o.list()
	defer l.close()
	ctx, stop := interruptible()
	defer stop()
	in := &urlReader{urls: urls, lines: newLineReader(o.in, standardInput, maxURL)}
	worker := func() func(given) answers {
		return func(g given) (a answers) {
			if g.url != "" {
				o.answerLive(ctx, &a, g.url)
			}
			o.leftOut(&a, g.tooLong)
			return a
		}
	}
	var broken error
	run := ordered.Map[given, answers]
	if o.unordered && !o.collects {
		run = asTheyCome
	}
	run(o.jobs, in.start(ctx), worker, func(a answers) {
		o.write(l, a)
		if broken = o.out.Flush(); broken != nil {
			stop() // nobody hears the other answers
		}
	})
	switch {
	case broken != nil:
		return nil // which is reported at the end
	case ctx.Err() != nil:
		return errInterrupted
	}
	return in.lines.failure()
}

// asTheyCome is ordered.Map in any order.
func asTheyCome(workers int, next func() (given, bool), worker func() func(given) answers, use func(answers)) {
	var taking, using sync.Mutex
	take := func() (given, bool) {
		taking.Lock()
		defer taking.Unlock()
		return next()
	}
	var running sync.WaitGroup
	for range workers {
		running.Go(func() {
			do := worker()
			for g, ok := take(); ok; g, ok = take() {
				a := do(g)
				using.Lock()
				use(a)
				using.Unlock()
			}
		})
	}
	running.Wait()
}

// answerLive adds what there is to say about a URL of a live site.
func (o *check) answerLive(ctx context.Context, a *answers, given string) {
	url, err := o.target(given)
	if err != nil {
		o.refuse(a, given, err)
		return
	}
	site, target, err := o.siteOf(ctx, url)
	switch {
	case ctx.Err() != nil:
		return
	case err != nil:
		o.fail(a, url, robotstxt.Decision{}, fmt.Errorf("%s: %w", url, err))
		return
	}
	other := o.isOfOther(url)
	for i, c := range o.crawlers {
		answer, err := site.Check(c.tokens, target)
		if err != nil {
			o.fail(a, url, answer.Decision, fmt.Errorf("%s: %w", url, err))
			return
		}
		if chain := o.unusedChain(i); chain != nil {
			if with, err := site.Check(chain, target); err == nil && (with.Allowed != answer.Allowed || with.Rule != answer.Rule) {
				o.unused.matters(i)
			}
		}
		if other {
			answer.Decision = otherOrigin
		}
		o.answer(a, verdict{crawler: i, url: url, Decision: answer.Decision, site: &answer})
	}
	a.urls, a.origin = 1, site.Origin()
}
