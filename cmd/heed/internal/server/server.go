// Package server is the HTTP API of "heed serve". Its JSON is that of the packages report and
// report/live, so it is the same as that of the command line.
package server

import (
	"cmp"
	"net/http"

	"github.com/heed-robots/heed/robotstxt"
)

// A Server answers the HTTP API. Its fields must not change after the call of Handler.
type Server struct {
	Caches  *Caches            // the robots.txt files of live sites
	Dialect *robotstxt.Dialect // of questions that name none; nil: RFC 9309
	Version string             // of Heed, such as "v0.4.0"
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
}

// Handler returns the handler of all requests.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	for _, r := range routes {
		mux.Handle(r.pattern, s.answering(r))
	}
	mux.HandleFunc("/", noSuchPath)
	return mux
}

// answering returns the handler of a route. An error of the route becomes its answer.
func (s *Server) answering(r route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if err := r.handle(s, w, req); err != nil {
			writeError(w, err)
		}
	})
}

func (s *Server) dialect() *robotstxt.Dialect { return cmp.Or(s.Dialect, robotstxt.RFC9309) }
