// Package server is the HTTP API of "heed serve". Its JSON is that of the packages report and
// report/live, so it is the same as that of the command line.
package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/heed-robots/heed/cmd/heed/internal/gate"
	"github.com/heed-robots/heed/cmd/heed/internal/message"
	"github.com/heed-robots/heed/cmd/heed/internal/robotsfiles"
	"github.com/heed-robots/heed/internal/asked"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/turns"
	"github.com/heed-robots/heed/robotstxt"
)

// A Server answers the HTTP API. Its fields must not change after the call of Handler.
type Server struct {
	Caches  *Caches            // the robots.txt files of live sites
	Dialect *robotstxt.Dialect // of questions that name none; nil: RFC 9309
	Version string             // of Heed, such as "v0.4.0"
	Metrics *Metrics           // nil: those that the server makes itself

	// Turns keeps the crawl delay of each origin for all clients; nil: one without a Shared.
	// If its Client is nil, each client gets a share.
	Turns *turns.Turns
	// MaxDelay limits the crawl delay that turns keep; 0: 30 seconds, as in package polite.
	MaxDelay time.Duration

	Log       *slog.Logger // of failures of the server itself; nil: none are logged
	Decisions *slog.Logger // of all answers about live sites; nil: none are logged

	gate.Gate // who may ask, and how much

	stream *streamLimits // nil: defaultStreamLimits

	ids         *decisionIDs
	listing     sync.Mutex // held while all origins are listed
	toolHandler http.Handler
	shown       http.Handler        // of the metrics
	files       *robotsfiles.Files  // the robots.txt files in the questions of streams
	streams     *semaphore.Weighted // a place for each stream

	serving context.Context // ends when Leave is called
	leave   context.CancelFunc
}

// A route is one method of the API.
type route struct {
	pattern string // as http.ServeMux has it, such as "GET /v1/check"
	access  gate.Access
	handle  func(*Server, http.ResponseWriter, *http.Request) error
}

// routes are all methods of the API.
var routes = []route{
	{"GET /v1/check", gate.Asks, (*Server).check},
	{"POST /v1/check", gate.Asks, (*Server).checkStream},
	{"GET /v1/robots", gate.Asks, (*Server).robots},
	{"DELETE /v1/robots", gate.Admin, (*Server).forget},
	{"POST /v1/explain", gate.Asks, answer("/v1/explain")},
	{"POST /v1/lint", gate.Asks, answer("/v1/lint")},
	{"POST /v1/compare", gate.Asks, answer("/v1/compare")},
	{"POST /v1/preview", gate.Asks, (*Server).preview},
	{"POST /v1/grid", gate.Asks, answer("/v1/grid")},
	{"GET /v1/crawlers", gate.Asks, (*Server).crawlers},
	{"GET /v1/openapi.json", gate.Open, (*Server).openAPI},
	{"POST /v1/turn", gate.Asks, (*Server).turn},
	{"DELETE /v1/turn", gate.Asks, (*Server).returnTurn},
	{"POST /mcp", gate.Asks, (*Server).agents},
	{"GET /metrics", gate.Asks, (*Server).metrics},
	{"GET /healthz", gate.Open, (*Server).healthz},
	{"GET /readyz", gate.Open, (*Server).readyz},
}

// Handler returns the handler of all requests. The http.Server must be that of HTTP:
// otherwise all requests are from one client. It is called once.
func (s *Server) Handler() http.Handler {
	if s.Metrics == nil {
		s.Metrics = NewMetrics(s.Version)
	}
	if s.Log == nil {
		s.Log = slog.New(slog.DiscardHandler)
	}
	if s.Turns == nil {
		s.Turns = &turns.Turns{}
	}
	if s.Turns.Client == nil {
		s.Turns.Client = turnClient
	}
	s.Version = cmp.Or(s.Version, "unknown")
	s.ids = newDecisionIDs()
	s.Start()
	s.Caches.admit = s.Retrieving.Admit
	s.serving, s.leave = context.WithCancel(context.Background())
	s.files = &robotsfiles.Files{MaxBytes: maxStreamFiles, Heed: s.Version}
	s.streams = semaphore.NewWeighted(s.streamLimits().streams)
	s.shown = s.Metrics.watch(s.Caches)
	s.toolHandler = s.newToolHandler()
	mux := http.NewServeMux()
	for _, r := range slices.Concat(routes, pageRoutes()) {
		mux.Handle(r.pattern, s.answering(&r))
	}
	mux.HandleFunc("/", noSuchRoute)
	return s.All(mux)
}

// HTTP returns an http.Server with the Handler and the limits of the gate.
func (s *Server) HTTP() *http.Server { return s.Gate.HTTP(s.Handler()) }

// streamPattern is the pattern of the route whose body is a stream of questions.
const streamPattern = "POST /v1/check"

// errCutOff is the error of a handler that has sent a part of its answer, and after which the
// connection must be closed.
var errCutOff = errors.New("the answer was cut off")

// answering returns the handler of a route. An error of the route becomes its answer.
func (s *Server) answering(r *route) http.Handler {
	counted := s.Metrics.ofMethod(r.pattern)
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		start, status := time.Now(), http.StatusOK
		err := s.Pass(r.access, r.pattern == streamPattern, w, req, func(req *http.Request) error { return r.handle(s, w, req) })
		if err != nil && err != errCutOff {
			status = message.WriteError(w, err)
			if status == http.StatusInternalServerError {
				s.Log.Error("a request failed", "method", r.pattern, "error", printable.Text(err.Error()))
			}
		}
		s.Metrics.ended(&counted, status, time.Since(start))
		if err == errCutOff {
			panic(http.ErrAbortHandler)
		}
	})
}

func (s *Server) dialect() *robotstxt.Dialect { return cmp.Or(s.Dialect, robotstxt.RFC9309) }

// noSuchRoute answers a request for which there is no route.
func noSuchRoute(w http.ResponseWriter, r *http.Request) {
	var methods []string
	for _, each := range routes {
		if method, path, _ := strings.Cut(each.pattern, " "); path == r.URL.EscapedPath() {
			methods = append(methods, method)
		}
	}
	if methods == nil && strings.Contains(r.URL.EscapedPath(), "%") {
		// "%2F" is no "/" (RFC 3986, 2.2): a client or proxy escaped the path once too often.
		message.WriteError(w, &asked.Problem{Status: http.StatusNotFound, Err: fmt.Errorf("there is no %s; paths of the API have no escapes, such as /v1/check: only parameters are escaped", r.URL.EscapedPath())})
		return
	}
	if methods == nil {
		message.WriteError(w, &asked.Problem{Status: http.StatusNotFound, Err: fmt.Errorf("there is no %s; /v1/openapi.json lists what there is", r.URL.Path)})
		return
	}
	allowed := strings.Join(methods, ", ")
	w.Header().Set("Allow", allowed)
	message.WriteError(w, &asked.Problem{Status: http.StatusMethodNotAllowed, Err: fmt.Errorf("the method of %s is %s; expected %s", r.URL.Path, r.Method, allowed)})
}
