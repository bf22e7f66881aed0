// Package diffcmd has the commands "heed diff" and "heed prove".
package diffcmd

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cmd/heed/internal/exit"
	"github.com/heed-robots/heed/cmd/heed/internal/flags"
	"github.com/heed-robots/heed/cmd/heed/internal/sites"
	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/compare"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/robotstxt"
)

type diff struct {
	diffInputs
	known       sites.Known
	agent       []string
	format      string
	failOnBlock bool
	lists       lists

	dialect  *robotstxt.Dialect
	crawlers [][]string // product tokens of each crawler of -a; empty: all crawlers are compared
	old, new report.Input
}

func Diff(a *term.Terminal) *cobra.Command {
	o := &diff{diffInputs: diffInputs{inputs: sites.Inputs{Live: sites.Live{Term: a}}}}
	c := &cobra.Command{
		Use:   "diff OLD NEW | OLD --live URL | --live URL --since-stored",
		Short: "Show what a change of a robots.txt means, with URLs that prove it",
		Long: `Compare what two robots.txt files mean: for each crawler that one of them names,
for known crawlers that follow the group of one of these (for example, Googlebot-Image
may follow the group of Googlebot), and for everyone else. heed either proves that every
URL has the same verdict in both files, or shows URLs whose verdicts differ. For each
changed rule, it shows the shortest such URL. The crawlers for which most is disallowed
now come first. Without -a, heed also lists all known crawlers for which something
changes, by their purpose. If a file says what its pages may be used for, heed also
shows which of these preferences change, for URLs that both files allow.

With --urls or --sitemap, heed checks your own URLs. It shows the URLs whose verdict
changes, and for which crawlers, and counts these URLs by directory. A list is in a
format of heed filter: a URL or a path in each line, CSV, JSON lines and so on. If one
of the files is the robots.txt of a site, only URLs of that site are compared. The exit
status is 1 if the verdict of one of these URLs changes. With --fail-on-block, it is 1
only if one of these URLs was allowed and is disallowed now. If an index of sitemaps is
a file, heed reads its sitemaps from the same folder: for the sitemap
https://www.example.com/a/1.xml, it reads a/1.xml or 1.xml in this folder.

` + diffInputsHelp + `

To compare all files of two folders, use the loop in
https://github.com/heed-robots/heed/blob/main/docs/compare.md#two-folders

The exit status is 0 if heed proves that all verdicts and preferences are equal, 1 if
some differ, 2 after wrong usage or input, and 3 if heed could not decide this, because
the comparison takes too much work, or because heed cannot read a sitemap. With --fail-on-block, it is 1 only if a URL was
allowed and is disallowed now, 3 if heed could not decide this, and 0 otherwise.`,
		Example: `  heed diff old.txt new.txt
  heed diff -a Googlebot,'*' old.txt new.txt
  heed diff --fail-on-block git:origin/main:robots.txt robots.txt
  heed diff robots.txt --live https://www.example.com/
  heed diff robots.txt --live https://www.example.com/ --sitemap https://www.example.com/sitemap.xml
  heed diff old.txt new.txt --urls my-urls.txt --format jsonl
  heed diff old.txt new.txt --format html > change.html
  heed diff --live https://www.example.com/ --since-stored --store /var/lib/watch`,
		Args: o.checkArgs,
		RunE: func(_ *cobra.Command, args []string) error { return o.run(args) },
	}
	o.sharedFlags(c)
	flags.FormatFlag(c, &o.format, "text", "json", "jsonl", "html", "markdown")
	c.Flags().StringArrayVar(&o.lists.urls, "urls", nil, "compare only the URLs of this `LIST`, in a format of heed filter; may be repeated")
	c.Flags().StringArrayVar(&o.lists.sitemaps, "sitemap", nil, "compare only the URLs of this sitemap: a `URL` or a file; may be repeated")
	c.Flags().BoolVar(&o.failOnBlock, "fail-on-block", false, "exit status 1 only if a URL was allowed and is disallowed")
	o.flags(c)
	return c
}

func (o *diff) sharedFlags(c *cobra.Command) {
	o.known.CrawlerFlags(o.inputs.Term, c, &o.agent)
	flags.DialectFlag(c, &o.dialect, robotstxt.RFC9309, "dialect to read the files in")
	o.inputs.SourceFlags(c)
}

func (o *diff) run(args []string) (err error) {
	if err := o.readFlags(); err != nil {
		return err
	}
	o.inputs.SitemapURL = slices.ContainsFunc(o.lists.sitemaps, flags.IsURL)
	if o.old, o.new, err = o.read(args, o.dialect); err != nil {
		return err
	}
	o.known.SuggestChains(o.crawlers, o.old, o.new)
	c, err := report.Compare(context.Background(), o.known.Table, o.old, o.new, o.crawlers)
	if err != nil {
		return err
	}
	if o.lists.isGiven() {
		return o.compareURLs(c)
	}
	o.inputs.Term.Raise(o.statusOf(c))
	switch o.format {
	case "json":
		o.inputs.Term.Out.Write(append(term.Marshal(c), '\n'))
	case "text":
		o.printText(c)
	default:
		o.writeDocument(c, nil)
	}
	return nil
}

func (o *diff) compareURLs(c report.Comparison) error {
	ctx, stop := term.Interruptible()
	defer stop()
	o.lists.live = &o.inputs.Live
	f, err := o.changedURLs(ctx, &c)
	if err != nil {
		return err
	}
	o.inputs.Term.Raise(o.statusOfFlips(&f))
	o.lists.printNotices()
	switch o.format {
	case "json":
		o.inputs.Term.Out.Write(append(term.Marshal(&f), '\n'))
	case "text":
		o.textOfFlips(c, &f)
	case "html", "markdown":
		o.writeDocument(c, &f)
	}
	return nil
}

func (o *diff) readFlags() (err error) {
	if o.format == "jsonl" && !o.lists.isGiven() {
		return errors.New("--format jsonl has one line for each URL whose verdict changes, so it needs a list of URLs: add --urls or --sitemap")
	}
	if len(o.agent) == 0 {
		o.known.Dialect = o.dialect
		return nil
	}
	if o.crawlers, err = o.known.ReadCrawlers(o.agent, o.dialect); err != nil {
		return err
	}
	o.known.NoteMisspelt(o.crawlers...)
	return o.inputs.Live.CheckFor(o.crawlers)
}

func (o *diff) statusOf(c report.Comparison) int {
	switch {
	case o.failOnBlock && c.Blocks(), !o.failOnBlock && c.Result == compare.Differs.String():
		return exit.Disallowed
	case !o.failOnBlock && c.Preferences.Is(compare.Differs):
		return exit.Disallowed
	case c.IsUndecided(), !o.failOnBlock && c.Preferences.Is(compare.Undecided):
		return exit.Undetermined
	}
	return exit.Allowed
}
