// Package explaincmd has the commands "heed explain", "heed show" and "heed parse".
package explaincmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cmd/heed/internal/exit"
	"github.com/heed-robots/heed/cmd/heed/internal/flags"
	"github.com/heed-robots/heed/cmd/heed/internal/sites"
	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/internal/crawlernames"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/internal/report/live"
	"github.com/heed-robots/heed/internal/saved"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

type explain struct {
	purposes flags.Purposes
	sites.Question

	report.Explained

	site *cache.Answer // nil: the robots.txt is a file
}

func Explain(a *term.Terminal) *cobra.Command {
	o := &explain{Question: sites.Question{Live: sites.Live{Term: a}}}
	c := &cobra.Command{
		Use:   "explain -a CRAWLER URL",
		Short: "Show why a crawler may or may not fetch a URL, in all five dialects",
		Long: `Show why a crawler may or may not fetch a URL. For each of the five dialects, heed
shows the decision and the line that decides. It also shows why dialects differ,
the part of the file around these lines, the groups that apply to the crawler, and
which part of the URL each rule matches. If a rule matches the URL, but cannot decide
about any URL, heed says that the rule never decides.

heed fetches the robots.txt of the URL's site, or uses the cached robots.txt while it is
fresh. With --robots FILE, heed uses this file and fetches nothing; with --robots DIR, it uses
the file of the URL's host in that folder. With --robots URL, it uses the robots.txt of
that site. See heed help check for more about this, and for how to name a crawler.

With --for, heed also shows what the page may be used for. It lists the statements in
the order of the file. For each statement, it says whether the statement decides, or why
it has no effect.

--dialect chooses the dialect that is explained in full. It also decides the exit
status: 0 allowed, 1 disallowed, 2 wrong usage or input, 3 heed cannot answer.`,
		Example: `  heed explain -a ExampleBot https://www.example.com/cart
  heed explain -a Googlebot --robots robots.txt https://shop.example/cart
  heed explain -a GPTBot --robots robots.txt --for train-ai,search /cart
  heed explain -a GPTBot --robots robots.txt --dialect google --format json /cart`,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) == 1:
				return nil
			case len(o.Agent) == 0:
				return sites.ErrNoCrawler
			case len(args) > 1:
				return errors.New(`expected only one URL; to check several URLs, use "heed check"`)
			}
			return errors.New("no URL is given: expected an absolute URL; with --robots, a path is enough")
		},
		RunE: func(_ *cobra.Command, args []string) error { return o.run(args[0]) },
	}
	o.Flags(c, "text", "json")
	c.Flag("agent").Usage = `one crawler: a product token, "TOKEN:FALLBACK" or "@NAME"`
	o.purposes.Flags(c)
	o.Live.TDMRepFlag(c)
	return c
}

func (o *explain) run(url string) error {
	if err := cmp.Or(o.purposes.Check(o.Live.Command), o.Live.CheckTDMRep(o.purposes.IsAsked())); err != nil {
		return err
	}
	if err := o.Read(); err != nil {
		return err
	}
	if len(o.Crawlers) > 1 {
		return fmt.Errorf(`-a %s means %s: expected only one crawler, such as -a GPTBot; for the verdicts of several crawlers, use "heed check", and for their groups and rules, "heed show"; for one crawler with two tokens, write -a TOKEN:FALLBACK`, strings.Join(o.Agent, ","),
			crawlernames.CountedBy(o.Crawlers, func(tokens []string) []string { return tokens }))
	}
	url, site, err := o.Target(url)
	if err != nil {
		return err
	}
	sites.NoteUnescaped(o.Term, o.Dialect, url)
	if o.RobotsDir != "" {
		if err = o.readOfHost(url); err != nil {
			return err
		}
	}
	if o.IsLive() {
		o.Live.NoteResponses(o.purposes.IsAsked())
		err = o.explainSite(url, site)
	} else {
		o.Explained = report.Explain(context.Background(), o.Body, o.Dialect, o.agentsIn, url)
	}
	if err != nil {
		return err
	}
	o.Table = o.Known.Table
	o.setTarget(url)
	o.purposes.Add(&o.Explained)
	if o.Dialect != robotstxt.Google {
		for _, agent := range o.agentsIn(robotstxt.Google) {
			o.Known.NoticeRaw(agent)
		}
	}
	if o.Main.Decision.Reason == robotstxt.InvalidTarget {
		return errors.New(sites.TargetHelp(url))
	}
	o.NoteChain(0, o.File)
	o.SuggestChains()
	o.Term.Raise(exit.OfUses(o.Main.Decision, o.Preferences, o.purposes.Unknown))
	if o.Format == "json" {
		o.Term.Out.Write(append(term.Marshal(o.json()), '\n'))
		return nil
	}
	o.text()
	return nil
}

// agentsIn returns the product tokens that heed check uses in a dialect.
func (o *explain) agentsIn(d *robotstxt.Dialect) []string {
	if found, err := o.Known.InDialect(o.Agent, d); err == nil && len(found) == 1 && d != o.Dialect {
		return found[0]
	}
	return o.Crawlers[0]
}

func (o *explain) readOfHost(url string) error {
	site, err := origin.Parse(url)
	if err != nil {
		return sites.NeedsURL(url)
	}
	if o.Robots, _, err = saved.Find(o.RobotsDir, site.Authority()); err != nil {
		return err
	}
	body, _, err := saved.ReadFile(o.Robots)
	if err == nil {
		o.Body, err = sites.Decode(o.Term, body, o.Robots)
	}
	return err
}

func (o *explain) explainSite(url string, of origin.Origin) error {
	ctx, stop := term.Interruptible()
	defer stop()
	defer o.Live.Close()
	if err := o.Live.Open(o.Dialect); err != nil {
		return err
	}
	stopShowing := o.Term.ShowProgress(o.Live.Progress)
	site, target, err := o.SiteOf(ctx, url, of)
	stopShowing()
	switch {
	case ctx.Err() != nil:
		return term.ErrInterrupted
	case err != nil:
		return err
	}
	e, answer, err := live.Explain(ctx, site, o.Dialect, o.Live.Statuses, o.agentsIn, target)
	o.Explained, o.site = e, &answer
	o.purposes.TDMRep = o.Live.TDMRep(ctx, site.Origin())
	return err
}

// URLs of another origin get the decision OtherOrigin.
func (o *explain) setTarget(url string) {
	other := o.HasOtherOrigin(url)
	set := func(t *robotstxt.Trace) {
		if t.Target = url; other {
			*t = robotstxt.Trace{Decision: sites.OtherOrigin, Dialect: t.Dialect, Agents: t.Agents, Target: url}
		}
	}
	set(&o.Main)
	for i := range o.All {
		set(&o.All[i])
	}
}

func (o *explain) json() any {
	e := o.Explanation()
	if o.site == nil {
		return e
	}
	return live.ExplanationOf(e, o.site)
}
