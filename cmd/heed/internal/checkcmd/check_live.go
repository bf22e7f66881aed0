package checkcmd

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cmd/heed/internal/exit"
	"github.com/heed-robots/heed/cmd/heed/internal/sites"
	"github.com/heed-robots/heed/internal/lines"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/usage"
)

// unorderedMap is like ordered.Map, with one difference. It calls useResult with each result immediately, not in the
// order of the items.
func unorderedMap(workers int, next func() (part, bool), worker func() func(part) answers, useResult func(answers)) {
	var using sync.Mutex
	var running errgroup.Group
	running.SetLimit(workers)
	do := worker()
	for g, ok := next(); ok; g, ok = next() {
		running.Go(func() error {
			a := do(g)
			using.Lock()
			defer using.Unlock()
			useResult(a)
			return nil
		})
	}
	running.Wait()
}

func (o *check) checkAtSite(ctx context.Context, a *answers, given string) {
	url, of, err := o.Target(given)
	if err != nil {
		o.refuse(a, given, err)
		return
	}
	sites.NoteUnescaped(o.Term, o.Dialect, url)
	site, target, err := o.SiteOf(ctx, url, of)
	var notApproved *cache.NotApprovedError
	switch {
	case ctx.Err() != nil:
		return
	case err != nil:
		status := exit.Usage
		if errors.As(err, &notApproved) {
			status = exit.Undetermined
		}
		o.addFailure(a, status, url, robotstxt.Decision{}, fmt.Errorf("%s: %w", url, err))
		return
	}
	isOfOther := o.HasOtherOrigin(url)
	purposes := o.purposes.Purposes
	purposes.TDMRep = o.Live.TDMRep(ctx, site.Origin())
	for i := range o.subjects {
		answer, err := site.Check(o.subjects[i].tokens, target)
		if err != nil {
			o.addFailure(a, exit.Usage, url, answer.Decision, fmt.Errorf("%s: %w", url, err))
			return
		}
		if chain := o.UnusedChain(i); chain != nil {
			if with, err := site.Check(chain, target); err == nil && (with.Allowed != answer.Allowed || with.Rule != answer.Rule) {
				o.UnusedChains.Store(i, true)
			}
		}
		if isOfOther {
			answer.Decision = sites.OtherOrigin
		}
		uses := purposes.Explain(func() *usage.Policy { return site.Usage(o.subjects[i].tokens) }, target, answer.Decision)
		o.addAnswer(a, verdict{crawler: i, url: url, Decision: answer.Decision, uses: uses, site: &answer})
	}
	a.urls, a.origin = 1, site.Origin()
}

type part struct {
	urls  []string
	lines iter.Seq[lines.Line] // input lines, each with a URL; nil: use urls
}

// A part for live sites has only one URL, because a site may be slow.
func (o *check) allParts(urls []string, from *lines.Reader) iter.Seq[part] {
	return func(yield func(part) bool) {
		for len(urls) > 0 {
			if urls[0] == "-" {
				if !o.linesOf(from, yield) {
					return
				}
				urls = urls[1:]
				continue
			}
			n := 1
			for !o.IsLive() && n < len(urls) && urls[n] != "-" {
				n++
			}
			if !yield(part{urls: urls[:n]}) {
				return
			}
			urls = urls[n:]
		}
	}
}

func (o *check) linesOf(from *lines.Reader, yield func(part) bool) bool {
	for b := range from.Blocks {
		if !o.IsLive() {
			if !yield(part{lines: b.All()}) {
				return false
			}
			continue
		}
		for line := range b.All() {
			if !yield(part{lines: slices.Values([]lines.Line{line})}) {
				return false
			}
		}
	}
	return true
}
