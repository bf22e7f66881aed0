package server

import (
	"context"
	"errors"
	"net/http"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/report"
	"github.com/heed-robots/heed/report/live"
	"github.com/heed-robots/heed/robotstxt"
)

// check answers GET /v1/check: may a crawler fetch a URL?
func (s *Server) check(w http.ResponseWriter, r *http.Request) error {
	q, err := readQuery(r, "agent", "url", "dialect")
	if err != nil {
		return err
	}
	agents, d, err := (&crawlerAndDialect{q["agent"], q.Get("dialect")}).read(s)
	if err != nil {
		return err
	}
	site, err := s.site(r.Context(), d, q.Get("url"))
	if err != nil {
		return err
	}
	answer, err := site.Check(agents, q.Get("url"))
	if err := undecided(answer.Decision, err); err != nil {
		return err
	}
	id := s.ids.next()
	s.Metrics.answered(answer.Decision, answer.Stale)
	s.logDecision(id, agents, q.Get("url"), &answer)
	a := live.AnswerOf(q.Get("url"), &answer)
	a.Agent, a.Dialect, a.Source = report.AgentOf(agents), d.String(), answer.Origin.RobotsURL()
	w.Header()["Heed-Decision"] = []string{id}
	body := append(a.AppendFields([]byte{'{'}), `,"decision":"`...)
	writeJSON(w, http.StatusOK, append(append(body, id...), `"}`...))
	return nil
}

// site returns the live site of a URL.
func (s *Server) site(ctx context.Context, d *robotstxt.Dialect, url string) (*cache.Site, error) {
	if url == "" {
		return nil, errNoURL
	}
	o, err := origin.Parse(url)
	if err != nil {
		return nil, wrong("%w", err)
	}
	if err := s.checkHost(o); err != nil {
		return nil, err
	}
	s.Metrics.asked.Add(1)
	site, err := s.Caches.In(d).Site(ctx, url)
	switch {
	case errors.Is(err, cache.ErrClosed):
		return nil, errLeaving
	case ctx.Err() != nil:
		return nil, errGone
	}
	return site, err
}

var errNoURL = wrong(`"url" is missing; expected a URL of http, https or ftp`)

// undecided returns why there is no decision; nil: there is one.
func undecided(d robotstxt.Decision, err error) error {
	switch {
	case err != nil:
		return wrong("%w", err)
	case d.Reason == robotstxt.InvalidAgent:
		return wrong(`"agent" has no product token in it (letters, "_" and "-")`)
	case d.Reason == robotstxt.InvalidTarget:
		return wrong("the URL cannot be compared with rules")
	}
	return nil
}
