package server

import (
	"context"
	"net/http"

	"github.com/heed-robots/heed/internal/asked"
	"github.com/heed-robots/heed/report"
	"github.com/heed-robots/heed/report/live"
	"github.com/heed-robots/heed/robotstxt"
)

// explain answers POST /v1/explain: why may a crawler fetch a URL, or why not?
func (s *Server) explain(w http.ResponseWriter, r *http.Request) error {
	var q struct {
		asked.CrawlerAndDialect
		asked.Text
		asked.Target
	}
	if err := readBody(r, &q); err != nil {
		return err
	}
	agents, d, err := q.Check(s.dialect())
	if err != nil {
		return err
	}
	url, err := q.Bytes()
	if err != nil {
		return err
	}
	if q.IsGiven() {
		text, err := textOf(&q.Text)
		if err != nil {
			return err
		}
		return s.explainText(r.Context(), w, text, d, agents, url)
	}
	return s.explainSite(r.Context(), w, d, agents, url)
}

// explainText explains the decision of a robots.txt in the question.
func (s *Server) explainText(ctx context.Context, w http.ResponseWriter, text []byte, d *robotstxt.Dialect, agents []string, url string) error {
	return s.answerInSlot(ctx, w, func(ctx context.Context) (any, error) {
		e, err := asked.Explain(ctx, text, d, agents, url)
		if err != nil {
			return nil, err
		}
		return struct {
			report.Explanation
			stamp[live.Provenance]
		}{e, stamped(s, w, live.ProvenanceOfFile(text, d, s.Version))}, nil
	})
}

// explainSite explains the decision of a live site.
func (s *Server) explainSite(ctx context.Context, w http.ResponseWriter, d *robotstxt.Dialect, agents []string, url string) error {
	from, err := s.sourceOf(ctx, url, d)
	if err != nil {
		return err
	}
	return s.answerInSlot(ctx, w, func(ctx context.Context) (any, error) {
		e, answer, err := live.Explain(ctx, from.site, d, s.Caches.Statuses, agents, url)
		if err := undecided(e.Main.Decision, err); err != nil {
			return nil, err
		}
		made := stamped(s, w, from.provenance)
		s.Metrics.answeredLive(&answer, false)
		s.logDecision(made.Decision, agents, url, &answer)
		return struct {
			live.Explanation
			stamp[live.Provenance]
		}{live.ExplanationOf(e.Explanation(), &answer), made}, nil
	})
}
