package source

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/bulk/archive"
	"github.com/heed-robots/heed/internal/bulk/capture"
	"github.com/heed-robots/heed/internal/markup"
	"github.com/heed-robots/heed/origin"
)

func (r *reader) readHistory(ctx context.Context, s cache.Store) error {
	for o, err := range s.Origins(ctx) {
		switch {
		case errors.Is(err, cache.ErrWrongRecord):
			r.reject("", err)
			continue
		case err != nil:
			return err
		}
		if err := r.readOrigin(ctx, s, o); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// A failed retrieval is no version. So the record of the origin is read too, because the last retrieval may have failed.
func (r *reader) readOrigin(ctx context.Context, s cache.Store, o origin.Origin) error {
	versions, err := s.History(ctx, o)
	if err := r.unlessWrong(o, err); err != nil {
		return err
	}
	record, err := s.Get(ctx, o)
	if err := r.unlessWrong(o, err); err != nil && !errors.Is(err, cache.ErrNotFound) {
		return err
	}
	var all []*capture.Capture
	if err == nil && record.Failed != nil {
		failed := record.Failed
		all = append(all, &capture.Capture{URL: failed.Origin.RobotsURL(), At: failed.End, Facts: capture.Facts{Status: failed.Status, Failed: true}})
	}
	for i := range versions {
		v := &versions[i]
		if v.Last.After(v.First) {
			all = append(all, captureOf(o, v, v.Last))
		}
		all = append(all, captureOf(o, v, v.First))
	}
	for _, c := range slices.Backward(all) { // from the oldest capture to the newest
		if err := r.add(c); err != nil {
			return err
		}
		r.order++
	}
	return nil
}

// A wrong record is rejected, and reading continues. Any other error of a store ends Load.
func (r *reader) unlessWrong(o origin.Origin, err error) error {
	if errors.Is(err, cache.ErrWrongRecord) {
		r.reject(o.String(), err)
		return nil
	}
	return err
}

// A store does not keep SaysNotFound, so this field of the capture is false.
func captureOf(o origin.Origin, v *cache.Version, at time.Time) *capture.Capture {
	c := &capture.Capture{URL: o.RobotsURL(), At: at, Body: string(v.Body)}
	c.Facts = capture.Facts{Status: v.Status, Page: fetch.Page(markup.PageOf(v.Body))}
	if v.Body == nil && v.Status >= 200 && v.Status <= 299 {
		c.Page = fetch.HTML // if a successful answer has no body in a store, the answer was an HTML page
	}
	return c
}

func (r *reader) readArchive(ctx context.Context) error {
	a, err := archive.Open(r.job.path)
	if err != nil {
		return err
	}
	defer a.Close()
	info, n, counted, before := a.Info(), int64(0), r.in.raw.max, r.order
	for c, err := range a.Captures() {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			r.reject("", err)
			continue
		}
		r.order = before + c.Order
		if err := r.add(c); err != nil {
			return err
		}
		n++
		if at := int64(float64(n) / float64(info.Captures) * float64(info.FileBytes)); at > counted {
			r.loader.bytes.Add(at - counted)
			counted = at
		}
	}
	return nil
}
