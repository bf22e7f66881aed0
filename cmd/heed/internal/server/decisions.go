package server

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/report"
)

// decisionIDs gives each request an id, which its answers and the log have. No two processes
// give the same ones. The zero value must not be used.
type decisionIDs struct {
	process string // random
	last    atomic.Uint64
}

func newDecisionIDs() *decisionIDs { return &decisionIDs{process: rand.Text()[:13]} }

func (d *decisionIDs) next() string {
	var room [32]byte
	return string(strconv.AppendUint(append(append(room[:0], d.process...), '-'), d.last.Add(1), 36))
}

// stamped is an answer with the members that each one has, at its end.
type stamped struct {
	value      any // that becomes a JSON object with members
	provenance any
	decision   string // the id of the request; the log has it too
}

// stamped returns an answer to a question, and sets the header that has its id too.
func (q *answering) stamped(w http.ResponseWriter, value, provenance any) *stamped {
	w.Header()["Heed-Decision"] = []string{q.id}
	return &stamped{value, provenance, q.id}
}

// AppendJSON is for report.AppendJSON.
func (s *stamped) AppendJSON(dst []byte) []byte {
	dst = report.AppendJSON(dst, s.value)
	dst = append(dst[:len(dst)-len("}")], `,"provenance":`...)
	return appendDecision(report.AppendJSON(dst, s.provenance), s.decision)
}

// appendDecision appends the end of an answer.
func appendDecision(dst []byte, id string) []byte {
	return append(append(append(dst, `,"decision":"`...), id...), `"}`...)
}

// logDecision logs an answer, if decisions are logged. The id is that of the answer.
func (s *Server) logDecision(id string, agents []string, url string, a *cache.Answer) {
	if s.Decisions == nil {
		return
	}
	attributes := []slog.Attr{
		slog.String("decision", id),
		slog.String("agent", printable.Text(strings.Join(agents, " "))),
		slog.String("url", printable.Text(url)),
		slog.Bool("allowed", a.Allowed),
		slog.String("reason", a.Reason.String()),
		slog.String("outcome", a.Outcome.String()),
		slog.Bool("stale", a.Stale),
	}
	if a.Rule.Line > 0 {
		attributes = append(attributes, slog.Int("line", a.Rule.Line))
	}
	if !a.Fetched.IsZero() {
		attributes = append(attributes, slog.Time("fetched", a.Fetched.UTC()))
	}
	s.Decisions.LogAttrs(context.Background(), slog.LevelInfo, "decision", attributes...)
}
