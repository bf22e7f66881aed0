package server

import (
	"context"
	"errors"
	"net/http"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/heed-robots/heed/internal/asked"
)

// guards decide who may ask, and how much. A request passes them in this order:
//
//	connections.go  how many connections there are, and how fast their clients read (all routes)
//	overload.go     the time of the body, and the size of the URL
//	hostcheck.go    is it for this server? Otherwise nothing else in it can be trusted
//	cors.go         does a page of another site send it? A preflight has no token, so it is
//	                answered here; and a page can read the errors of the guards that follow
//	clients.go,     whose request is it, and how many did it send? Before the tokens, so that
//	meter.go        they cannot be guessed quickly
//	tokens.go       may it use this route?
//	overload.go     the size of the body; how many requests are in work? After the tokens, so that
//	                only clients with a token can take all places
//	memory.go       how much memory do requests hold? Counted while the body is read
//	hosts.go        may it ask about this host? Known only after the question is read
//	retrievals.go   may it cause a retrieval? Known only after the cache was asked
//
// Routes with the access open pass only the first four: whether the daemon works can be seen when
// it is busy, too.
type guards struct {
	*Server
	limits *limits
	rate   *meter
	inWork *semaphore.Weighted // a place for each request in work
}

func (s *Server) newGuards() *guards {
	l := s.limitsOf()
	retrievals := &retrievals{
		each:     newMeter(float64(s.ClientRetrievals)/60, s.ClientRetrievals, l.clients),
		all:      newMeter(float64(s.Retrievals)/60, s.Retrievals, 1),
		underWay: semaphore.NewWeighted(int64(l.retrievals)),
	}
	s.Caches.admit = retrievals.admit
	return &guards{
		Server: s,
		limits: l,
		rate:   newMeter(s.Rate, max(10, int(s.Rate)), l.clients),
		inWork: semaphore.NewWeighted(int64(l.requests)),
	}
}

// all returns a handler that guards all routes.
func (g *guards) all(routes http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r, err := g.limits.withBodyTime(w, r)
		preflight := false
		if err == nil {
			preflight, err = g.checkAll(w, r)
		}
		switch {
		case err != nil:
			refuseBody(w, r)
			writeError(w, err)
		case !preflight:
			routes.ServeHTTP(w, r)
		}
	})
}

func (g *guards) checkAll(w http.ResponseWriter, r *http.Request) (preflight bool, err error) {
	if err := g.limits.checkURL(r); err != nil {
		return false, err
	}
	if err := g.checkHostHeader(r); err != nil {
		return false, err
	}
	if err := checkMessage(w, r); err != nil {
		return false, err
	}
	return g.checkPage(w, r)
}

// handle calls the handler of a route if its guards let the request pass.
func (g *guards) handle(route *route, w http.ResponseWriter, r *http.Request) error {
	if route.access == open {
		return route.handle(g.Server, w, r)
	}
	r = g.withClient(r)
	if err := g.enter(route, w, r); err != nil {
		refuseBody(w, r)
		return err
	}
	defer g.inWork.Release(1)
	if r.ContentLength != 0 {
		h := g.hold(r.Context())
		defer h.end()
		if b, ok := r.Body.(*limitedBody); ok {
			b.held = h
		}
		r = r.WithContext(context.WithValue(r.Context(), heldKey{}, h))
	}
	return route.handle(g.Server, w, r)
}

// enter lets a request pass the guards of a route, or returns an error.
func (g *guards) enter(route *route, w http.ResponseWriter, r *http.Request) error {
	if err := g.checkRate(r); err != nil {
		return err
	}
	if err := g.checkToken(w, r, route.access); err != nil {
		return err
	}
	if err := g.limits.limitBodySize(w, r, route.pattern == streamPattern); err != nil {
		return err
	}
	if !g.inWork.TryAcquire(1) {
		return errOverloaded
	}
	return nil
}

// streamPattern is the pattern of the route whose body is a stream of questions.
const streamPattern = "POST /v1/check"

func (g *guards) checkRate(r *http.Request) error {
	if g.rate == nil {
		return nil
	}
	who, _ := clientIn(r.Context())
	if wait := g.rate.take(who, time.Now()); wait > 0 {
		return &asked.Problem{Status: http.StatusTooManyRequests, RetryAfter: wait, Err: errors.New("this client sends too many requests")}
	}
	return nil
}
