package server

import (
	"errors"
	"net/http"
	"time"

	"github.com/heed-robots/heed/cmd/heed/internal/message"
	"github.com/heed-robots/heed/internal/asked"
)

// healthz answers GET /healthz: the process works.
func (s *Server) healthz(w http.ResponseWriter, _ *http.Request) error {
	message.WriteJSON(w, http.StatusOK, []byte(`{"status":"ok"}`))
	return nil
}

// readyz answers GET /readyz: new requests may come. A store that does not work is no reason
// against it, since a cache works without one.
func (s *Server) readyz(w http.ResponseWriter, _ *http.Request) error {
	if s.serving.Err() != nil {
		return errLeaving
	}
	message.WriteJSON(w, http.StatusOK, []byte(`{"status":"ready"}`))
	return nil
}

// Leave makes /readyz say that no more requests should come. Requests are still answered, but a
// stream takes no more questions: it ends with an error after the answers to those that it has.
// Handler must have been called before.
func (s *Server) Leave() { s.leave() }

// errLeaving is the error of a request that a server which shuts down does not answer.
var errLeaving = &asked.Problem{Status: http.StatusServiceUnavailable, RetryAfter: time.Second, Err: errors.New("the server shuts down")}
