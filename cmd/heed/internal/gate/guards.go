// Package gate decides who may ask heed serve, and how much: hosts, tokens, pages of other sites, rates, slots, memory.
package gate

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/netip"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/heed-robots/heed/cmd/heed/internal/message"
	"github.com/heed-robots/heed/internal/asked"
)

// A Gate decides who may ask, and how much. A request passes its guards in this order:
//
//	connections.go  how many connections there are, and how fast their clients read (all routes)
//	limits.go       the time of the body, and the size of the URL
//	hosts.go        is the Host header a name of this server? If not, the request may come
//	                from a page of another site
//	cors.go         does a page of another site send the request? A preflight has no token, so it is
//	                answered here. Allowed pages can also read the errors of the next guards
//	clients.go,     which client sends the request, and how many did it send? This comes before the
//	meter.go        tokens, so that nobody can try many tokens quickly
//	tokens.go       may the client use this route?
//	limits.go       how large is the body, and how many requests are in progress? This comes after
//	                the tokens, so that only clients with a token can use up the limit
//	memory.go       how much memory do requests hold? It is counted while the body is read
//	hosts.go        may anybody ask about this host? The question must be read first
//	meter.go        may the client cause a retrieval? The cache must be asked first
//
// Routes with the access Open pass only the guards of the first four files: they show whether the
// daemon works, even when it is busy.
type Gate struct {
	Hosts       func(host string) error // which hosts may be asked about, by their names in origins; nil: all. See HostPolicy
	Tokens      *Tokens                 // of clients with questions; nil: they need no token
	AdminTokens *Tokens                 // of clients that change what is cached; nil: nobody may
	Loopback    bool                    // only this machine can reach the server: the Host header must be a name of it, or one of Names
	Names       []string                // other names of the server, as origin.Origin.Host returns them; if there are some, Host headers are checked even without Loopback
	CORS        []string                // the origins of pages that may ask; see CheckCORS
	Proxies     []netip.Prefix          // whose X-Forwarded-For and Forwarded headers say who the client is
	Rate        float64                 // requests a second that each client may send; 0: no limit

	// How many retrievals a minute the questions of each client, and of all together, may cause; 0:
	// no limit.
	ClientRetrievals, Retrievals int

	Limits *Limits // nil: DefaultLimits

	rate       *meter
	inProgress *semaphore.Weighted // limits the requests that are in progress
	Slots      *slots
	Memory     *memory
	Fetching   *retrievals
}

func (g *Gate) limitsOf() *Limits { return cmp.Or(g.Limits, &DefaultLimits) }

// Start makes the unexported fields and Slots, Memory and Fetching. It must be called before the first request.
func (g *Gate) Start() {
	l := g.limitsOf()
	g.Limits = l
	g.rate = newMeter(g.Rate, max(10, int(g.Rate)), l.clients)
	g.inProgress = semaphore.NewWeighted(int64(l.Requests))
	g.Slots, g.Memory = newSlots(), NewMemory(l.Memory)
	g.Fetching = &retrievals{
		each:       newMeter(float64(g.ClientRetrievals)/60, g.ClientRetrievals, l.clients),
		all:        newMeter(float64(g.Retrievals)/60, g.Retrievals, 1),
		inProgress: semaphore.NewWeighted(int64(l.Retrievals)),
	}
}

// Access says who may use a route.
type Access uint8

const (
	Open  Access = iota // everyone, for routes that show whether the daemon works
	Asks                // clients with questions
	Admin               // clients that may change what is cached
)

// All returns a handler that guards all routes.
func (g *Gate) All(routes http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r, err := g.Limits.withBodyTime(w, r)
		preflight := false
		if err == nil {
			preflight, err = g.checkAll(w, r)
		}
		switch {
		case err != nil:
			refuseBody(w, r)
			message.WriteError(w, err)
		case !preflight:
			routes.ServeHTTP(w, r)
		}
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

// Pass calls next if the guards of a route let the request pass.
func (g *Gate) Pass(a Access, isStream bool, w http.ResponseWriter, r *http.Request, next func(*http.Request) error) error {
	if a == Open {
		return next(r)
	}
	r = g.withClient(r)
	if err := g.enter(a, isStream, w, r); err != nil {
		refuseBody(w, r)
		return err
	}
	defer g.inProgress.Release(1)
	if r.ContentLength != 0 {
		h := g.Hold(r.Context())
		defer h.End()
		if b, ok := r.Body.(*limitedBody); ok {
			b.held = h
		}
		r = r.WithContext(context.WithValue(r.Context(), heldKey{}, h))
	}
	return next(r)
}

// enter calls the guards of a route one after the other. It returns the error of the first guard that refuses the
// request. If it returns nil, the caller must call g.inProgress.Release(1).
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
	if g.rate == nil {
		return nil
	}
	who, _ := ClientIn(r.Context())
	if wait := g.rate.take(who, time.Now()); wait > 0 {
		return &asked.Problem{Status: http.StatusTooManyRequests, RetryAfter: wait, Err: errors.New("this client sends too many requests")}
	}
	return nil
}
