package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cmd/heed/internal/exit"
	"github.com/heed-robots/heed/report"
	"github.com/heed-robots/heed/report/live"
	"github.com/heed-robots/heed/robotstxt"
)

// explain is one run of "heed explain".
type explain struct {
	question

	crawler  crawler
	file     *robotstxt.File   // in the dialect of --dialect
	main     robotstxt.Trace   // in the dialect of --dialect
	all      []robotstxt.Trace // in every dialect
	contrast report.Contrast   // returns why two of the traces differ

	uses []report.UsedRule // the rules that match and do not decide, in the dialect of --dialect

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
fresh. With --robots FILE, heed uses this file and retrieves nothing. With
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
		return fmt.Errorf("-a %s: expected one crawler; heed check takes several, and a colon joins a crawler and its fallback", o.crawlers[0].String()+","+o.crawlers[1].String())
	}
	o.crawler = o.crawlers[0]
	url, err := o.target(url)
	if err != nil {
		return err
	}
	addTraces := o.addTracesOfFile
	if o.isLive() {
		addTraces = o.addTracesOfSite
	}
	if err := addTraces(url); err != nil {
		return err
	}
	if o.dialect != robotstxt.Google {
		for _, agent := range o.crawler.tokens {
			o.noticeRaw(agent)
		}
	}
	if o.main.Decision.Reason == robotstxt.InvalidTarget {
		return errors.New(targetHelp(url))
	}
	o.addUses()
	o.noteChain(0, o.file)
	o.suggestChains()
	o.raise(exit.Of(o.main.Decision))
	if o.format == "json" {
		o.out.Write(append(marshal(o.json()), '\n'))
		return nil
	}
	o.text()
	return nil
}

// addTracesOfFile adds the trace of a URL in each dialect, by the file of --robots.
func (o *explain) addTracesOfFile(url string) error {
	o.contrast = robotstxt.Contrast
	for _, d := range robotstxt.Dialects() {
		file := robotstxt.Parse(o.body, d)
		if d == o.dialect {
			o.file = file
		}
		o.add(d, url, file.Agent(o.crawler.tokens...).Explain(url))
	}
	return nil
}

// addTracesOfSite adds the trace of a URL in each dialect, by the robots.txt of a site.
func (o *explain) addTracesOfSite(url string) error {
	ctx, stop := interruptible()
	defer stop()
	closeAll, err := o.live.open(o.dialect)
	if err != nil {
		return err
	}
	defer closeAll()
	stopShowing := o.showProgress(o.live.progress)
	site, target, err := o.siteOf(ctx, url)
	stopShowing()
	switch {
	case ctx.Err() != nil:
		return errInterrupted
	case err != nil:
		return err
	}
	answer, err := site.Check(o.crawler.tokens, target)
	if err != nil {
		return err
	}
	o.site, o.file, o.contrast = &answer, site.File(), live.Contrast(site)
	for _, d := range robotstxt.Dialects() {
		statuses := o.live.pages.statuses(d)
		trace, err := site.ExplainIn(d, &statuses, o.crawler.tokens, target)
		if err != nil {
			return err
		}
		o.add(d, url, trace)
	}
	return nil
}

// add adds the trace of one dialect. If the URL belongs to another origin than the
// robots.txt, the trace has only a decision with this reason.
func (o *explain) add(d *robotstxt.Dialect, url string, t robotstxt.Trace) {
	t.Target = url
	if o.isOfOther(url) {
		t = robotstxt.Trace{Decision: otherOrigin, Dialect: d, Agents: t.Agents, Target: url}
	}
	if d == o.dialect {
		o.main = t
	}
	o.all = append(o.all, t)
}

// addUses finds out whether the rules that match and do not decide ever decide.
func (o *explain) addUses() {
	var lines []int
	for _, c := range o.main.Candidates {
		if c.Beaten != robotstxt.NotBeaten {
			lines = append(lines, c.Rule.Line)
		}
	}
	if len(lines) > 0 {
		o.uses = report.UsesOf(o.file.Agent(o.crawler.tokens...), lines...)
	}
}

func (o *explain) json() any {
	e := report.ExplanationOf(o.crawler.tokens, o.main, o.all, o.contrast)
	e.AddUses(o.uses)
	if o.site == nil {
		return e
	}
	return live.ExplanationOf(e, o.site)
}
