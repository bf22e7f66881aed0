// Package server is the HTTP API of "heed serve". Its JSON is that of the packages report and
// report/live, so it is the same as that of the command line.
package server

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cmd/heed/internal/robotsfiles"
	"github.com/heed-robots/heed/internal/printable"
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
	Turns *cache.Turns
	// MaxDelay limits the crawl delay that turns keep; 0: 30 seconds, as in package polite.
	MaxDelay time.Duration

	Log       *slog.Logger // of failures of the server itself; nil: none are logged
	Decisions *slog.Logger // of all answers about live sites; nil: none are logged

	// Who may ask, and how much: see guards.go.

	Hosts       func(host string) error // which hosts may be asked about, by their names in origins; nil: all. See HostPolicy
	Tokens      *Tokens                 // of clients that ask; nil: none is needed
	AdminTokens *Tokens                 // of clients that change what is cached; nil: nobody may
	Loopback    bool                    // only this machine can reach the server: the Host header must be a name of it, or one of Names
	Names       []string                // other names of the server, as origin.Origin.Host returns them; if there are some, Host headers are checked even without Loopback
	CORS        []string                // the origins of pages that may ask; see CheckCORS
	Proxies     []netip.Prefix          // whose X-Forwarded-For and Forwarded headers say who the client is
	Rate        float64                 // requests a second that each client may send; 0: no limit

	// How many retrievals a minute the questions of each client, and of all together, may cause; 0:
	// no limit.
	ClientRetrievals, Retrievals int

	limits *limits       // nil: defaultLimits
	stream *streamLimits // nil: defaultStreamLimits

	ids         *decisionIDs
	slots       *slots
	listing     sync.Mutex // held while all origins are listed
	toolHandler http.Handler
	shown       http.Handler        // of the metrics
	files       *robotsfiles.Files  // the robots.txt files in the questions of streams
	streams     *semaphore.Weighted // a place for each stream
	memory      *memory

	serving context.Context // ends when Leave is called
	leave   context.CancelFunc
}

func (s *Server) limitsOf() *limits { return cmp.Or(s.limits, &defaultLimits) }

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
	{"POST /v1/check", asks, (*Server).checkStream},
	{"GET /v1/robots", asks, (*Server).robots},
	{"DELETE /v1/robots", admin, (*Server).forget},
	{"POST /v1/explain", asks, answer("/v1/explain")},
	{"POST /v1/lint", asks, answer("/v1/lint")},
	{"POST /v1/compare", asks, answer("/v1/compare")},
	{"POST /v1/preview", asks, (*Server).preview},
	{"POST /v1/grid", asks, answer("/v1/grid")},
	{"GET /v1/crawlers", asks, (*Server).crawlers},
	{"GET /v1/openapi.json", open, (*Server).openAPI},
	{"POST /v1/turn", asks, (*Server).turn},
	{"DELETE /v1/turn", asks, (*Server).returnTurn},
	{"POST /mcp", asks, (*Server).agents},
	{"GET /metrics", asks, (*Server).metrics},
	{"GET /healthz", open, (*Server).healthz},
	{"GET /readyz", open, (*Server).readyz},
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
		s.Turns = &cache.Turns{}
	}
	if s.Turns.Client == nil {
		s.Turns.Client = turnClient
	}
	s.Version = cmp.Or(s.Version, "unknown")
	s.ids, s.slots, s.memory = newDecisionIDs(), newSlots(), newMemory(s.limitsOf().memory)
	s.serving, s.leave = context.WithCancel(context.Background())
	s.files = &robotsfiles.Files{MaxBytes: maxStreamFiles, Heed: s.Version}
	s.streams = semaphore.NewWeighted(s.streamLimits().streams)
	s.shown = s.Metrics.watch(s.Caches)
	s.toolHandler = s.newToolHandler()
	guards, mux := s.newGuards(), http.NewServeMux()
	for _, r := range slices.Concat(routes, pageRoutes()) {
		mux.Handle(r.pattern, guards.answering(&r))
	}
	mux.HandleFunc("/", noSuchRoute)
	return guards.all(mux)
}

// errCutOff is the error of a handler that has sent a part of its answer, and after which the
// connection must be closed.
var errCutOff = errors.New("the answer was cut off")

// answering returns the handler of a route. An error of the route becomes its answer.
func (g *guards) answering(r *route) http.Handler {
	counted := g.Metrics.ofMethod(r.pattern)
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		start, status := time.Now(), http.StatusOK
		err := g.handle(r, w, req)
		if err != nil && err != errCutOff {
			status = writeError(w, err)
			if status == http.StatusInternalServerError {
				g.Log.Error("a request failed", "method", r.pattern, "error", printable.Text(err.Error()))
			}
		}
		g.Metrics.ended(&counted, status, time.Since(start))
		if err == errCutOff {
			panic(http.ErrAbortHandler)
		}
	})
}

func (s *Server) dialect() *robotstxt.Dialect { return cmp.Or(s.Dialect, robotstxt.RFC9309) }
