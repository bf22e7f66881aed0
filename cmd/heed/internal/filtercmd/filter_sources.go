package filtercmd

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/heed-robots/heed/cmd/heed/internal/captures"
	"github.com/heed-robots/heed/cmd/heed/internal/sites"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/bulk/capture"
	"github.com/heed-robots/heed/origin"
)

type robotsSources struct {
	captures.Sources
	beforeBatch func(urls []string)
}

func (o *filter) openSources(ctx context.Context) (*robotsSources, error) {
	s := &robotsSources{}
	var others []string
	for _, name := range o.robots {
		if name != liveSource {
			others = append(others, name)
		} else if err := o.addLive(ctx, s); err != nil {
			return nil, err
		}
	}
	o.sources.OpenStore = sites.OpenStoreSource(o.term)
	if err := s.Add(ctx, o.term, &o.sources, o.sourceColumns, others); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

const liveSource = "live"

func (o *filter) addLive(ctx context.Context, s *robotsSources) error {
	d := o.columns[0].Dialect
	if err := o.live.Open(d); err != nil {
		return err
	}
	o.liveSites = &liveArchive{ctx: ctx, live: &o.live, statuses: o.live.Statuses(d), unreachable: map[string]bool{}}
	s.Archives, s.beforeBatch = append(s.Archives, o.liveSites), o.liveSites.prefetch
	s.OnClose(o.live.Close)
	return nil
}

// A liveArchive answers for live sites as a capture.Archive. Entries fetches a robots.txt, or takes it from the cache.
type liveArchive struct {
	ctx      context.Context
	live     *sites.Live
	statuses fetch.Statuses

	last   atomic.Uint64
	mu     sync.Mutex
	bodies [1 << 10]liveBody

	unreachable map[string]bool
}

type liveBody struct {
	id   capture.BodyID
	text string
}

// Entries returns the current robots.txt of a site as the only entry.
func (a *liveArchive) Entries(key string) ([]capture.Entry, error) {
	if strings.HasPrefix(key, "//") { // such a key is for a folder with the robots.txt files of hosts, not for a live site
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
	if r == nil { // with --offline, the site may have no retrieval
		return nil, nil
	}
	e := capture.Entry{At: r.End, Facts: capture.Facts{Status: r.Status, Page: r.Page, SaysNotFound: r.SaysNotFound, Truncated: r.Truncated, Failed: r.Err != nil}}
	if many := r.Redirects() > a.statuses.MaxRedirects; many && a.statuses.ManyRedirects == fetch.Unavailable && r.OutcomeBy(a.statuses) == fetch.Unavailable {
		e.Facts = capture.Facts{Status: http.StatusNotFound} // too many redirects mean the same as status 404
	}
	if r.OutcomeBy(a.statuses) == fetch.Unreachable {
		a.mu.Lock()
		if len(a.unreachable) < maxUnreachable {
			a.unreachable[site.Origin().String()] = true
		}
		a.mu.Unlock()
	}
	if len(r.Body) > 0 {
		e.Body = a.storeBody(string(r.Body))
	}
	return []capture.Entry{e}, nil
}

// Only the last bodies are kept, to limit memory.
func (a *liveArchive) storeBody(text string) capture.BodyID {
	id := capture.BodyID(a.last.Add(1))
	a.mu.Lock()
	defer a.mu.Unlock()
	a.bodies[id%capture.BodyID(len(a.bodies))] = liveBody{id, text}
	return id
}

func (a *liveArchive) Body(id capture.BodyID) (string, error) {
	if id == 0 {
		return "", nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if b := a.bodies[id%capture.BodyID(len(a.bodies))]; b.id == id {
		return b.text, nil
	}
	return "", fmt.Errorf("heed keeps only the last %d robots.txt files in memory, and no longer has this one: run heed again", len(a.bodies))
}

// prefetch fetches the robots.txt files of many sites into the cache at the same time. Without prefetch, the check of
// the URLs would fetch one file after the other.
func (a *liveArchive) prefetch(urls []string) {
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
			a.live.Site(a.ctx, o) // Entries will return the error
			return nil
		})
	}
	working.Wait()
}
