package server

import (
	"context"
	"errors"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cmd/heed/internal/questions"
	"github.com/heed-robots/heed/internal/asked"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// site returns the live site of a URL.
func (s *Server) site(ctx context.Context, d *robotstxt.Dialect, url string) (*cache.Site, error) {
	site, _, err := s.siteWithin(ctx, d, url, 0)
	return site, err
}

// siteWithin returns the live site of a URL. It waits for a retrieval, but not longer than
// maxWait; 0: until it ends. After that it returns what is cached, however old that is, and
// pending: the retrieval goes on. If nothing is cached, the site disallows everything.
func (s *Server) siteWithin(ctx context.Context, d *robotstxt.Dialect, url string, maxWait time.Duration) (site *cache.Site, pending bool, err error) {
	if url == "" {
		return nil, false, asked.ErrNoURL
	}
	if err := asked.CheckURL(url); err != nil {
		return nil, false, err
	}
	o, err := origin.Parse(url)
	if err != nil {
		return nil, false, asked.Wrong("%w", err)
	}
	if err := s.checkHost(o); err != nil {
		return nil, false, err
	}
	s.Metrics.asked.Add(1)
	known := s.Caches.In(d)
	if maxWait == 0 {
		site, err = known.Site(ctx, url)
	} else {
		site, pending, err = knownWithin(ctx, known, url, maxWait)
	}
	switch {
	case errors.Is(err, cache.ErrClosed):
		return nil, false, errLeaving
	case ctx.Err() != nil:
		return nil, false, errGone
	}
	return site, pending, err
}

// errWaited ends the waiting for a retrieval, which itself goes on.
var errWaited = errors.New("max_wait is over")

func knownWithin(ctx context.Context, c *cache.Cache, url string, maxWait time.Duration) (site *cache.Site, pending bool, err error) {
	waiting, stop := context.WithTimeoutCause(ctx, maxWait, errWaited)
	defer stop()
	site, err = c.Site(waiting, url)
	if !errors.Is(err, errWaited) {
		return site, false, err
	}
	site, err = c.PeekSite(ctx, url)
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
