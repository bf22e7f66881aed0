// Package server is the HTTP API of "heed serve". Its JSON is that of the packages report and
// report/live, so it is the same as that of the command line.
package server

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/heed-robots/heed/cmd/heed/internal/gate"
	"github.com/heed-robots/heed/cmd/heed/internal/robotsfiles"
	"github.com/heed-robots/heed/internal/asked"
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

	Signing *Signing // signs requests; nil: nothing is signed
	Watched *Watched // the events of watched sites; nil: none are watched

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

func (s *Server) dialect() *robotstxt.Dialect { return cmp.Or(s.Dialect, robotstxt.RFC9309) }

// Leave makes /readyz say that no more requests should come. Requests are still answered, but a
// stream takes no more questions: it ends with an error after the answers to those that it has.
// Handler must have been called before.
func (s *Server) Leave() { s.leave() }

// errLeaving is the error of a request that a server which shuts down does not answer.
var errLeaving = &asked.Problem{Status: http.StatusServiceUnavailable, RetryAfter: time.Second, Err: errors.New("the server shuts down")}

// decisionIDs gives each request an id, which its answers and the log have. No two processes
// give the same ones. The zero value must not be used.
type decisionIDs struct {
	process string // random
	last    atomic.Uint64
}

func newDecisionIDs() *decisionIDs { return &decisionIDs{process: rand.Text()[:13]} }

func (d *decisionIDs) next() string {
	var room [32]byte
	return string(strconv.AppendUint(append(append(room[:0], d.process...), '-'), d.last.Add(1), 36))
}
