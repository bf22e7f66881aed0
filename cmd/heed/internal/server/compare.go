package server

import (
	"context"
	"net/http"

	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/report"
	"github.com/heed-robots/heed/report/live"
	"github.com/heed-robots/heed/robotstxt"
)

// compare answers POST /v1/compare: what does a change of a robots.txt mean?
func (s *Server) compare(w http.ResponseWriter, r *http.Request) error {
	var q struct {
		Old     given        `json:"old"`
		New     given        `json:"new"`
		Agent   report.Agent `json:"agent"`
		Dialect string       `json:"dialect"`
	}
	if err := readBody(r, &q); err != nil {
		return err
	}
	d, err := s.dialectNamed(q.Dialect)
	if err != nil {
		return err
	}
	agents, err := crawlersOf(q.Agent, nil, d)
	if err != nil {
		return err
	}
	ctx, statuses := r.Context(), s.Caches.Statuses(d)
	old, err := q.Old.source(ctx, s, "old", d)
	if err != nil {
		return err
	}
	new, err := q.New.source(ctx, s, "new", d)
	if err != nil {
		return err
	}
	for _, each := range []*source{&old, &new} {
		if err := each.unreachable(statuses); err != nil {
			return err
		}
	}
	return s.answerInSlot(ctx, w, func() (any, error) {
		c, err := compared(ctx, old.input(statuses, d), new.input(statuses, d), agents)
		if err != nil {
			return nil, err
		}
		type both struct {
			Old live.Provenance `json:"old"`
			New live.Provenance `json:"new"`
		}
		return struct {
			report.Comparison
			stamp[both]
		}{c, stamped(s, w, both{old.provenance, new.provenance})}, nil
	})
}

// compared compares two files for some crawlers; none: for all.
func compared(ctx context.Context, old, new report.Input, agents [][]string) (report.Comparison, error) {
	if len(agents) > 0 {
		return report.CompareFor(ctx, old, new, agents)
	}
	return report.Compare(ctx, old, new, report.KnownOf(crawlers.Known()), report.PurposeNames())
}

// maxCrawlers limits the crawlers in a question.
const maxCrawlers = 100

// crawlersOf returns the crawlers of "agent" and "agents", of which only one may be there; none:
// neither is.
func crawlersOf(agent report.Agent, agents []report.Agent, d *robotstxt.Dialect) (all [][]string, err error) {
	switch {
	case len(agent) > 0 && agents != nil:
		return nil, wrong(`expected one of "agent" and "agents"`)
	case len(agents) > maxCrawlers:
		return nil, tooManyCrawlers(len(agents))
	case len(agent) > 0:
		agents = []report.Agent{agent}
	}
	empty := robotstxt.Parse(nil, d)
	for _, each := range agents {
		if err := checkTokens(each); err != nil {
			return nil, err
		}
		if err := undecided(empty.Agent(each...).Check("/"), nil); err != nil {
			return nil, err
		}
		all = append(all, each)
	}
	return all, nil
}

func tooManyCrawlers(n int) error {
	return wrong(`"agents" has %d crawlers; expected at most %d`, n, maxCrawlers)
}
