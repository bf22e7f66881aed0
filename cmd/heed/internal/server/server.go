// Package server is the HTTP API of "heed serve". Its JSON is that of the packages report and
// report/live, so it is the same as that of the command line.
package server

import (
	"cmp"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/robotstxt"
)

// A Server answers the HTTP API. Its fields must not change after the call of Handler.
type Server struct {
	Caches  *Caches            // the robots.txt files of live sites
	Dialect *robotstxt.Dialect // of questions that name none; nil: RFC 9309
	Version string             // of Heed, such as "v0.4.0"
	Metrics *Metrics           // nil: those that the server makes itself

	Log       *slog.Logger // of failures of the server itself; nil: none are logged
	Decisions *slog.Logger // of all answers about live sites; nil: none are logged

	ids     *decisionIDs
	shown   http.Handler // of the metrics
	leaving atomic.Bool  // see Leave
}

// A route is one method of the API.
type route struct {
	pattern string // as http.ServeMux has it, such as "GET /v1/check"
	access  access
	handle  func(*Server, http.ResponseWriter, *http.Request) error
}

// access says who may use a route.
type access uint8

const (
	open  access = iota // everyone: whether the daemon works
	asks                // clients with questions
	admin               // who may change what is cached
)

// routes are all methods of the API.
var routes = []route{
	{"GET /v1/check", asks, (*Server).check},
	{"GET /metrics", asks, (*Server).metrics},
	{"GET /healthz", open, (*Server).healthz},
	{"GET /readyz", open, (*Server).readyz},
}

// Handler returns the handler of all requests. It is called once.
func (s *Server) Handler() http.Handler {
	if s.Metrics == nil {
		s.Metrics = NewMetrics(s.Version)
	}
	if s.Log == nil {
		s.Log = slog.New(slog.DiscardHandler)
	}
	s.ids = newDecisionIDs()
	s.shown = s.Metrics.watch(s.Caches)
	mux := http.NewServeMux()
	for _, r := range routes {
		mux.Handle(r.pattern, s.answering(r))
	}
	mux.HandleFunc("/", noSuchPath)
	return mux
}

// answering returns the handler of a route. An error of the route becomes its answer.
func (s *Server) answering(r route) http.Handler {
	counted := s.Metrics.ofMethod(r.pattern)
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		start, status := time.Now(), http.StatusOK
		if err := r.handle(s, w, req); err != nil {
			status = writeError(w, err)
			if status == http.StatusInternalServerError {
				s.Log.Error("a request failed", "method", r.pattern, "error", printable.Text(err.Error()))
			}
		}
		s.Metrics.ended(&counted, status, time.Since(start))
	})
}

func (s *Server) dialect() *robotstxt.Dialect { return cmp.Or(s.Dialect, robotstxt.RFC9309) }
