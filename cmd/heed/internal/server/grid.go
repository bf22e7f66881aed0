package server

import (
	"context"
	"net/http"
	"slices"
	"sync"

	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/asked"
	"github.com/heed-robots/heed/report"
	"github.com/heed-robots/heed/report/live"
	"github.com/heed-robots/heed/robotstxt"
)

// gridQuestion is the body of POST /v1/grid.
type gridQuestion struct {
	asked.Source
	asked.Grid
}

// gridded is the answer of POST /v1/grid.
type gridded struct {
	report.Grid
	Site *live.Site `json:"site,omitempty"` // the retrieval that the verdicts come from; absent for a robots.txt in the question
	stamp[live.Provenance]
}

// AppendJSON appends what encoding/json writes, in a fraction of the time: see report.Grid.
func (g *gridded) AppendJSON(dst []byte) []byte {
	dst = g.Grid.AppendFields(append(dst, '{'))
	if g.Site != nil {
		dst = report.AppendJSON(append(dst, `,"site":`...), g.Site)
	}
	dst = g.Provenance.AppendJSON(append(dst, `,"provenance":`...))
	return append(report.AppendString(append(dst, `,"decision":`...), g.Decision), '}')
}

// grid answers POST /v1/grid: which of these crawlers may fetch which of these URLs? A crawler
// or a URL that cannot be used is an error of its cells only, since people type them.
func (s *Server) grid(w http.ResponseWriter, r *http.Request) error {
	var q gridQuestion
	if err := readBody(r, &q); err != nil {
		return err
	}
	if err := q.CheckOne(""); err != nil {
		return err
	}
	agents, d, err := q.Check(s.dialect())
	if err != nil {
		return err
	}
	if q.URL != "" {
		return s.gridOfSite(r.Context(), w, d, &q, agents)
	}
	return s.gridOfText(r.Context(), w, d, &q, agents)
}

// gridOfText decides by a robots.txt in the question.
func (s *Server) gridOfText(ctx context.Context, w http.ResponseWriter, d *robotstxt.Dialect, q *gridQuestion, agents [][]string) error {
	text, err := textOf(&q.Text)
	if err != nil {
		return err
	}
	return s.answerInSlot(ctx, w, func(ctx context.Context) (any, error) {
		grid, err := report.GridOf(ctx, robotstxt.Parse(text, d), agents, q.URLs, q.Brief)
		if err != nil {
			return nil, asked.Wrong("%w", err)
		}
		grid.Size = len(text)
		return &gridded{grid, nil, stamped(s, w, live.ProvenanceOfFile(text, d, s.Version))}, nil
	})
}

// gridOfSite decides as a live site does: by its robots.txt, or by what it means that there is none.
func (s *Server) gridOfSite(ctx context.Context, w http.ResponseWriter, d *robotstxt.Dialect, q *gridQuestion, agents [][]string) error {
	from, err := s.sourceOf(ctx, q.URL, d)
	if err != nil {
		return err
	}
	return s.answerInSlot(ctx, w, func(ctx context.Context) (any, error) {
		grid, err := report.GridBy(ctx, from.site.File(), agents, q.URLs, q.Brief, func(crawler int, url string) (robotstxt.Decision, error) {
			a, err := from.site.Check(agents[crawler], url)
			return a.Decision, err
		})
		if err != nil {
			return nil, asked.Wrong("%w", err)
		}
		general := generalAnswer(from.site)
		if r := from.site.Result(); r != nil && general.Outcome == fetch.Rules {
			grid.Size = len(r.Body)
		}
		return &gridded{grid, live.SiteOf(&general), stamped(s, w, from.provenance)}, nil
	})
}

// knownCrawlers is the answer of GET /v1/crawlers.
var knownCrawlers = sync.OnceValue(func() []byte {
	return slices.Clip(report.AppendJSON(nil, report.CrawlersOf(crawlers.Known()))) // writeJSON appends to it
})

// crawlers answers GET /v1/crawlers: which crawlers are known?
func (s *Server) crawlers(w http.ResponseWriter, r *http.Request) error {
	if r.URL.RawQuery != "" {
		return asked.Wrong("expected no parameters")
	}
	writeJSON(w, http.StatusOK, knownCrawlers())
	return nil
}
