package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cmd/heed/internal/exit"
	"github.com/heed-robots/heed/internal/crawlernames"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/internal/report/live"
	"github.com/heed-robots/heed/internal/saved"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// explain is one run of "heed explain".
type explain struct {
	question

	report.Explained

	site *cache.Answer // of a live site; nil if the robots.txt is a file
}

func (a *app) explainCommand() *cobra.Command {
	o := &explain{question: question{app: a}}
	c := &cobra.Command{
		Use:   "explain -a CRAWLER URL",
		Short: "Show why a crawler may or may not fetch a URL, in all five dialects",
		Long: `Show why a crawler may or may not fetch a URL. For each of the five dialects, heed
shows the decision and the line that decides. It also shows why dialects differ,
the part of the file around these lines, the groups that apply to the crawler, and
which part of the URL each rule matches. A rule that matches, but could not decide
about any URL, is marked as one that never decides.

heed retrieves the robots.txt of the URL's site, or uses the cached one if that is
fresh. With --robots FILE, heed uses this file and retrieves nothing; with
--robots DIR, the file of the URL's host in that folder. With
--robots URL, it uses the robots.txt of that site. See heed help check for more
about this, and for how to name a crawler.

--dialect chooses the dialect that is explained in full. It also decides the exit
status: 0 allowed, 1 disallowed, 2 wrong usage or input, 3 could not be determined.`,
		Example: `  heed explain -a ExampleBot https://www.example.com/cart
  heed explain -a Googlebot --robots robots.txt https://shop.example/cart
  heed explain -a GPTBot --robots robots.txt --dialect google --format json /cart`,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) == 1:
				return nil
			case len(o.agent) == 0:
				return errNoCrawler
			case len(args) > 1:
				return errors.New("expected one URL; heed check takes several")
			}
			return errors.New("no URL is given; expected an absolute URL, or a path with --robots")
		},
		RunE: func(_ *cobra.Command, args []string) error { return o.run(args[0]) },
	}
	o.flags(c, "text", "json")
	return c
}

func (o *explain) run(url string) error {
	if err := o.read(); err != nil {
		return err
	}
	if len(o.crawlers) > 1 {
		return fmt.Errorf("-a %s: expected one crawler; heed check takes several, and a colon joins a crawler and its fallback", crawlernames.Name(o.crawlers[0])+","+crawlernames.Name(o.crawlers[1]))
	}
	tokens := o.crawlers[0]
	url, site, err := o.target(url)
	if err != nil {
		return err
	}
	if o.robotsDir != "" {
		if err = o.readOfHost(url); err != nil {
			return err
		}
	}
	if o.isLive() {
		err = o.explainSite(url, site)
	} else {
		o.Explained = report.Explain(context.Background(), o.body, o.dialect, tokens, url)
	}
	if err != nil {
		return err
	}
	o.Table = o.known.table
	o.setTarget(url)
	if o.dialect != robotstxt.Google {
		for _, agent := range tokens {
			o.noticeRaw(agent)
		}
	}
	if o.Main.Decision.Reason == robotstxt.InvalidTarget {
		return errors.New(targetHelp(url))
	}
	o.noteChain(0, o.File)
	o.suggestChains()
	o.raise(exit.Of(o.Main.Decision))
	if o.format == "json" {
		o.out.Write(append(marshal(o.json()), '\n'))
		return nil
	}
	o.text()
	return nil
}

// readOfHost reads the robots.txt of the host of a URL, from the folder of --robots.
func (o *explain) readOfHost(url string) error {
	site, err := origin.Parse(url)
	if err != nil {
		return needsURL(url)
	}
	if o.robots, _, err = saved.Find(o.robotsDir, saved.Host(site)); err != nil {
		return err
	}
	body, _, err := saved.ReadFile(o.robots)
	if err == nil {
		o.body, err = o.decode(body, o.robots)
	}
	return err
}

// explainSite explains the decision about a URL by the robots.txt of its site.
func (o *explain) explainSite(url string, of origin.Origin) error {
	ctx, stop := interruptible()
	defer stop()
	defer o.live.close()
	if err := o.live.open(o.dialect); err != nil {
		return err
	}
	stopShowing := o.showProgress(o.live.progress)
	site, target, err := o.siteOf(ctx, url, of)
	stopShowing()
	switch {
	case ctx.Err() != nil:
		return errInterrupted
	case err != nil:
		return err
	}
	e, answer, err := live.Explain(ctx, site, o.dialect, o.live.statuses, o.crawlers[0], target)
	o.Explained, o.site = e, &answer
	return err
}

// setTarget names the URL as it was given. If it belongs to another origin than the robots.txt,
// the traces have only a decision with this reason.
func (o *explain) setTarget(url string) {
	other := o.isOfOther(url)
	set := func(t *robotstxt.Trace) {
		if t.Target = url; other {
			*t = robotstxt.Trace{Decision: otherOrigin, Dialect: t.Dialect, Agents: t.Agents, Target: url}
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
