package cli

import (
	"context"

	"github.com/heed-robots/heed/bulk/archive"
	"github.com/heed-robots/heed/bulk/capture"
	bulksource "github.com/heed-robots/heed/bulk/source"
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
	if len(toLoad) == 0 {
		return nil
	}
	set := &capture.Set{}
	o.sources.Loader = bulksource.Loader{
		Add:       func(c *capture.Capture) error { set.Add(c); return nil },
		Rejected:  o.sources.reject,
		OpenStore: o.openStoreSource,
	}
	defer o.showProgress(o.sources.progress)()
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
	if err := o.live.open(d); err != nil {
		return err
	}
	sites := &liveArchive{ctx: ctx, live: &o.live, statuses: o.live.statuses(d)}
	s.archives, s.closers, s.before = append(s.archives, sites), append(s.closers, o.live.close), sites.before
	return nil
}
