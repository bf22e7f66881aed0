package server

import (
	"context"
	"net/http"

	"github.com/heed-robots/heed/internal/asked"
	"github.com/heed-robots/heed/report"
	"github.com/heed-robots/heed/report/live"
)

// compare answers POST /v1/compare: what does a change of a robots.txt mean?
func (s *Server) compare(w http.ResponseWriter, r *http.Request) error {
	var q struct {
		Old     asked.Source `json:"old"`
		New     asked.Source `json:"new"`
		Agent   report.Agent `json:"agent"`
		Dialect string       `json:"dialect"`
	}
	if err := readBody(r, &q); err != nil {
		return err
	}
	d, err := asked.Dialect(q.Dialect, s.dialect())
	if err != nil {
		return err
	}
	agents, err := asked.Crawlers(q.Agent, nil, d)
	if err != nil {
		return err
	}
	ctx, statuses := r.Context(), s.Caches.Statuses(d)
	old, err := s.sourceIn(ctx, &q.Old, "old", d)
	if err != nil {
		return err
	}
	new, err := s.sourceIn(ctx, &q.New, "new", d)
	if err != nil {
		return err
	}
	for _, each := range []*source{&old, &new} {
		if err := each.unreachable(statuses); err != nil {
			return err
		}
	}
	return s.answerInSlot(ctx, w, func(ctx context.Context) (any, error) {
		c, err := asked.Compare(ctx, old.input(statuses, d), new.input(statuses, d), agents)
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
