package diffcmd

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cmd/heed/internal/sites"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/internal/report/live"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

type diffInputs struct {
	inputs      sites.Inputs
	site        string
	sinceStored bool
}

const diffInputsHelp = `Each of OLD and NEW ` + sites.InputsHelp + `

With --live, NEW is what a site sends now, even if the cached file is fresh. So you see
what a CDN adds before the lines of the file in your repository. If the CDN writes its
lines between the comments "# BEGIN … managed" and "# END … managed", heed says which
changes come from these lines, and how these lines change your own groups.

With --live URL --since-stored, OLD is what the site sent when it was last fetched,
and heed then caches the new file. Any command that fetches from the site changes
what is cached, so give the job that watches a site a cache of its own, with --store.
If nothing is cached yet, or if the retrieval fails, there is nothing to compare, and
the exit status is 2.`

func (i *diffInputs) flags(c *cobra.Command) {
	c.Flags().StringVar(&i.site, "live", "", "compare with the robots.txt that the site of this `URL` sends now")
	c.Flags().BoolVar(&i.sinceStored, "since-stored", false, "with --live: compare with what is in the cache, and then cache the new file")
}

func (i *diffInputs) checkArgs(_ *cobra.Command, args []string) error {
	switch {
	case i.sinceStored && i.site == "":
		return errors.New("--since-stored compares the cached robots.txt of a site with the one that the site sends now: name the site with --live URL")
	case i.sinceStored && i.inputs.Live.Offline:
		return errors.New("--offline fetches nothing, and --since-stored fetches the robots.txt of the site: leave one of them out")
	case i.sinceStored && len(args) > 0:
		return fmt.Errorf("--since-stored takes the old file from the cache: leave out %s, or leave out --since-stored", args[0])
	case i.site == "" && len(args) != 2:
		return errors.New(`expected two arguments, the old and the new robots.txt, each a file or a site; see "heed diff --help"`)
	case i.site != "" && !i.sinceStored && len(args) != 1:
		return errors.New(`--live URL names the new robots.txt, and the old one is missing: give one file or site, or --since-stored to use the cached robots.txt; see "heed diff --help"`)
	}
	return nil
}

func (i *diffInputs) read(args []string, d *robotstxt.Dialect) (old, new report.Input, err error) {
	switch {
	case i.sinceStored:
		return i.readSinceStored(d)
	case i.site != "":
		read := i.inputs.ReadFile
		if sites.IsSite(i.inputs.Term, args[0]) {
			read = i.inputs.ReadSite
		}
		if old, err = read(args[0], d); err != nil {
			return old, new, err
		}
		i.inputs.Live.Refresh = i.inputs.Live.Refresh || !i.inputs.Live.Offline
		new, err = i.inputs.ReadSite(i.site, d)
		return old, new, err
	}
	files, err := i.inputs.ReadInputs(d, args...)
	if err != nil {
		return old, new, err
	}
	return files[0], files[1], nil
}

func (i *diffInputs) readSinceStored(d *robotstxt.Dialect) (old, new report.Input, err error) {
	if err := sites.CheckRobotsPath(i.site); err != nil {
		return old, new, err
	}
	var stored *fetch.Result
	var name string
	var storeErr error
	var losing sync.Mutex
	err = i.inputs.Live.Visit(i.site, d, func(ctx context.Context, o origin.Origin) (err error) {
		name = o.RobotsURL()
		if i.inputs.Live.Cache.Store == nil {
			return errors.New("--since-stored needs the cache, but heed cannot use its folder: give another folder with --store")
		}
		if stored, err = i.storedAnswer(ctx, o, d); err != nil {
			return err
		}
		others := i.inputs.Live.Cache.Events.StoreFailed
		i.inputs.Live.Cache.Events.StoreFailed = func(what string, o origin.Origin, err error) {
			if what != "put" {
				others(what, o, err)
				return
			}
			losing.Lock()
			defer losing.Unlock()
			storeErr = err
		}
		new, err = i.inputs.FetchInput(ctx, o)
		return err
	})
	switch {
	case err != nil:
		return old, new, err
	case storeErr != nil && stored == nil:
		return old, new, fmt.Errorf("%s could not be cached: %w", name, storeErr)
	case storeErr != nil:
		i.inputs.Term.Complain(fmt.Errorf("%s could not be cached, so the next run will compare with the same old robots.txt again: %w", name, storeErr))
	case stored == nil:
		return old, new, fmt.Errorf("%s was not cached before, so there is nothing to compare; heed has cached it now, and the next run will compare with it", name)
	}
	return i.inputs.InputOf(name+" as of "+live.When(stored.End), stored, d), new, nil
}

func (i *diffInputs) storedAnswer(ctx context.Context, o origin.Origin, d *robotstxt.Dialect) (*fetch.Result, error) {
	record, err := i.inputs.Live.Cache.Store.Get(ctx, o)
	switch {
	case errors.Is(err, cache.ErrNotFound), errors.Is(err, cache.ErrWrongRecord):
		return nil, nil // Cache.Refresh will report ErrWrongRecord
	case err != nil:
		return nil, fmt.Errorf("--since-stored: the cache cannot be read: %w", err)
	}
	return record.LastAnswer(i.inputs.Live.Statuses(d), d), nil
}
