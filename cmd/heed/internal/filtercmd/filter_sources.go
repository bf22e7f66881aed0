package filtercmd

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cmd/heed/internal/sites"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/bulk/archive"
	"github.com/heed-robots/heed/internal/bulk/capture"
	bulksource "github.com/heed-robots/heed/internal/bulk/source"
	"github.com/heed-robots/heed/origin"
)

// robotsSources are the open sources of "heed filter".
type robotsSources struct {
	archives capture.Archives
	before   func(urls []string) // for stream.Options.Before
	closers  []func()
}

func (s *robotsSources) close() {
	for _, f := range s.closers {
		f()
	}
}

// openSources opens the sources of --robots: archives as they are, all others are read into memory.
func (o *filter) openSources(ctx context.Context) (*robotsSources, error) {
	s := &robotsSources{}
	err := o.addSources(ctx, s)
	if err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (o *filter) addSources(ctx context.Context, s *robotsSources) error {
	var toLoad []string
	for _, name := range o.robots {
		kind, err := bulksource.KindOf(name)
		switch {
		case name == liveSource:
			err = o.addLive(ctx, s)
		case err == nil && kind == bulksource.Archive:
			err = s.open(name)
		default:
			toLoad, err = append(toLoad, name), nil // Load reports the error
		}
		if err != nil {
			return err
		}
	}
	switch {
	case len(toLoad) == 0 && o.sourceColumns.IsGiven():
		return errors.New("--columns is for tables and JSON lines of --robots, and there are none; the column of the URL in an INPUT is --column")
	case len(toLoad) == 0:
		return nil
	}
	set := &capture.Set{}
	o.sources.Loader = bulksource.Loader{
		Add:       func(c *capture.Capture) error { set.Add(c); return nil },
		Rejected:  o.sources.reject,
		Columns:   o.sourceColumns,
		OpenStore: func(name string) (cache.Store, func() error, error) { return sites.OpenStoreSource(o.term, name) },
	}
	defer o.term.ShowProgress(o.sources.progress)()
	if err := o.sources.Load(ctx, toLoad); err != nil {
		return err
	}
	set.Seal()
	s.archives = append(s.archives, set)
	return nil
}

// liveSource is the value of --robots for live sites.
const liveSource = "live"

// open adds an archive that heed compile made.
func (s *robotsSources) open(name string) error {
	a, err := archive.Open(name)
	if err == nil {
		s.archives, s.closers = append(s.archives, a), append(s.closers, func() { a.Close() })
	}
	return err
}

// addLive adds the live sites: each is asked when a URL of it comes.
func (o *filter) addLive(ctx context.Context, s *robotsSources) error {
	d := o.columns[0].Dialect
	if err := o.live.Open(d); err != nil {
		return err
	}
	sites := &liveArchive{ctx: ctx, live: &o.live, statuses: o.live.Statuses(d)}
	s.archives, s.closers, s.before = append(s.archives, sites), append(s.closers, o.live.Close), sites.before
	return nil
}

// A liveArchive has the robots.txt of live sites, which are retrieved through the cache when they are
// asked for.
type liveArchive struct {
	ctx      context.Context
	live     *sites.Live
	statuses fetch.Statuses

	last   atomic.Uint64
	mu     sync.Mutex
	bodies [1 << 10]liveBody // of the last entries, by their ID
}

type liveBody struct {
	id   capture.BodyID
	text string
}

// Entries implements capture.Archive: the robots.txt of a site has one entry, the answer that holds now.
func (a *liveArchive) Entries(key string) ([]capture.Entry, error) {
	if strings.HasPrefix(key, "//") { // of a folder
		return nil, nil
	}
	o, err := origin.Parse(key)
	if err != nil {
		return nil, err
	}
	site, err := a.live.Site(a.ctx, o)
	if err != nil {
		return nil, err
	}
	r := site.Result()
	if r == nil { // with --offline
		return nil, nil
	}
	e := capture.Entry{At: r.End, Facts: capture.Facts{Status: r.Status, Page: r.Page, SaysNotFound: r.SaysNotFound, Truncated: r.Truncated, Failed: r.Err != nil}}
	if many := r.Redirects() > a.statuses.MaxRedirects; many && a.statuses.ManyRedirects == fetch.Unavailable && r.OutcomeBy(a.statuses) == fetch.Unavailable {
		e.Facts = capture.Facts{Status: http.StatusNotFound} // that is what it means
	}
	if len(r.Body) > 0 {
		e.Body = a.keep(string(r.Body))
	}
	return []capture.Entry{e}, nil
}

// keep keeps a body for the call of Body that follows.
func (a *liveArchive) keep(text string) capture.BodyID {
	id := capture.BodyID(a.last.Add(1))
	a.mu.Lock()
	defer a.mu.Unlock()
	a.bodies[id%capture.BodyID(len(a.bodies))] = liveBody{id, text}
	return id
}

// Body implements capture.Archive.
func (a *liveArchive) Body(id capture.BodyID) (string, error) {
	if id == 0 {
		return "", nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if b := a.bodies[id%capture.BodyID(len(a.bodies))]; b.id == id {
		return b.text, nil
	}
	return "", errors.New("the robots.txt is no longer in memory")
}

// before retrieves the robots.txt files of some URLs at the same time, so that judging them does not
// wait for one after the other.
func (a *liveArchive) before(urls []string) {
	seen := map[origin.Origin]bool{}
	var working errgroup.Group
	working.SetLimit(sites.DefaultJobs)
	for _, url := range urls {
		o, err := origin.Parse(url)
		if err != nil || seen[o] {
			continue
		}
		seen[o] = true
		working.Go(func() error {
			a.live.Site(a.ctx, o) // Entries gets the error
			return nil
		})
	}
	working.Wait()
}
