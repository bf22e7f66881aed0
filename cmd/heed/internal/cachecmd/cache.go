// Package cachecmd has the commands "heed cache" and "heed fetch".
package cachecmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cmd/heed/internal/exit"
	"github.com/heed-robots/heed/cmd/heed/internal/flags"
	"github.com/heed-robots/heed/cmd/heed/internal/layout"
	"github.com/heed-robots/heed/cmd/heed/internal/sites"
	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/report/live"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

type cacheRun struct {
	term              *term.Terminal
	storeFlag, format string
	all               bool
	at                time.Time // zero if --at was not given

	ctx     context.Context
	dialect *robotstxt.Dialect
	store   cache.Store
	cache   *cache.Cache
}

func Cache(a *term.Terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "cache",
		Short: "List, show, import or forget cached robots.txt files",
		Long: `List, show, import or forget what heed has cached for each site: the result of the
last retrieval, the last robots.txt, and its earlier versions.`,
		Example: `  heed cache list
  heed cache show https://www.example.com/
  heed cache history --at 2026-05-03 https://www.example.com/
  heed cache import archive/
  heed cache forget https://www.example.com/`,
	}
	c.AddCommand(cacheListCommand(a), cacheShowCommand(a), cacheForgetCommand(a), cacheHistoryCommand(a), cacheImportCommand(a))
	return c
}

func (o *cacheRun) command(c *cobra.Command, run func(origins []origin.Origin) error) *cobra.Command {
	sites.StoreFlag(c, &o.storeFlag)
	c.RunE = func(_ *cobra.Command, urls []string) (err error) {
		var origins []origin.Origin
		for _, url := range urls {
			site, err := sites.OriginOf(o.term, url)
			if err != nil {
				return err
			}
			origins = append(origins, site)
		}
		store, closeStore, err := sites.OpenStore(o.term, o.storeFlag, false, nil)
		if err != nil {
			return err
		}
		defer closeStore()
		ctx, stop := term.Interruptible()
		defer stop()
		o.ctx, o.store = ctx, store
		o.cache = &cache.Cache{Store: store, Dialect: o.dialect, Events: cache.Events{
			StoreFailed: func(_ string, _ origin.Origin, err error) { o.term.Complain(err) },
			WrongRecord: func(_ origin.Origin, err error) { o.term.Complain(err) },
		}}
		defer o.cache.Close()
		if err = run(origins); ctx.Err() != nil {
			return term.ErrInterrupted
		}
		return err
	}
	return c
}

func oneURL(_ *cobra.Command, urls []string) error {
	switch len(urls) {
	case 0:
		return errors.New("no URL is given: name a site by its URL, such as https://www.example.com/")
	case 1:
		return nil
	}
	return errors.New("several URLs are given: give only one")
}

func cacheListCommand(a *term.Terminal) *cobra.Command {
	o := &cacheRun{term: a}
	c := o.command(&cobra.Command{
		Use:   "list",
		Short: "List the sites in the cache",
		Example: `  heed cache list
  heed cache list --format jsonl | jq -r .origin`,
		Args: flags.NoArguments,
	}, func([]origin.Origin) error { return o.list() })
	flags.DialectFlag(c, &o.dialect, robotstxt.RFC9309, "dialect that decides what a status means")
	flags.FormatFlag(c, &o.format, "text", "json", "jsonl")
	return c
}

func (o *cacheRun) list() error {
	origins, err := o.origins()
	if err != nil {
		return err
	}
	if len(origins) == 0 && o.term.ErrTTY {
		o.term.Notice("the cache has no site")
	}
	l := o.term.JsonList(o.format)
	defer l.Close()
	column := min(maxOriginWidth, layout.Widest(origins, origin.Origin.String))
	for _, each := range origins {
		site, err := o.cache.PeekSite(o.ctx, each)
		if err != nil {
			return err
		}
		a, err := site.Check([]string{"*"}, each.RobotsURL())
		if err != nil {
			return err
		}
		if o.format == "text" {
			o.listOne(&a, column)
		} else {
			l.Put(live.SiteOf(&a))
		}
	}
	return nil
}

const maxOriginWidth = 40

func (o *cacheRun) listOne(a *cache.Answer, column int) {
	name, retrieval := a.Origin.String(), "("+sites.RetrievalText(a)+")"
	line := fmt.Sprintf("%s  %s  %s", outcome(o.term, a.Outcome), layout.Pad(name, column), retrieval)
	if o.term.Tty && layout.Width(line) > o.term.Width {
		o.term.PrintWrapped(0, 4, fmt.Sprintf("%s  %s\n%s", outcome(o.term, a.Outcome), o.term.Fit(name, o.term.Width-term.VerdictWidth-2), retrieval))
		return
	}
	fmt.Fprintln(o.term.Out, line)
}

// origins returns the sites in the store, sorted by their hosts.
func (o *cacheRun) origins() (all []origin.Origin, err error) {
	for site, err := range o.store.Origins(o.ctx) {
		switch {
		case errors.Is(err, cache.ErrWrongRecord):
			o.term.Complain(err)
		case err != nil:
			return nil, err
		default:
			all = append(all, site)
		}
	}
	slices.SortFunc(all, func(a, b origin.Origin) int {
		return cmp.Or(cmp.Compare(a.Host(), b.Host()), cmp.Compare(a.String(), b.String()))
	})
	return slices.Compact(all), nil
}

func cacheShowCommand(a *term.Terminal) *cobra.Command {
	o := &cacheRun{term: a}
	return o.command(&cobra.Command{
		Use:     "show URL",
		Short:   "Show what is cached for a site: the last retrieval and the last robots.txt",
		Example: `  heed cache show https://www.example.com/`,
		Args:    oneURL,

		ValidArgsFunction: sites.CompleteOrigins,
	}, func(sites []origin.Origin) error { return o.show(sites[0]) })
}

func (o *cacheRun) show(site origin.Origin) error {
	r, err := o.store.Get(o.ctx, site)
	if err != nil {
		return o.noRecord(site, err)
	}
	showRetrieval(o.term, r.Last())
	showOutcomes(o.term, func(d *robotstxt.Dialect) meaning { return meaning{outcome: r.Last().Outcome(d)} })
	if r.Failed != nil {
		o.term.PrintWrapped(2, 4, fmt.Sprintf("unreachable since %s, %s", live.When(r.FailingSince), printable.Counted(r.Failures, "failure")))
	}
	if r.Copy == nil {
		return nil
	}
	o.term.PrintHeading("robots.txt as of " + live.When(r.Copy.End))
	showBody(o.term, r.Copy.Body)
	return nil
}

func (o *cacheRun) noRecord(site origin.Origin, err error) error {
	if !errors.Is(err, cache.ErrNotFound) {
		return err
	}
	o.term.Raise(exit.Undetermined)
	o.term.Notice(fmt.Sprintf("nothing is cached for %s", site))
	return nil
}

func (o *cacheRun) noHistory(site origin.Origin) error {
	if _, err := o.store.Get(o.ctx, site); err != nil {
		return o.noRecord(site, err)
	}
	o.term.Raise(exit.Undetermined)
	o.term.Notice(fmt.Sprintf("%s has no history: no retrieval was successful yet", site))
	return nil
}

// Some bytes could control a terminal, so they are left out.
func showBody(o *term.Terminal, body []byte) {
	for line := range robotstxt.Parse(body, robotstxt.Google).Lines() { // Google's dialect has no size limit here
		if line.Raw != "" { // after the last line end, no line follows
			fmt.Fprintf(o.Out, "%s\n", term.PrintableLine(line.Raw))
		}
	}
}

func cacheForgetCommand(a *term.Terminal) *cobra.Command {
	o := &cacheRun{term: a}
	c := o.command(&cobra.Command{
		Use:   "forget URL…",
		Short: "Delete sites and their history from the cache",
		Long: `Delete sites and their history from the cache. What heed watch noted about a site
stays, so heed watch still reports a change that comes later. To delete the notes
too, delete the store.

If the store is a folder, a running heed serve still answers from its memory. Send it
DELETE /v1/robots instead.`,
		Example: `  heed cache forget https://www.example.com/
  heed cache forget --all`,
		Args: func(_ *cobra.Command, urls []string) error {
			if (len(urls) > 0) == o.all {
				return errors.New("give either the URLs of sites, or --all without URLs")
			}
			return nil
		},
		ValidArgsFunction: sites.CompleteOrigins,
	}, func(sites []origin.Origin) error { return o.forget(sites) })
	c.Flags().BoolVar(&o.all, "all", false, "delete all sites")
	return c
}

func (o *cacheRun) forget(sites []origin.Origin) error {
	if o.all {
		var err error
		if sites, err = o.origins(); err != nil {
			return err
		}
	}
	for _, site := range sites {
		if s, err := o.cache.PeekSite(o.ctx, site); err == nil && s.Result() == nil {
			o.term.Notice(fmt.Sprintf("nothing is cached for %s", site))
		}
		if err := o.cache.Forget(o.ctx, site); err != nil {
			return err
		}
	}
	return nil
}

func cacheHistoryCommand(a *term.Terminal) *cobra.Command {
	o := &cacheRun{term: a}
	c := o.command(&cobra.Command{
		Use:   "history URL",
		Short: "List the versions of a site's robots.txt, or show the version at a given time",
		Example: `  heed cache history https://www.example.com/
  heed cache history --at 2026-05-03 https://www.example.com/`,
		Args: oneURL,

		ValidArgsFunction: sites.CompleteOrigins,
	}, func(sites []origin.Origin) error { return o.history(sites[0]) })
	flags.TimeFlag(c, "at", &o.at, "show the version at this time: a day, such as 2026-05-03 (the end of that day in UTC), or a time, such as 2026-05-03T14:00:00Z")
	flags.FormatFlag(c, &o.format, "text", "json", "jsonl")
	return c
}

func (o *cacheRun) history(site origin.Origin) error {
	versions, err := o.store.History(o.ctx, site)
	switch {
	case errors.Is(err, cache.ErrWrongRecord):
		o.term.Complain(err) // the other versions can still be shown
	case err != nil:
		return err
	}
	if !o.at.IsZero() {
		return o.showVersion(site, versions)
	}
	if len(versions) == 0 {
		return o.noHistory(site)
	}
	l := o.term.JsonList(o.format)
	defer l.Close()
	times, sizes := layout.Widest(versions, spanOf), layout.Widest(versions, sizeOf)
	for _, v := range versions {
		if o.format == "text" {
			o.showSpan(v, times, sizes)
		} else {
			l.Put(live.VersionOf(v))
		}
	}
	return nil
}

func spanOf(v cache.Version) string {
	first, last := live.When(v.First), live.When(v.Last)
	if first == last {
		return first
	}
	return first + " to " + last
}

func sizeOf(v cache.Version) string { return printable.Counted(len(v.Body), "byte") }

func (o *cacheRun) showSpan(v cache.Version, times, sizes int) {
	line := fmt.Sprintf("%-*s  status %d, %*s", times, spanOf(v), v.Status, sizes, sizeOf(v))
	if o.term.Tty && layout.Width(line) > o.term.Width {
		line = layout.Wrap(line, o.term.TextWidth(), 4)
	}
	fmt.Fprintln(o.term.Out, line)
}

func (o *cacheRun) showVersion(site origin.Origin, newestFirst []cache.Version) error {
	// --at has whole seconds, like all times that heed prints.
	i := slices.IndexFunc(newestFirst, func(v cache.Version) bool { return !v.First.Truncate(time.Second).After(o.at) })
	if i < 0 {
		o.term.Raise(exit.Undetermined)
		o.term.Notice(fmt.Sprintf("the cache has no version of %s from %s or earlier", site, live.When(o.at)))
		return nil
	}
	v := newestFirst[i]
	if o.format != "text" {
		l := o.term.JsonList(o.format)
		defer l.Close()
		l.Put(live.VersionOf(v))
		return nil
	}
	o.term.Notice(fmt.Sprintf("seen %s, status %d", spanOf(v), v.Status))
	showBody(o.term, v.Body)
	return nil
}
