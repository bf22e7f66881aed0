package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"runtime"
	"strconv"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cmd/heed/internal/gate"
	"github.com/heed-robots/heed/cmd/heed/internal/message"
	"github.com/heed-robots/heed/cmd/heed/internal/questions"
	"github.com/heed-robots/heed/internal/asked"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/origin"
)

// A stream has questions in the request body, and answers in the response body. Both bodies are open at the same
// time. These parts work together:
//
//	streamBody         reads questions while there is room for their answers
//	package questions  finds the answers, in the order of the questions
//	streamWriter       writes the answers
//
// If client and server wait for each other, watchUnread ends the stream.

// unreadRoom limits the memory for answers that the client of a stream has not read. It implements questions.Room.
type unreadRoom struct{ held *gate.HeldBytes }

func (u unreadRoom) Take(n int) bool { return u.held.Take(gate.PerAnswerByte*n) == nil }
func (u unreadRoom) GiveBack(n int)  { u.held.GiveBack(gate.PerAnswerByte * n) }

// A question may contain the text of a robots.txt. The parsed files of all streams together may use maxStreamFiles
// bytes of memory.
const maxStreamFiles = 64 << 20

// streamWorkers is the number of goroutines that answer the questions of one stream. More goroutines would need more
// memory.
const streamWorkers = 4

// checkStream answers POST /v1/check. Questions and answers are lines, as with "heed check --input jsonl".
func (s *Server) checkStream(w http.ResponseWriter, r *http.Request) error {
	limits := s.stream
	set, err := s.streamSettings(r)
	if err != nil {
		return err
	}
	if !s.streams.TryAcquire(1) {
		return gate.ErrOverloaded
	}
	defer s.streams.Release(1)
	memory := gate.HeldBytesIn(r.Context())
	if err := memory.Take(streamRoom); err != nil {
		return err
	}
	connection := http.NewResponseController(w)
	answers := &streamWriter{response: w, connection: connection, limits: limits}
	body := newStreamBody(gate.StreamBody(r), connection, limits, memory, answers.extendDeadline) // a client that sends questions is alive, even if it reads no answers yet
	beginStream(w, r, set.Request)
	ctx, stop := context.WithCancelCause(r.Context())
	defer stop(nil)
	watched := make(chan struct{})
	go watchUnread(body, answers, limits, stop, watched)
	defer context.AfterFunc(s.servingCtx, func() { body.stopReading(errLeaving, s.streamTime) })()
	_, err = set.Answer(ctx, body, "the body", answers)
	close(watched)
	return endStream(body, answers, streamError(ctx, body, err))
}

// A parameter of the request, such as "agent", is for all questions without a member of this name.
func (s *Server) streamSettings(r *http.Request) (*questions.Settings, error) {
	q, err := message.ReadQuery(r, "agent", "dialect", "for", "profile", "max_wait")
	if err != nil {
		return nil, err
	}
	d, err := asked.Dialect(message.DialectOf(q), s.dialect())
	if err != nil {
		return nil, err
	}
	wait, err := maxWaitOf(q.Get("max_wait"))
	if err != nil {
		return nil, err
	}
	purposes, err := asked.ReadPurposes(q.Get("for"), q.Get("profile"))
	if err != nil {
		return nil, err
	}
	set := &questions.Settings{
		Dialect:   d,
		Purposes:  purposes,
		Files:     s.files,
		Sites:     &streamSites{s, wait},
		Jobs:      s.stream.maxWaiting,
		NoFiles:   true,
		MaxWait:   true,
		Request:   s.ids.next(),
		MaxLine:   s.stream.line,
		CheckURL:  asked.CheckURL,
		Words:     questions.PlainWords,
		MaxUnread: s.stream.maxUnread,
		Unread:    unreadRoom{held: gate.HeldBytesIn(r.Context())},
		Workers:   min(streamWorkers, runtime.GOMAXPROCS(0)),
	}
	if agents := q["agent"]; len(agents) > 0 {
		agent, _ := report.AgentOf(agents).MarshalJSON() // MarshalJSON never fails for an Agent
		set.Agent = string(agent)
	}
	set.OnAnswer = func(row *questions.Row) { s.answeredRow(set.Request, row) }
	return set, nil
}

func (s *Server) answeredRow(request string, row *questions.Row) {
	id := func() string { return request + "." + strconv.Itoa(row.Line) }
	switch {
	case row.Err != nil:
		s.Metrics.answers["error"].Inc()
		if s.Decisions != nil {
			s.Decisions.Info("no decision", "decision", id(), "error", printable.Text(row.Err.Error()))
		}
	case row.Site == nil:
		s.Metrics.answered(row.Decision, false)
	default:
		s.Metrics.answeredLive(row.Site, row.Pending)
		if s.Decisions != nil {
			s.logDecision(id(), row.Agent, row.URL, row.Site)
		}
	}
}

type streamSites struct {
	*Server
	maxWait time.Duration // how long questions without "max_wait" may wait
}

func (s *streamSites) Target(url string) (site origin.Origin, target string, err error) {
	site, err = origin.Parse(url)
	return site, url, err
}

func (s *streamSites) Site(ctx context.Context, a *questions.Ask) (*cache.Site, bool, error) {
	return s.siteWithin(ctx, a.Dialect, a.Site, cmp.Or(a.MaxWait, s.maxWait))
}

// beginStream sends the headers of the response before it reads a question. Some clients wait for these headers
// before they send a question.
func beginStream(w http.ResponseWriter, r *http.Request, decision string) {
	if r.Header.Get("Expect") != "" && r.ProtoMajor == 1 && r.ProtoMinor > 0 { // a client with HTTP/1.0 does not know status 100
		w.WriteHeader(http.StatusContinue) // needed here, because net/http sends status 100 at the first Read, but not after other headers were sent
	}
	h := w.Header()
	h["Content-Type"] = streamType
	h["X-Content-Type-Options"] = message.NoSniff
	h["Heed-Decision"] = []string{decision}
	w.WriteHeader(http.StatusOK)
	http.NewResponseController(w).Flush()
}

var streamType = []string{"application/x-ndjson"}

func streamError(ctx context.Context, body *streamBody, err error) error {
	switch why := context.Cause(ctx); {
	case errors.Is(why, errUnread):
		return why
	case body.stopError() != nil:
		return body.stopError()
	case ctx.Err() != nil:
		return nil
	}
	return err
}

// endStream returns errCutOff if the connection cannot be used for another request.
func endStream(body *streamBody, answers *streamWriter, failure error) error {
	if failure != nil {
		line, _ := json.Marshal(asked.ErrorBody{Error: failure.Error()})
		answers.Write(append(line, '\n'))
	}
	answers.Flush()
	if !body.end(failure != nil && !answers.hasFailed()) {
		return errCutOff
	}
	return nil
}

var errUnread = errors.New("the client has not read its answers, so the server does not answer the remaining questions: read answers while you send questions, or send fewer questions in one request")

// watchUnread ends a stream if client and server wait for each other. The client still gets the answers that wait.
// After these answers, the client gets errUnread.
func watchUnread(body *streamBody, answers *streamWriter, limits *streamLimits, stop func(error), ended chan struct{}) {
	ticks := time.NewTicker(limits.maxStuck / 4)
	defer ticks.Stop()
	for {
		select {
		case <-ended:
			return
		case <-ticks.C:
		}
		if answers.stuckTime() >= limits.maxStuck && body.idleTime() >= limits.maxStuck {
			stop(errUnread)
			body.drain(errUnread)
			return
		}
	}
}
