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
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/origin"
)

// A stream of questions and its answers go over one connection at the same time:
//
//	streamBody         reads questions while there is room for their answers
//	package questions  answers them in order; some answers wait for a slow client
//	streamWriter       writes them
//
// A client that only sends, and reads later, stops all three when the room for answers is full. Then each
// side would wait for the other forever; watchUnread ends such a stream.

// unread limits the memory for answers of a stream that its client has not read. It implements questions.Room.
type unread struct{ held *gate.Held }

func (u unread) Take(n int) bool { return u.held.Take(gate.PerAnswerByte*n) == nil }
func (u unread) GiveBack(n int)  { u.held.GiveBack(gate.PerAnswerByte * n) }

// maxStreamFiles limits the memory of the parsed robots.txt files of questions, of all streams.
const maxStreamFiles = 64 << 20

// streamWorkers is how many goroutines answer the questions of a stream. More of them would need more memory.
const streamWorkers = 4

func (s *Server) streamLimits() *streamLimits { return cmp.Or(s.stream, &defaultStreamLimits) }

// checkStream answers POST /v1/check: each line of the body is a question, and gets a line as its answer, as
// with "heed check --input jsonl".
func (s *Server) checkStream(w http.ResponseWriter, r *http.Request) error {
	limits := s.streamLimits()
	set, err := s.streamSettings(r, limits)
	if err != nil {
		return err
	}
	if !s.streams.TryAcquire(1) {
		return gate.ErrOverloaded
	}
	defer s.streams.Release(1)
	memory := gate.Holding(r.Context())
	if err := memory.Take(streamRoom); err != nil {
		return err
	}
	connection := http.NewResponseController(w)
	if err := connection.EnableFullDuplex(); err != nil {
		return err
	}
	beginStream(w, r, set.Request)
	answers := newStreamWriter(w, connection, limits)
	body := newStreamBody(r, connection, limits, memory, answers.alive) // a client that sends questions is alive, even if it reads no answers yet
	ctx, stop := context.WithCancelCause(r.Context())
	defer stop(nil)
	watched := make(chan struct{})
	go watchUnread(body, answers, limits, stop, watched)
	stays := context.AfterFunc(s.serving, func() { body.stop(errLeaving, time.Second) })
	_, err = set.Answer(ctx, body, "the body", answers)
	stays()
	close(watched)
	return endStream(body, answers, streamError(ctx, body, err))
}

// streamSettings returns the settings of a stream. The parameters of the request apply to questions that do
// not have these members themselves.
func (s *Server) streamSettings(r *http.Request, limits *streamLimits) (*questions.Settings, error) {
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
		Jobs:      limits.waiting,
		NoFiles:   true,
		MaxWait:   true,
		Request:   s.ids.next(),
		MaxLine:   limits.line,
		CheckURL:  asked.CheckURL,
		Words:     questions.PlainWords,
		MaxUnread: limits.unread,
		Unread:    unread{held: gate.Holding(r.Context())},
		Workers:   min(streamWorkers, runtime.GOMAXPROCS(0)),
	}
	if agents := q["agent"]; len(agents) > 0 {
		agent, _ := report.AgentOf(agents).MarshalJSON() // never fails
		set.Agent = string(agent)
	}
	set.Answered = func(row *questions.Row) { s.answeredRow(set.Request, row) }
	return set, nil
}

// answeredRow counts and logs an answer of a stream.
func (s *Server) answeredRow(request string, row *questions.Row) {
	switch {
	case row.Err != nil:
		s.Metrics.answers["error"].Inc()
	case row.Site == nil:
		s.Metrics.answered(row.Decision, false)
	default:
		s.Metrics.answeredLive(row.Site, row.Pending)
		if s.Decisions != nil {
			s.logDecision(request+"."+strconv.Itoa(row.Line), row.Agent, row.URL, row.Site)
		}
	}
}

// streamSites are the live sites of a stream.
type streamSites struct {
	*Server
	maxWait time.Duration // of questions without "max_wait"
}

// Target returns the origin of the URL, and the URL unchanged: here, unlike with --robots, each URL is checked
// with the robots.txt of its own site.
func (s *streamSites) Target(url string) (site origin.Origin, target string, err error) {
	site, err = origin.Parse(url)
	return site, url, err
}

// Site returns the site of a question.
func (s *streamSites) Site(ctx context.Context, a *questions.Ask) (*cache.Site, bool, error) {
	return s.siteWithin(ctx, a.Dialect, a.Site, cmp.Or(a.MaxWait, s.maxWait))
}

// beginStream sends the headers. Some clients send no question before they have received the headers.
func beginStream(w http.ResponseWriter, r *http.Request, decision string) {
	if r.Header.Get("Expect") != "" && r.ProtoMajor == 1 && r.ProtoMinor > 0 { // HTTP/1.0 has no status 100
		w.WriteHeader(http.StatusContinue) // net/http sends it at the first Read, but not after the headers were sent
	}
	h := w.Header()
	h["Content-Type"] = streamType
	h["X-Content-Type-Options"] = message.NoSniff
	h["Heed-Decision"] = []string{decision}
	w.WriteHeader(http.StatusOK)
	http.NewResponseController(w).Flush()
}

var streamType = []string{"application/x-ndjson"}

// streamError returns the error that a client gets at the end of its answers. It returns nil if there is none,
// or if the client is gone. err is the error of questions.Settings.Answer.
func streamError(ctx context.Context, body *streamBody, err error) error {
	switch why := context.Cause(ctx); {
	case errors.Is(why, errUnread):
		return why
	case body.whyStopped() != nil:
		return body.whyStopped()
	case ctx.Err() != nil:
		return nil
	}
	return err
}

// endStream must be called at the end of a handler. It sends the error why, if there is one, and reads what the
// client still sends. If the body does not end, no other request can begin on the connection, and endStream
// returns errCutOff.
func endStream(body *streamBody, answers *streamWriter, why error) error {
	if why != nil {
		line, _ := json.Marshal(asked.ErrorBody{Error: why.Error()}) // never fails
		answers.Write(append(line, '\n'))
	}
	answers.Flush()
	if !body.end(why != nil && !answers.failed()) {
		return errCutOff
	}
	return nil
}

// errUnread is the error of a client that sends all questions before it reads an answer, if there is no room
// for so many answers.
var errUnread = errors.New("the client has not read its answers, so the server does not answer the remaining questions: read answers while you send questions, or send fewer questions in one request")

// watchUnread ends a stream that is stuck: the client reads no answers, so the server reads no questions, so
// the client cannot send the rest. watchUnread reads and drops the rest. The client then begins to read, and
// gets the waiting answers and errUnread.
func watchUnread(body *streamBody, answers *streamWriter, limits *streamLimits, stop func(error), ended chan struct{}) {
	ticks := time.NewTicker(limits.stuck / 4)
	defer ticks.Stop()
	for {
		select {
		case <-ended:
			return
		case <-ticks.C:
		}
		if answers.stuckFor() >= limits.stuck && body.idleFor() >= limits.stuck {
			stop(errUnread)
			body.drain(errUnread)
			return
		}
	}
}
