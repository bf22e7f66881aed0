package server

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cmd/heed/internal/gate"
	"github.com/heed-robots/heed/cmd/heed/internal/message"
	"github.com/heed-robots/heed/internal/asked"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/origin"
)

// reserved is the member "turn" of an answer. A turn is the time that is reserved for one request.
type reserved struct {
	ID          string    `json:"id,omitempty"` // the id for giving the turn back; absent if there is no crawl delay
	WaitSeconds float64   `json:"wait_seconds"` // how long to wait after the answer before the request may start; 0: it may start immediately
	At          time.Time `json:"at"`           // when the request may start, by the clock of the server
	// ValidSeconds says how many seconds after "at" the request may still start. Absent if there is no crawl delay.
	ValidSeconds float64 `json:"valid_seconds,omitempty"`
}

func (s *Server) answerTurn(w http.ResponseWriter, r *http.Request) error {
	var q struct {
		siteQuestion
		ValidSeconds float64 `json:"valid_seconds"`
	}
	if err := message.ReadBody(r, &q); err != nil {
		return err
	}
	if q.ValidSeconds < 0 || q.ValidSeconds > maxLonger.Seconds() {
		return asked.Wrong(`"valid_seconds": expected 0 to %g`, maxLonger.Seconds())
	}
	answer, body, err := s.decide(w, r, &q.siteQuestion, nil)
	if err != nil {
		return err
	}
	if answer.Allowed {
		turn, err := s.reserve(r.Context(), &answer, time.Duration(q.ValidSeconds*float64(time.Second)))
		if err != nil {
			return err
		}
		body = append(report.AppendJSON(append(body[:len(body)-len("}")], `,"turn":`...), turn), '}')
	}
	message.WriteJSON(w, http.StatusOK, body)
	return nil
}

const (
	defaultMaxDelay = 30 * time.Second
	// While a turn (a time reserved for one request) is valid, no other client gets a turn for the same site. So
	// valid_seconds has a limit.
	maxLonger = 10 * time.Second
	// When the store replies, the reserved turn may already be over. Then the server gives the turn back, and
	// reserves another turn. It does so at most lateTries times.
	lateTries = 3
)

// A turn is a time reserved for one request. A turn lasts for the crawl delay and then for the duration extra. So the
// next turn begins later by the duration extra.
func (s *Server) reserve(ctx context.Context, a *cache.Answer, extra time.Duration) (reserved, error) {
	delay := min(a.CrawlDelay, cmp.Or(s.MaxDelay, defaultMaxDelay))
	if delay <= 0 {
		s.Metrics.turns.WithLabelValues(turnNone).Inc()
		return reserved{At: time.Now().UTC()}, nil
	}
	for late := 0; ; late++ {
		turn, err := s.Turns.Reserve(ctx, a.Origin, time.Time{}, delay+extra)
		turn.Delay -= extra
		until := turn.Until().Add(extra)
		busy := (*cache.BusyError)(nil)
		switch {
		case errors.As(err, &busy):
			s.Metrics.turns.WithLabelValues(turnBusy).Inc()
			return reserved{}, &asked.Problem{Status: http.StatusTooManyRequests, RetryAfter: busy.Wait, Err: err}
		case err != nil && ctx.Err() != nil:
			return reserved{}, gate.ErrGone
		case err != nil:
			return reserved{}, err
		case ctx.Err() != nil: // the client has closed the connection
			s.Turns.Return(context.WithoutCancel(ctx), turn)
			return reserved{}, gate.ErrGone
		case late < lateTries && until.Before(turn.At):
			s.Turns.Return(ctx, turn)
			continue
		}
		s.Metrics.turns.WithLabelValues(turnReserved).Inc()
		return reserved{
			ID:           turnID(turn),
			WaitSeconds:  max(0, time.Until(turn.At)).Seconds(),
			At:           turn.At.UTC(),
			ValidSeconds: max(0, until.Sub(turn.At)).Seconds(),
		}, nil
	}
}

func turnClient(ctx context.Context) any {
	who, _ := gate.ClientIn(ctx)
	return who
}

// turnID makes the id of a turn. With this id, a client can give the turn back to any server with the same store.
// Nobody can guess the id.
func turnID(t cache.Turn) string {
	return base64.RawURLEncoding.EncodeToString([]byte(t.Origin.String() + " " + t.ID))
}

// parseTurnID is the inverse of turnID. It sets only the fields that cache.Pacer.Return needs.
func parseTurnID(id string) (t cache.Turn, err error) {
	text, err := base64.RawURLEncoding.DecodeString(id)
	if err != nil {
		return t, errTurnID
	}
	about, own, found := strings.Cut(string(text), " ")
	if t.Origin, err = origin.Parse(about); err != nil || !found || own == "" || t.Origin.String() != about {
		return t, errTurnID
	}
	t.ID = own
	return t, nil
}

var errTurnID = asked.Wrong(`"id" is not the id of a turn; expected the one in the answer of POST /v1/turn`)

// returnTurn gives a turn (a time reserved for one request) back for other clients. If the turn is over, this is no
// error.
func (s *Server) returnTurn(w http.ResponseWriter, r *http.Request) error {
	q, err := message.ReadQuery(r, "id")
	if err != nil {
		return err
	}
	turn, err := parseTurnID(q.Get("id"))
	if err != nil {
		return err
	}
	if err := s.Turns.Return(r.Context(), turn); err != nil {
		return &asked.Problem{Status: http.StatusServiceUnavailable, RetryAfter: time.Second, Err: fmt.Errorf("the turn is not given back, because the server could not save this; try again later: %w", err)}
	}
	s.Metrics.turns.WithLabelValues(turnReturned).Inc()
	message.WriteJSON(w, http.StatusOK, []byte("{}"))
	return nil
}
