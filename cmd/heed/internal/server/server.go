// Package server is the HTTP API of "heed serve". Its JSON comes from the packages report and report/live, from which the
// JSON of the command line comes too. So both have the same form.
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
	Metrics *Metrics           // nil: the server makes its own

	// Turns gives turns to clients, so that together they keep the crawl delay of each origin; nil: turns
	// are kept in memory only. If its Client is nil, clients share the turns equally.
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
	streams     *semaphore.Weighted // limits the streams that are open

	serving context.Context // ends when Leave is called
	leave   context.CancelFunc
}

func (s *Server) dialect() *robotstxt.Dialect { return cmp.Or(s.Dialect, robotstxt.RFC9309) }

// Leave makes /readyz report that no more requests should come. Requests are still answered. A stream reads
// no more questions: it answers those that it has read, and ends with an error. Handler must have been
// called before.
func (s *Server) Leave() { s.leave() }

// errLeaving is the error of a request that is not answered because the server shuts down.
var errLeaving = &asked.Problem{Status: http.StatusServiceUnavailable, RetryAfter: time.Second, Err: errors.New("the server is shutting down; try again later")}

// decisionIDs makes an id for each request, which its answers and the log have. The ids of two processes
// differ. The zero value must not be used.
type decisionIDs struct {
	process string // random
	last    atomic.Uint64
}

func newDecisionIDs() *decisionIDs { return &decisionIDs{process: rand.Text()[:13]} }

func (d *decisionIDs) next() string {
	var room [32]byte
	return string(strconv.AppendUint(append(append(room[:0], d.process...), '-'), d.last.Add(1), 36))
}
