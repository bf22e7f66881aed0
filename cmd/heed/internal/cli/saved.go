package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/lines"
	"github.com/heed-robots/heed/internal/saved"
	"github.com/heed-robots/heed/origin"
)

// fromFolder imports the files of a folder. The name of each is a host.
func (o *cacheImport) fromFolder(ctx context.Context, folder string) error {
	entries, err := saved.List(folder)
	if err != nil {
		return err
	}
	importAll(ctx, o, slices.Values(entries), func(e saved.Entry) retrieval {
		r := retrieval{name: e.Path}
		r.result, r.err = readHost(e, o.scheme)
		return r
	})
	return nil
}

// readHost reads a file of a folder that is the robots.txt of a host.
func readHost(e saved.Entry, scheme string) (fetch.Result, error) {
	if e.Unused != nil {
		return fetch.Result{}, e.Unused
	}
	site, err := origin.Parse(scheme + "://" + e.Host)
	if err == nil && saved.Host(site) != e.Host {
		err = fmt.Errorf("%d is the default port of %s, with which it is the file of no site; leave the port out", site.Port(), scheme)
	}
	if err != nil {
		return fetch.Result{}, err
	}
	body, changed, err := saved.ReadFile(e.Path)
	if err != nil {
		return fetch.Result{}, err
	}
	return savedAt(site, 0, body, changed)
}

// savedAt returns the result of a retrieval that was made elsewhere.
func savedAt(site origin.Origin, status int, body []byte, at time.Time) (fetch.Result, error) {
	if at.After(time.Now()) || at.Unix() < 0 { // the age of a much earlier time overflows time.Duration
		return fetch.Result{}, fmt.Errorf("expected a time between 1970 and now, found %s", at.UTC().Format(time.RFC3339))
	}
	return fetch.Saved(site, status, body, at), nil
}

// fromLines imports JSON lines.
func (o *cacheImport) fromLines(ctx context.Context, path string, in io.Reader) error {
	from := lines.New(in, path, saved.MaxLine)
	items := func(yield func(lines.Line) bool) {
		for l := range from.All() {
			if (l.Wrong != nil || strings.TrimSpace(l.Text) != "") && !yield(l) {
				return
			}
		}
	}
	now := time.Now()
	importAll(ctx, o, items, func(l lines.Line) retrieval {
		r := retrieval{name: fmt.Sprintf("%s, line %d", path, l.Number)}
		r.result, r.err = readItem(l, now)
		return r
	})
	if ctx.Err() != nil {
		return nil // run reports the interrupt
	}
	return from.Err()
}

// readItem returns the retrieval that a JSON line describes.
func readItem(line lines.Line, now time.Time) (fetch.Result, error) {
	a, err := saved.ReadLine(line, true)
	switch {
	case err != nil:
		return fetch.Result{}, err
	case !a.IsRobots():
		return fetch.Result{}, fmt.Errorf("%s is not the URL of a robots.txt; expected %s", a.URL, a.Origin.RobotsURL())
	case a.At.IsZero():
		a.At = now
	}
	return savedAt(a.Origin, a.Status, a.Body, a.At)
}
