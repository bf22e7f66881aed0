package server

import (
	"net/http"
	"sync"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cmd/heed/internal/message"
	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/asked"
	"github.com/heed-robots/heed/internal/report/live"
	"github.com/heed-robots/heed/robotstxt"
)

// check answers GET /v1/check: may a crawler fetch a URL?
func (s *Server) check(w http.ResponseWriter, r *http.Request) error {
	q, err := message.ReadQuery(r, "agent", "url", "dialect", "max_wait")
	if err != nil {
		return err
	}
	return s.answerAbout(w, r, &aboutSite{asked.CrawlerAndDialect{Agent: q["agent"], Dialect: message.DialectOf(q)}, asked.Target{URL: q.Get("url")}, q.Get("max_wait")})
}

// An aboutSite is a question whether a crawler may fetch a URL of a live site.
type aboutSite struct {
	asked.CrawlerAndDialect
	asked.Target
	MaxWait string `json:"max_wait"` // as maxWaitOf has it
}

// answerAbout answers a question.
func (s *Server) answerAbout(w http.ResponseWriter, r *http.Request, q *aboutSite) error {
	room := answerRoom.Get().(*[]byte)
	defer answerRoom.Put(room)
	_, body, err := s.decide(w, r, q, (*room)[:0])
	if err == nil {
		message.WriteJSON(w, http.StatusOK, body)
	}
	return err
}

// answerRoom has room for most answers. A larger answer is not put into it.
var answerRoom = sync.Pool{New: func() any {
	room := make([]byte, 0, usualAnswer)
	return &room
}}

// decide finds the answer to a question. It appends the answer also as JSON to body.
func (s *Server) decide(w http.ResponseWriter, r *http.Request, q *aboutSite, body []byte) (answer cache.Answer, _ []byte, err error) {
	agents, d, err := q.Check(s.dialect())
	if err != nil {
		return answer, nil, err
	}
	url, err := q.Bytes()
	if err != nil {
		return answer, nil, err
	}
	o, err := originOf(url)
	if err != nil {
		return answer, nil, err
	}
	wait, err := maxWaitOf(q.MaxWait)
	if err != nil {
		return answer, nil, err
	}
	site, pending, err := s.siteWithin(r.Context(), d, o, wait)
	if err != nil {
		return answer, nil, err
	}
	answer, err = site.Check(agents, url)
	if err := undecided(answer.Decision, err); err != nil {
		return answer, nil, err
	}
	id := s.ids.next()
	w.Header()["Heed-Decision"] = []string{id}
	s.Metrics.answeredLive(&answer, pending)
	s.logDecision(id, agents, url, &answer)
	a := live.AnswerOf(url, &answer)
	a.Pending = pending
	a.SetAgent(crawlers.Known(), agents)
	a.Dialect, a.Source = d.String(), answer.Origin.RobotsURL()
	from := live.ProvenanceOf(site, d, s.Version)
	body = a.AppendFields(append(body, '{'))
	body = from.AppendJSON(append(body, `,"provenance":`...)) // as stamped has it, without a copy of both
	return answer, appendDecision(body, id), nil
}

// usualAnswer is how many bytes most answers have at most.
const usualAnswer = 1024

// undecided returns why there is no decision; nil: there is one.
func undecided(d robotstxt.Decision, err error) error {
	if err != nil {
		return asked.Wrong("%w", err)
	}
	return asked.Undecided(d)
}
