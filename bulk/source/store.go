package source

import (
	"context"
	"errors"
	"slices"

	"github.com/heed-robots/heed/bulk/capture"
	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/origin"
)

// Store reads the history of a store. name is for rejections. A version of the history is a capture
// at its First.
func (l *Loader) Store(ctx context.Context, s cache.Store, name string) error {
	r := reader{loader: l, job: &job{path: name}, order: l.sources << 32}
	l.sources++
	return r.readHistory(ctx, s)
}

// readHistory reads the history of all origins.
func (r *reader) readHistory(ctx context.Context, s cache.Store) error {
	for o, err := range s.Origins(ctx) {
		switch {
		case errors.Is(err, cache.ErrWrongRecord):
			r.reject("", err)
			continue
		case err != nil:
			return err
		}
		versions, err := s.History(ctx, o)
		switch {
		case errors.Is(err, cache.ErrWrongRecord): // the other versions are there
			r.reject(o.String(), err)
		case err != nil:
			return err
		}
		all := failureOf(ctx, s, o)
		for i := range versions {
			all = append(all, captureOf(o, &versions[i]))
		}
		for _, c := range slices.Backward(all) { // the oldest first
			if err := r.add(c); err != nil {
				return err
			}
			r.order++
		}
	}
	return ctx.Err()
}

// failureOf returns the capture of the last retrieval from a site, if that was a failure.
func failureOf(ctx context.Context, s cache.Store, o origin.Origin) []*capture.Capture {
	record, err := s.Get(ctx, o)
	if err != nil || record.Failed == nil {
		return nil // nothing is known of it then
	}
	return []*capture.Capture{{URL: o.RobotsURL(), At: record.Failed.End, Facts: capture.Facts{Status: record.Failed.Status, Failed: true}}}
}

// captureOf returns the capture of a version. A store does not keep whether a page with status 5xx
// says "not found", so that such an answer counts as a failure here.
func captureOf(o origin.Origin, v *cache.Version) *capture.Capture {
	c := &capture.Capture{URL: o.RobotsURL(), At: v.First, Body: string(v.Body)}
	c.Facts = capture.Facts{Status: v.Status, Page: fetch.PageOf(v.Body)}
	if v.Body == nil && v.Status >= 200 && v.Status <= 299 {
		c.Page = fetch.HTML // the only success that was no robots.txt for its crawler
	}
	return c
}
