package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/report/live"
	"github.com/heed-robots/heed/robotstxt"
)

// fetchRun is one run of "heed fetch".
type fetchRun struct {
	*app
	fetcher fetch.Fetcher
	pages   htmlPages
	format  string
}

func (a *app) fetchCommand() *cobra.Command {
	o := &fetchRun{app: a}
	c := &cobra.Command{
		Use:   "fetch URL…",
		Short: "Retrieve the robots.txt of sites and say what came of it",
		Long: `Retrieve the robots.txt of each URL's site, over http, https or ftp, and say
what came of it: every request with its status, the headers that matter, the
size, whether it is an HTML page, what it means in each dialect, and when the
site would be asked again. It is not remembered, and nothing that is remembered
is used.

No connection is made to addresses that are not public unless --allow-private
is given. Sites are asked through a proxy where the environment names one, in
HTTP_PROXY, HTTPS_PROXY and NO_PROXY; sites of ftp are asked without it.

Exit status: 0 each is known, 2 wrong usage or input, 3 one is unreachable.`,
		Example: `  heed fetch https://www.example.com/
  heed fetch --format json https://www.example.com/ ftp://ftp.example.com/
  heed fetch --user-agent ExampleBot/1.0 --timeout 5s https://www.example.com/`,
		RunE: func(_ *cobra.Command, urls []string) error { return o.run(urls) },
	}
	fetcherFlags(c, &o.fetcher)
	o.pages.flag(c)
	formatFlag(c, &o.format, "text", "json", "jsonl")
	return c
}

func (o *fetchRun) run(urls []string) error {
	if err := oneOf("format", o.format, "text", "json", "jsonl"); err != nil {
		return err
	}
	if len(urls) == 0 {
		return errors.New("no URL is given; expected absolute URLs of http, https or ftp")
	}
	if err := checkFetcher(&o.fetcher); err != nil {
		return err
	}
	ctx, stop := interruptible()
	defer stop()
	l := list{w: o.out, array: o.format == "json"}
	if o.format != "text" {
		defer l.close()
	}
	for _, url := range urls {
		r, err := o.fetch(ctx, url)
		switch {
		case ctx.Err() != nil:
			return errInterrupted
		case err != nil:
			o.complain(err)
			continue
		case r.OutcomeBy(o.pages.statuses(robotstxt.RFC9309)) == fetch.Unreachable:
			o.raise(exitUndetermined)
		}
		if o.format == "text" {
			o.showRetrieval(&r)
			for _, d := range robotstxt.Dialects() {
				s := o.pages.statuses(d)
				fmt.Fprintf(o.out, "  %-14s %-11s  asked again after %s\n", d.Title(), r.OutcomeBy(s), live.About(cache.Lifetime(&r, s, d)))
			}
		} else {
			l.add(appendItem(nil, live.RetrievalOf(&r, o.pages.statuses), l.array))
		}
		if err := o.out.Flush(); err != nil {
			return fmt.Errorf("standard output: %w", err)
		}
	}
	return nil
}

func (o *fetchRun) fetch(ctx context.Context, url string) (fetch.Result, error) {
	site, err := origin.Parse(url)
	if err != nil {
		return fetch.Result{}, err
	}
	return o.fetcher.Fetch(ctx, site, fetch.Validators{})
}

func (o *app) showRetrieval(r *fetch.Result) {
	fmt.Fprintf(o.out, "%s\n", o.paint(bold, r.Origin.RobotsURL()))
	for _, hop := range r.Hops {
		status := "-"
		if hop.Status != 0 {
			status = fmt.Sprint(hop.Status)
		}
		fmt.Fprintf(o.out, "  %-3s  %s\n", status, visible(hop.URL))
	}
	if r.Err != nil {
		why := r.Err.Error()
		if flag := hint(r.Err); flag != "" {
			why += ", " + flag
		}
		fmt.Fprintf(o.out, "  %s\n", o.paint(red, visible(why)))
	}
	for _, name := range headerNames(r.Header) {
		fmt.Fprintf(o.out, "  %s: %s\n", visible(name), visible(strings.Join(r.Header[name], ", ")))
	}
	fmt.Fprintf(o.out, "  %s\n", visible(live.Size(r)))
}

func headerNames(h http.Header) []string {
	var names []string
	for name := range h {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
