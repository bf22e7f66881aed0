// Package server is the HTTP API of "heed serve". It sends the same JSON as the commands print.
package server

import (
	"cmp"
	"context"
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

// A Server answers the HTTP API. Its fields must not change after Handler is called.
type Server struct {
	Caches  *Caches
	Dialect *robotstxt.Dialect // the dialect for questions that name none; nil: RFC 9309
	Version string
	Metrics *Metrics // nil: the server makes its own

	// Turns reserves times for requests, so that all clients together keep the crawl delay of an origin. If nil, only
	// this process knows the reserved times.
	Turns *turns.Turns
	// MaxDelay limits the crawl delay that Turns keeps; 0: 30 seconds.
	MaxDelay time.Duration

	Signing *Signing // signs requests; nil: the server signs nothing
	Watched *Watched // has the events of watched sites; nil: no sites are watched

	Log       *slog.Logger // gets the failures of the server itself; nil: they are not logged
	Decisions *slog.Logger // gets all answers about live sites; nil: they are not logged

	gate.Gate // says who may ask, and how often

	stream *streamLimits // nil means defaultStreamLimits

	ids            *decisionIDs
	listingLock    sync.Mutex // locked while one request lists all origins
	toolHandler    http.Handler
	metricsHandler http.Handler
	files          *robotsfiles.Files // has the robots.txt files that questions of streams contain
	streams        *semaphore.Weighted

	servingCtx context.Context // ends when Leave is called
	leave      context.CancelFunc
	streamTime time.Duration // the parameter of Leave
}

func (s *Server) dialect() *robotstxt.Dialect { return cmp.Or(s.Dialect, robotstxt.RFC9309) }

// Leave announces that the server shuts down. After Leave, /readyz fails. The server reads each stream for
// streamTime, and then ends the stream with an error. Handler must be called before Leave.
func (s *Server) Leave(streamTime time.Duration) {
	s.streamTime = streamTime
	s.leave()
}

var errLeaving = &asked.Problem{Status: http.StatusServiceUnavailable, RetryAfter: time.Second, Err: errors.New("the server is shutting down; try again later")}

// decisionIDs makes an id for each answer. The log has the same id. Two processes make different ids.
type decisionIDs struct {
	process string
	last    atomic.Uint64
}

func (d *decisionIDs) next() string {
	var room [32]byte
	return string(strconv.AppendUint(append(append(room[:0], d.process...), '-'), d.last.Add(1), 36))
}
