package server

import (
	"net/http"

	"github.com/heed-robots/heed/report"
	"github.com/heed-robots/heed/report/live"
	"github.com/heed-robots/heed/robotstxt"
)

// check answers GET /v1/check: may a crawler fetch a URL?
func (s *Server) check(w http.ResponseWriter, r *http.Request) error {
	q, err := readQuery(r, "agent", "url", "dialect", "max_wait")
	if err != nil {
		return err
	}
	agents, d, err := (&crawlerAndDialect{q["agent"], q.Get("dialect")}).read(s)
	if err != nil {
		return err
	}
	wait, err := maxWaitOf(q.Get("max_wait"))
	if err != nil {
		return err
	}
	site, pending, err := s.siteWithin(r.Context(), d, q.Get("url"), wait)
	if err != nil {
		return err
	}
	answer, err := site.Check(agents, q.Get("url"))
	if err := undecided(answer.Decision, err); err != nil {
		return err
	}
	id := s.ids.next()
	s.Metrics.answeredLive(&answer, pending)
	s.logDecision(id, agents, q.Get("url"), &answer)
	a := live.AnswerOf(q.Get("url"), &answer)
	a.Pending = pending
	a.Agent, a.Dialect, a.Source = report.AgentOf(agents), d.String(), answer.Origin.RobotsURL()
	w.Header()["Heed-Decision"] = []string{id}
	body := append(a.AppendFields([]byte{'{'}), `,"decision":"`...)
	writeJSON(w, http.StatusOK, append(append(body, id...), `"}`...))
	return nil
}

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
