package server

import (
	"cmp"
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/json"
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
	web "github.com/heed-robots/heed/cmd/heed/internal/page"
	"github.com/heed-robots/heed/cmd/heed/internal/robotsfiles"
	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/identity"
	"github.com/heed-robots/heed/internal/asked"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/internal/turns"
)

type route struct {
	pattern string // a pattern for http.ServeMux, such as "GET /v1/check"
	access  gate.Access
	handle  func(*Server, http.ResponseWriter, *http.Request) error
}

var routes = []route{
	{"GET /v1/check", gate.Asks, (*Server).answerCheck},
	{"POST /v1/check", gate.Asks, (*Server).checkStream},
	{"GET /v1/robots", gate.Asks, (*Server).answerRobots},
	{"DELETE /v1/robots", gate.Admin, (*Server).answerForget},
	{"POST /v1/explain", gate.Asks, handlerOfMethod("/v1/explain")},
	{"POST /v1/lint", gate.Asks, handlerOfMethod("/v1/lint")},
	{"POST /v1/compare", gate.Asks, handlerOfMethod("/v1/compare")},
	{"POST /v1/flips", gate.Asks, handlerOfMethod("/v1/flips")},
	{"POST /v1/write", gate.Asks, handlerOfMethod("/v1/write")},
	{"POST /v1/policy", gate.Asks, handlerOfMethod("/v1/policy")},
	{"POST /v1/preview", gate.Asks, (*Server).answerPreview},
	{"POST /v1/grid", gate.Asks, handlerOfMethod("/v1/grid")},
	{"GET /v1/watch", gate.Asks, (*Server).answerWatch},
	{"GET /v1/crawlers", gate.Asks, (*Server).answerCrawlers},
	{"GET /v1/openapi.json", gate.Open, (*Server).openAPI},
	{"POST /v1/turn", gate.Asks, (*Server).answerTurn},
	{"POST /v1/sign", gate.Asks, (*Server).answerSign},
	{"GET " + identity.DirectoryPath, gate.Open, (*Server).answerDirectory},
	{"DELETE /v1/turn", gate.Asks, (*Server).returnTurn},
	{"POST /mcp", gate.Asks, (*Server).answerMCP},
	{"GET /metrics", gate.Asks, (*Server).answerMetrics},
	{"GET /healthz", gate.Open, (*Server).answerHealthz},
	{"GET /readyz", gate.Open, (*Server).answerReadyz},
}

// Handler returns the handler of all requests. Call it only once. It needs an http.Server from Gate.HTTP, which tells
// clients apart.
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
	s.ids = &decisionIDs{process: rand.Text()[:13]}
	s.Start()
	for _, one := range s.Caches.all() {
		one.Admit = s.Fetching.Admit
	}
	s.servingCtx, s.leave = context.WithCancel(context.Background())
	s.files = &robotsfiles.Files{MaxBytes: maxStreamFiles, Heed: s.Version}
	s.stream = cmp.Or(s.stream, &defaultStreamLimits)
	s.streams = semaphore.NewWeighted(s.stream.streams)
	s.metricsHandler = s.Metrics.handlerWith(s.Caches)
	s.toolHandler = s.newToolHandler()
	mux := http.NewServeMux()
	for _, r := range slices.Concat(routes, pageRoutes()) {
		mux.Handle(r.pattern, s.handlerOf(&r))
	}
	s.Refused = s.Metrics.refused
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { s.Refused(message.WriteError(w, noSuchRoute(w, r))) })
	return s.WithChecks(mux)
}

// HTTP returns an http.Server with the handler of all requests and the limits of the Gate.
func (s *Server) HTTP() *http.Server { return s.Gate.HTTP(s.Handler()) }

// streamPattern is the route whose request body is a stream of questions, with its own limits.
const streamPattern = "POST /v1/check"

// errCutOff means that a handler could send only a part of its answer. The connection is then closed.
var errCutOff = errors.New("the connection ended before the server had sent the whole answer: ask again")

func (s *Server) handlerOf(r *route) http.Handler {
	counted := s.Metrics.forMethod(r.pattern)
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

func noSuchRoute(w http.ResponseWriter, r *http.Request) error {
	var methods []string
	for _, each := range routes {
		if method, path, _ := strings.Cut(each.pattern, " "); path == r.URL.EscapedPath() {
			methods = append(methods, method)
		}
	}
	if methods == nil && strings.Contains(r.URL.EscapedPath(), "%") {
		// The path is percent-encoded by mistake. In a path, "%2F" is not the same as "/" (RFC 3986, 2.2).
		return &asked.Problem{Status: http.StatusNotFound, Err: fmt.Errorf("there is no path %s: the paths of the API, such as /v1/check, must not be percent-encoded; encode only the parameters", r.URL.EscapedPath())}
	}
	if methods == nil {
		return &asked.Problem{Status: http.StatusNotFound, Err: fmt.Errorf("there is no path %s; /v1/openapi.json lists all paths", r.URL.Path)}
	}
	allowed := strings.Join(methods, ", ")
	w.Header().Set("Allow", allowed)
	return &asked.Problem{Status: http.StatusMethodNotAllowed, Err: fmt.Errorf("the path %s cannot be used with the method %s; expected %s", r.URL.Path, r.Method, allowed)}
}

// The web page needs no token, because its files contain no secrets.
func pageRoutes() (all []route) {
	for _, path := range web.Paths() {
		pattern := "GET " + path
		if path == "/" {
			pattern += "{$}"
		}
		all = append(all, route{pattern, gate.Open, func(_ *Server, w http.ResponseWriter, r *http.Request) error {
			web.Serve(w, r)
			return nil
		}})
	}
	return all
}

func (s *Server) answerMetrics(w http.ResponseWriter, r *http.Request) error {
	s.metricsHandler.ServeHTTP(w, r)
	return nil
}

func (s *Server) answerHealthz(w http.ResponseWriter, _ *http.Request) error {
	message.WriteJSON(w, http.StatusOK, []byte(`{"status":"ok"}`))
	return nil
}

// The server is ready even if the store fails, because a cache works without a store.
func (s *Server) answerReadyz(w http.ResponseWriter, _ *http.Request) error {
	if s.servingCtx.Err() != nil {
		return errLeaving
	}
	message.WriteJSON(w, http.StatusOK, []byte(`{"status":"ready"}`))
	return nil
}

// The OpenAPI document is in two files. openapi.json is written by hand. TestSchemasOfAnswers writes
// openapi_schemas.json from the Go structs of the answers.
var (
	//go:embed openapi.json
	openAPIByHand string
	//go:embed openapi_schemas.json
	openAPISchemas string
)

func openAPIDocument(version string) []byte {
	v, _ := json.Marshal(version) // Marshal never fails for a string
	document := strings.Replace(openAPIByHand, `"version": ""`, `"version": `+string(v), 1)
	schemas := strings.TrimSuffix(openAPISchemas, "\n}\n")
	return []byte(strings.Replace(document, `"schemas": {`, `"schemas": `+schemas+",", 1))
}

func (s *Server) openAPI(w http.ResponseWriter, _ *http.Request) error {
	message.WriteJSON(w, http.StatusOK, openAPIDocument(s.Version))
	return nil
}

var knownCrawlers = sync.OnceValue(func() []byte {
	return slices.Clip(report.AppendJSON(nil, report.CrawlersOf(crawlers.Known()))) // clipped, because WriteJSON appends to the answer
})

func (s *Server) answerCrawlers(w http.ResponseWriter, r *http.Request) error {
	if _, err := message.ReadQuery(r); err != nil {
		return err
	}
	message.WriteJSON(w, http.StatusOK, knownCrawlers())
	return nil
}
