package server

import (
	"errors"
	"net/http"
	"time"
)

// healthz answers GET /healthz: the process works.
func (s *Server) healthz(w http.ResponseWriter, _ *http.Request) error {
	writeJSON(w, http.StatusOK, []byte(`{"status":"ok"}`))
	return nil
}

// readyz answers GET /readyz: new requests may come. A store that does not work is no reason
// against it, since a cache works without one.
func (s *Server) readyz(w http.ResponseWriter, _ *http.Request) error {
	if s.leaving.Load() {
		return errLeaving
	}
	writeJSON(w, http.StatusOK, []byte(`{"status":"ready"}`))
	return nil
}

// Leave makes /readyz say that no more requests should come. Requests are still answered.
func (s *Server) Leave() { s.leaving.Store(true) }

// errLeaving is the error of a request that a server which shuts down does not answer.
var errLeaving = &problem{status: http.StatusServiceUnavailable, retryAfter: time.Second, err: errors.New("the server shuts down")}
