package server

import (
	"context"
	"errors"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cmd/heed/internal/gate"
	"github.com/heed-robots/heed/cmd/heed/internal/questions"
	"github.com/heed-robots/heed/internal/asked"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// originOf returns the origin of the URL of a question.
func originOf(url string) (origin.Origin, error) {
	if url == "" {
		return origin.Origin{}, asked.ErrNoURL
	}
	if err := asked.CheckURL(url); err != nil {
		return origin.Origin{}, err
	}
	o, err := origin.Parse(url)
	if err != nil {
		return origin.Origin{}, asked.Wrong("%w", err)
	}
	return o, nil
}

// siteWithin returns the live site of an origin. It waits for a retrieval, but not longer than
// maxWait; 0: until it ends. After that it returns what is cached, however old that is, and
// pending: the retrieval goes on. If nothing is cached, the site disallows everything.
func (s *Server) siteWithin(ctx context.Context, d *robotstxt.Dialect, o origin.Origin, maxWait time.Duration) (site *cache.Site, pending bool, err error) {
	if err := s.CheckOrigin(o); err != nil {
		return nil, false, err
	}
	s.Metrics.asked.Add(1)
	known := s.Caches.In(d)
	if maxWait == 0 {
		site, err = known.Site(ctx, o)
	} else {
		site, pending, err = knownWithin(ctx, known, o, maxWait)
	}
	switch {
	case errors.Is(err, cache.ErrClosed):
		return nil, false, errLeaving
	case ctx.Err() != nil:
		return nil, false, gate.ErrGone
	}
	return site, pending, err
}

// errWaited ends the waiting for a retrieval, which itself goes on.
var errWaited = errors.New("max_wait is over")

func knownWithin(ctx context.Context, c *cache.Cache, o origin.Origin, maxWait time.Duration) (site *cache.Site, pending bool, err error) {
	waiting, stop := context.WithTimeoutCause(ctx, maxWait, errWaited)
	defer stop()
	site, err = c.Site(waiting, o)
	if !errors.Is(err, errWaited) {
		return site, false, err
	}
	site, err = c.PeekSite(ctx, o)
	return site, true, err
}

// maxWaitOf reads "max_wait" of a question; "": it waits until a retrieval ends, 0.
func maxWaitOf(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	wait, err := questions.MaxWaitOf(text)
	if err != nil {
		return 0, asked.Wrong(`"max_wait": %w`, err)
	}
	return wait, nil
}
