// Package gate decides which requests "heed serve" answers. It also limits the requests, jobs and memory of clients.
package gate

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/heed-robots/heed/cmd/heed/internal/message"
	"github.com/heed-robots/heed/internal/asked"
	"github.com/heed-robots/heed/internal/ranges"
)

// A Gate checks requests, in this order:
//
//	connections.go  How many connections are open? Do their clients read fast enough? (all routes)
//	limits.go       Is the URL short enough? The time for reading the body is limited here.
//	hosts.go        Is the Host header a name of this server? If not, the request may come from a
//	                page of another site.
//	cors.go         Did a page of another site send the request? An allowed page can read all later errors.
//	clients.go,     Which client sent the request, and how many before? This check comes before
//	meter.go        the tokens, so that nobody can try many tokens quickly.
//	tokens.go       May the client use this route?
//	limits.go       How long is the body? How many requests are in progress? Only clients with a
//	                token get here, so that others cannot use up the limit.
//	memory.go       How much memory do requests use? It is counted while the body is read.
//	hosts.go        May clients ask about this host?
//	meter.go        May the client cause a retrieval? (only if the robots.txt is not cached)
//
// A request for a route with the access Open is checked only in the first four files. So such a route answers even if
// the daemon is busy.
type Gate struct {
	// Hosts returns an error if clients may not ask about a host. If Hosts is nil, they may ask about all.
	Hosts       func(host string) error
	Tokens      *Tokens        // for questions; nil means that clients need no token
	AdminTokens *Tokens        // for changes of the cache; nil means that no client may change it
	Loopback    bool           // only this machine can reach the server, so the Host header must name this machine
	Names       []string       // other names for the Host header, in the form of origin.Origin.Host; if there are any, the header is always checked
	CORS        []string       // origins of web pages that may ask; see CheckCORS
	Proxies     ranges.Proxies // they name the client in X-Forwarded-For or Forwarded
	Rate        float64        // requests per second of each client; 0 means no limit

	// The limits for retrievals in a minute. ClientRetrievals is for each client, Retrievals is for all clients
	// together. 0 means no limit.
	ClientRetrievals, Retrievals int

	Limits *Limits // nil means DefaultLimits

	Refused func(status int) // is called for each request that is refused before its route is known; nil: not called

	rate       *meter
	inProgress *semaphore.Weighted
	Slots      *slots
	Memory     *memory
	Fetching   *retrievals
	open       openConnections
}

// Start must be called before HTTP and Limit.
func (g *Gate) Start() {
	g.Limits = cmp.Or(g.Limits, &DefaultLimits)
	l := g.Limits
	g.rate = newMeter(g.Rate, max(10, int(g.Rate)), l.clients)
	g.inProgress = semaphore.NewWeighted(int64(l.Requests))
	g.Slots, g.Memory = newSlots(), NewMemory(l.Memory)
	g.open = openConnections{states: map[net.Conn]http.ConnState{}, closed: make(chan struct{}, 1)}
	g.Fetching = &retrievals{
		each:       newMeter(float64(g.ClientRetrievals)/60, g.ClientRetrievals, l.clients),
		all:        newMeter(float64(g.Retrievals)/60, g.Retrievals, 1),
		inProgress: semaphore.NewWeighted(int64(l.Retrievals)),
	}
}

// Access says who may use a route.
type Access uint8

const (
	Open Access = iota // everyone: these routes only show whether the daemon works
	Asks
	Admin
)

func (g *Gate) WithChecks(routes http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r, err := g.Limits.withBodyTime(w, r)
		preflight := false
		if err == nil {
			preflight, err = g.checkAll(w, r)
		}
		switch {
		case err != nil:
			status := message.WriteError(w, err)
			if g.Refused != nil {
				g.Refused(status)
			}
		case !preflight:
			routes.ServeHTTP(w, r)
		}
		endBody(r)
	})
}

func (g *Gate) checkAll(w http.ResponseWriter, r *http.Request) (preflight bool, err error) {
	if err := g.Limits.checkURL(r); err != nil {
		return false, err
	}
	if err := g.checkHostHeader(r); err != nil {
		return false, err
	}
	if err := message.CheckMessage(w, r); err != nil {
		return false, err
	}
	return g.checkPage(w, r)
}

func (g *Gate) Pass(a Access, isStream bool, w http.ResponseWriter, r *http.Request, handle func(*http.Request) error) error {
	if a == Open {
		return handle(r)
	}
	r = g.withClient(r)
	if err := g.enter(a, isStream, w, r); err != nil {
		return err
	}
	defer g.inProgress.Release(1)
	if r.ContentLength != 0 {
		h := g.NewHeldBytes(r.Context())
		defer h.End()
		if b, ok := r.Body.(*limitedBody); ok {
			b.held = h
		}
		r = r.WithContext(context.WithValue(r.Context(), heldKey{}, h))
	}
	return handle(r)
}

// If enter returns nil, the caller must call g.inProgress.Release(1).
func (g *Gate) enter(a Access, isStream bool, w http.ResponseWriter, r *http.Request) error {
	if err := g.checkRate(r); err != nil {
		return err
	}
	if err := g.checkToken(w, r, a); err != nil {
		return err
	}
	if err := g.Limits.limitBodySize(w, r, isStream); err != nil {
		return err
	}
	if !g.inProgress.TryAcquire(1) {
		return ErrOverloaded
	}
	return nil
}

func (g *Gate) checkRate(r *http.Request) error {
	who, _ := ClientIn(r.Context())
	if wait := g.rate.take(who, time.Now()); wait > 0 {
		return &asked.Problem{Status: http.StatusTooManyRequests, RetryAfter: wait, Err: errors.New("this client sends too many requests; try again later")}
	}
	return nil
}
