package live

import (
	"context"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/robotstxt"
)

// Explain explains the decision of a site about a target, which is as cache.Site.Check has it, and
// returns its answer too. d is the dialect of the cache: it decides. statuses returns what each
// HTTP status means in a dialect. The error is that of cache.Site.Check,
// or of ctx.
func Explain(ctx context.Context, s *cache.Site, d *robotstxt.Dialect, statuses func(*robotstxt.Dialect) fetch.Statuses, agents []string, target string) (report.Explained, cache.Answer, error) {
	answer, err := s.Check(agents, target)
	if err != nil {
		return report.Explained{}, answer, err
	}
	e := report.Explained{Agents: agents, Contrast: Contrast(s), File: s.File()}
	for _, each := range robotstxt.Dialects() {
		if err := ctx.Err(); err != nil {
			return report.Explained{}, answer, err
		}
		in := statuses(each)
		trace, err := s.ExplainIn(each, &in, agents, target)
		if err != nil {
			return report.Explained{}, answer, err
		}
		e.Add(trace, each == d)
	}
	e.AddUses()
	return e, answer, nil
}
