package server

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cmd/heed/internal/gate"
	"github.com/heed-robots/heed/cmd/heed/internal/message"
	"github.com/heed-robots/heed/cmd/heed/internal/questions"
	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/asked"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/report/live"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/usage"
)

func (s *Server) answerCheck(w http.ResponseWriter, r *http.Request) error {
	q, err := message.ReadQuery(r, "agent", "url", "dialect", "for", "profile", "max_wait")
	if err != nil {
		return err
	}
	purposes, err := asked.ReadPurposes(q.Get("for"), q.Get("profile"))
	if err != nil {
		return err
	}
	return s.answerAbout(w, r, &siteQuestion{asked.CrawlerAndDialect{Agent: q["agent"], Dialect: message.DialectOf(q)}, asked.Target{URL: q.Get("url")}, purposes, q.Get("max_wait"), nil})
}

type siteQuestion struct {
	asked.CrawlerAndDialect
	asked.Target
	asked.Purposes
	MaxWait  string   `json:"max_wait"` // a duration, such as "2s"
	approved []string // the SHA-256 sums of robots.txt files that a person has approved
}

func (s *Server) answerAbout(w http.ResponseWriter, r *http.Request, q *siteQuestion) error {
	room := answerRoom.Get().(*[]byte)
	defer answerRoom.Put(room)
	_, body, err := s.decide(w, r, q, (*room)[:0])
	if err == nil {
		message.WriteJSON(w, http.StatusOK, body)
	}
	return err
}

// answerRoom has buffers that are large enough for most answers. If an answer needs a larger buffer, heed does not
// put the larger buffer into answerRoom.
var answerRoom = sync.Pool{New: func() any {
	room := make([]byte, 0, usualAnswer)
	return &room
}}

// decide returns the answer, and also body with this answer appended as JSON.
func (s *Server) decide(w http.ResponseWriter, r *http.Request, q *siteQuestion, body []byte) (answer cache.Answer, _ []byte, err error) {
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
	if err := q.Purposes.CheckProfile(); err != nil {
		return answer, nil, err
	}
	site, pending, err := s.siteWithin(r.Context(), d, o, wait)
	if err != nil {
		return answer, nil, err
	}
	answer, err = site.Check(agents, url)
	if err := whyUndecided(answer.Decision, err); err != nil {
		return answer, nil, err
	}
	if err := site.CheckApproved(q.approved); err != nil && answer.Allowed {
		return answer, nil, &asked.Problem{Status: http.StatusConflict, Err: err}
	}
	id := s.ids.next()
	w.Header()["Heed-Decision"] = []string{id}
	s.Metrics.answeredLive(&answer, pending)
	s.logDecision(id, agents, url, &answer)
	a := live.AnswerOf(url, &answer)
	a.Pending = pending
	a.Usage = q.Purposes.Explain(func() *usage.Policy { return site.Usage(agents) }, url, answer.Decision)
	a.SetAgent(crawlers.Known(), agents)
	a.Meant = a.Agent.Meant(crawlers.Known())
	a.Dialect, a.Source = d.String(), answer.Origin.RobotsURL()
	from := live.ProvenanceOf(site, d, s.Version)
	body = a.AppendFields(append(body, '{'))
	body = from.AppendJSON(append(body, `,"provenance":`...)) // like answerWithID.AppendJSON, but without another copy
	return answer, appendDecision(body, id), nil
}

// Most answers have at most usualAnswer bytes.
const usualAnswer = 1024

func whyUndecided(d robotstxt.Decision, err error) error {
	if err != nil {
		return asked.Wrong("%w", err)
	}
	return asked.Undecided(d)
}

func originOf(url string) (origin.Origin, error) {
	if url == "" {
		return origin.Origin{}, asked.ErrNoURL
	}
	if err := asked.CheckURL(url); err != nil {
		return origin.Origin{}, err
	}
	o, err := origin.Parse(url)
	if err != nil {
		return origin.Origin{}, asked.Wrong("%w", err)
	}
	return o, nil
}

// siteWithin waits at most maxWait for a retrieval. If maxWait is 0, the time has no limit. If the time is over,
// pending is true, and the result site has the cached robots.txt.
func (s *Server) siteWithin(ctx context.Context, d *robotstxt.Dialect, o origin.Origin, maxWait time.Duration) (site *cache.Site, pending bool, err error) {
	if err := s.CheckOrigin(o); err != nil {
		return nil, false, err
	}
	s.Metrics.questions.Add(1)
	known := s.Caches.In(d)
	if maxWait == 0 {
		site, err = known.Site(ctx, o)
	} else {
		site, pending, err = knownWithin(ctx, known, o, maxWait)
	}
	switch {
	case errors.Is(err, cache.ErrClosed):
		return nil, false, errLeaving
	case ctx.Err() != nil:
		return nil, false, gate.ErrGone
	}
	return site, pending, err
}

// errWaited ends only the waiting. The retrieval continues.
var errWaited = errors.New("the robots.txt was not fetched within max_wait: ask again later")

func knownWithin(ctx context.Context, c *cache.Cache, o origin.Origin, maxWait time.Duration) (site *cache.Site, pending bool, err error) {
	waiting, stop := context.WithTimeoutCause(ctx, maxWait, errWaited)
	defer stop()
	site, err = c.Site(waiting, o)
	if !errors.Is(err, errWaited) {
		return site, false, err
	}
	site, err = c.PeekSite(ctx, o)
	return site, true, err
}

func maxWaitOf(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	wait, err := questions.MaxWaitOf(text)
	if err != nil {
		return 0, asked.Wrong(`"max_wait": %w`, err)
	}
	return wait, nil
}

func appendDecision(dst []byte, id string) []byte {
	return append(append(append(dst, `,"decision":"`...), id...), `"}`...)
}

func (s *Server) logDecision(id string, agents []string, url string, a *cache.Answer) {
	if s.Decisions == nil {
		return
	}
	attributes := []slog.Attr{
		slog.String("decision", id),
		slog.String("agent", printable.Text(strings.Join(agents, " "))),
		slog.String("url", printable.Text(url)),
		slog.Bool("allowed", a.Allowed),
		slog.Any("reason", a.Reason),
		slog.String("outcome", a.Outcome.String()),
	}
	if a.Status > 0 {
		attributes = append(attributes, slog.Int("status", a.Status))
	}
	if a.Err != nil {
		attributes = append(attributes, slog.String("error", printable.Text(live.Failure(a.Err))))
	}
	attributes = append(attributes, slog.Bool("stale", a.Stale))
	if a.Rule.Line > 0 {
		attributes = append(attributes, slog.Int("line", a.Rule.Line))
	}
	if !a.Fetched.IsZero() {
		attributes = append(attributes, slog.Time("fetched", a.Fetched.UTC()))
	}
	s.Decisions.LogAttrs(context.Background(), slog.LevelInfo, "decision", attributes...)
}
