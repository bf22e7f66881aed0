package cachecmd

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cmd/heed/internal/exit"
	"github.com/heed-robots/heed/cmd/heed/internal/flags"
	"github.com/heed-robots/heed/cmd/heed/internal/layout"
	"github.com/heed-robots/heed/cmd/heed/internal/sites"
	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/redirect"
	"github.com/heed-robots/heed/internal/report/live"
	"github.com/heed-robots/heed/robotstxt"
)

type fetchRun struct {
	live   sites.Live
	format string
	body   bool
}

func Fetch(a *term.Terminal) *cobra.Command {
	o := &fetchRun{live: sites.Live{Term: a}}
	c := &cobra.Command{
		Use:   "fetch URL…",
		Short: "Fetch the robots.txt of sites and show the result",
		Long: `Fetch the robots.txt of each URL's site, over http, https or ftp. heed shows
each request with its status, the headers about type and freshness, the size, and
whether the body is an HTML page. It also shows what the result means in each
dialect, and how long it is fresh. heed fetch neither uses nor changes the cache.

With --body, heed prints only the robots.txt, as heed parses it: in UTF-8,
decompressed, and cut at the size limit. If a site has no robots.txt, heed prints
the result on standard error.

heed connects to addresses that are not public only with --allow-private. It
uses the proxy that the environment variables HTTP_PROXY, HTTPS_PROXY and
NO_PROXY name, but not for ftp.

Exit status: 0 each site has a robots.txt or none (after a 404, or too many
redirects), 2 wrong usage or input, 3 a site is unreachable (RFC 9309).`,
		Example: `  heed fetch https://www.example.com/
  heed fetch --format json https://www.example.com/ ftp://ftp.example.com/
  heed fetch --body https://www.example.com/ > robots.txt
  heed fetch --user-agent ExampleBot/1.0 --timeout 5s https://www.example.com/`,
		RunE: func(_ *cobra.Command, urls []string) error { return o.run(urls) },
	}
	o.live.RetrievalFlags(c)
	flags.FormatFlag(c, &o.format, "text", "json", "jsonl")
	c.Flags().BoolVar(&o.body, "body", false, "print the robots.txt of one site, and nothing else")
	return c
}

func (o *fetchRun) run(urls []string) error {
	if len(urls) == 0 {
		return errors.New("no URL is given: expected one or more absolute URLs of http, https or ftp")
	}
	if err := o.checkBody(urls); err != nil {
		return err
	}
	if err := o.live.Check(); err != nil {
		return err
	}
	ctx, stop := term.Interruptible()
	defer stop()
	l := o.live.Term.JsonList(o.format)
	defer l.Close()
	for _, url := range urls {
		r, err := o.fetch(ctx, url)
		switch {
		case ctx.Err() != nil:
			return term.ErrInterrupted
		case err != nil:
			o.live.Term.Complain(err)
			continue
		case r.OutcomeBy(o.live.Statuses(robotstxt.RFC9309)) == fetch.Unreachable:
			o.live.Term.Raise(exit.Undetermined)
		}
		if o.body {
			o.printBody(&r)
		} else if o.format == "text" {
			showRetrieval(o.live.Term, &r)
			showOutcomes(o.live.Term, func(d *robotstxt.Dialect) meaning { return o.meaningOf(&r, d) })
		} else {
			row := live.RetrievalOf(&r, o.live.Statuses)
			maps.DeleteFunc(row.Seconds, func(d string, _ int64) bool { return row.Outcomes[d] == fetch.Unreachable })
			l.Put(row)
		}
		if err := o.live.Term.Flush(); err != nil {
			return err
		}
	}
	return nil
}

func (o *fetchRun) meaningOf(r *fetch.Result, d *robotstxt.Dialect) meaning {
	s := o.live.Statuses(d)
	outcome := r.OutcomeBy(s)
	var notes []string
	if err := redirect.CheckNumber(r.Redirects(), s.MaxRedirects); err != nil && !live.Refused(r.Err) {
		notes = append(notes, err.Error())
	}
	if outcome != fetch.Unreachable { // how long a failure counts matters only to a cache
		notes = append(notes, "fresh for "+live.About(cache.Lifetime(r, s, d)))
	}
	return meaning{outcome, strings.Join(notes, ", ")}
}

func (o *fetchRun) fetch(ctx context.Context, url string) (fetch.Result, error) {
	site, err := sites.OriginOf(o.live.Term, url)
	if err != nil {
		return fetch.Result{}, err
	}
	defer sites.ShowFetching(o.live.Term, site)()
	return o.live.Fetcher.Fetch(ctx, site, fetch.Validators{})
}

func showRetrieval(o *term.Terminal, r *fetch.Result) {
	o.PrintPainted(term.Bold, r.Origin.RobotsURL(), 0)
	for i, hop := range r.Hops {
		status := "-"
		switch {
		case hop.Status != 0:
			status = fmt.Sprint(hop.Status)
		case i == 0:
			continue // the heading has this URL
		}
		fmt.Fprintf(o.Out, "  %-3s  %s\n", status, o.Fit(printable.Text(hop.URL), o.Width-7))
	}
	if r.Err != nil {
		o.PrintPainted(term.Red, printable.Text(live.Failure(r.Err)), 2)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		o.PrintWrapped(2, 4, fmt.Sprintf("%s: %s", printable.Text(name), printable.Text(strings.Join(r.Header[name], ", "))))
	}
	if r.Err == nil || len(r.Body) > 0 {
		o.PrintWrapped(2, 4, printable.Text(live.Size(r)))
	}
	if r.Outcome(robotstxt.RFC9309) == fetch.Rules {
		o.PrintWrapped(2, 4, "SHA-256 "+r.SHA256())
	}
}

type meaning struct {
	outcome fetch.Outcome
	note    string
}

func showOutcomes(o *term.Terminal, of func(*robotstxt.Dialect) meaning) {
	groups := term.GroupBy(robotstxt.Dialects(), of)
	column := layout.Widest(groups, flags.DialectTitles)
	const indent = 2 + term.VerdictWidth + 2
	for _, dialects := range groups {
		m := of(dialects[0])
		names, below := flags.DialectTitles(dialects), "\n"+m.note
		if m.note == "" || indent+column+2+layout.Width(m.note) <= o.TextWidth() {
			names, below = layout.Pad(names, column), "  "+m.note
		}
		fmt.Fprintf(o.Out, "  %s  %s\n", outcome(o, m.outcome), o.WrapText(strings.TrimRight(names+below, " \n"), o.TextWidth(), indent))
	}
}

func outcome(a *term.Terminal, outcome fetch.Outcome) string {
	word := layout.Pad(outcome.String(), term.VerdictWidth)
	if outcome == fetch.Unreachable {
		return a.Paint(term.Magenta, word)
	}
	return word
}

func (o *fetchRun) checkBody(urls []string) error {
	switch {
	case !o.body:
	case len(urls) > 1:
		return errors.New("--body prints only one robots.txt: give only one URL")
	case o.format != "text":
		return fmt.Errorf("--body prints the robots.txt, and --format %s prints facts about the retrieval: leave one of them out", o.format)
	}
	return nil
}

func (o *fetchRun) printBody(r *fetch.Result) {
	outcome := r.OutcomeBy(o.live.Statuses(robotstxt.RFC9309))
	switch {
	case outcome != fetch.Rules:
		o.live.Term.Notice(fmt.Sprintf("%s: %s, %s", r.Origin.RobotsURL(), outcome, live.ResponseText(r)))
		return
	case r.Page != fetch.NoPage || r.Truncated || r.Encoding != "":
		o.live.Term.Notice(fmt.Sprintf("%s: %s", r.Origin.RobotsURL(), live.Size(r)))
	}
	if o.live.Term.Tty {
		showBody(o.live.Term, r.Body)
		return
	}
	o.live.Term.Out.Write(r.Body)
}
