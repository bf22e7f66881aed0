// Package testcmd is the command heed test.
package testcmd

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cmd/heed/internal/exit"
	"github.com/heed-robots/heed/cmd/heed/internal/flags"
	"github.com/heed-robots/heed/cmd/heed/internal/sites"
	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/internal/conformance"
)

// test is one run of "heed test".
type test struct {
	term                 *term.Terminal
	known                sites.Known
	root, robots, format string
	maxFailures          int
	covers               bool
	live                 sites.Live

	sources        sources
	layout         testLayout
	passed, failed int
	coverage       conformance.Coverage
	firstCases     map[string]conformance.Case // the first case of each robots.txt, by the name of the robots.txt
	inlineNames    map[string]string           // the name of each robots.txt inside a JSON case, by its text
	decided        atomic.Int64                // cases, for the progress line
}

// Command returns the command heed test.
func Command(a *term.Terminal) *cobra.Command {
	o := &test{term: a, firstCases: map[string]conformance.Case{}, inlineNames: map[string]string{}}
	o.live.Term, o.sources.test = a, o
	c := &cobra.Command{
		Use:   "test CASES…",
		Short: "Test robots.txt files: who may fetch what, and by which line",
		Long: `Test robots.txt files: compare their decisions with those that you expect. heed
prints the cases that fail and, on the last line, how many passed and failed. "-"
reads the cases from standard input.

A case file is a text file, plain or compressed with gzip:

  # The shop is open to search and closed to training.
  robots: ../public/robots.txt

  allow    Googlebot,bingbot  /products/  /products/shoes?page=2
  disallow GPTBot             /products/  line 12   # decided by line 12
  allow    Googlebot-Image:Googlebot  /logo.png

Each crawler is tested with each URL. Commas separate crawlers. Colons separate
the product tokens of one crawler, the most specific first. "line N" is the line
of the robots.txt that must decide, 0 for none. "#" begins a comment.

"@NAME" is a known crawler, or a set of known crawlers: "@search" are those for
search, "@ai-training" those that collect data to train models, "@known" are all.
"disallow" fails for a crawler of which sources say that it does not follow
robots.txt, such as Perplexity-User.

A setting applies to the lines below it:

  robots: FILE      the robots.txt; "-" is standard input
  robots: URL       the robots.txt of a live site
  robots:           the indented lines below are the robots.txt
  origin: URL       the site that a robots.txt file is for: a URL of another
                    site is an error; "*" allows URLs of every site
  urls: FILE        a file with one URL or path on each line
  sitemap: FILE     a sitemap, or an index of sitemaps
  sitemap: URL      the same, retrieved from a live site
  dialect: NAME     how to read the robots.txt (default rfc9309)
  case: NAME        a name for the cases below

File names are relative to the folder of the case file. The words "urls" and
"sitemap" stand for the URLs in these files:

  robots: https://www.example.com/
  sitemap: https://www.example.com/sitemap.xml
  urls: important.txt

  allow    @search       sitemap urls
  disallow @ai-training  urls

It is an error if such a file has no URL, or if no case uses it. A sitemap file
may have at most 50 MiB and 50,000 URLs, as sitemaps.org specifies. If an index is a
file, heed reads its sitemaps from the same folder: a/1.xml in that folder for
https://www.example.com/a/1.xml. heed retrieves a sitemap even if robots.txt
disallows it.

heed uses the cached robots.txt of a live site while that is fresh. After a change
of the robots.txt, use --refresh to retrieve it again.

A case file can also contain JSON lines: one object on each line, with the fields
id, source, dialect, robots or robots_b64 or robots_file, agent (one product
token, or a list: the tokens of one crawler) or agent_b64, url or url_b64, allow
and line. Such cases test a parser: heed does not convert a robots.txt inside
such a line to UTF-8, and parses also what no crawler would take for a text.

With --coverage, heed also prints the rules that decided no case, and the groups
that no crawler of a case uses.

The formats junit (for GitLab and Jenkins), tap (version 13) and json contain all
cases. The formats text and github contain the cases that fail; github writes
annotations for GitHub Actions, at the line of the robots.txt that decided.

Exit status: 0 all passed, 1 some failed, 2 wrong usage or input (such as a case
that cannot be read, or a missing file), 3 a live site is unreachable.`,
		Example: `  heed test robots.cases
  heed test --refresh --robots https://www.example.com/ robots.cases
  heed test --coverage --format github robots.cases
  heed test --format junit robots.cases > report.xml
  heed test --root corpus/files cases.jsonl.gz
  echo 'allow @search /' | heed test --robots public/robots.txt -`,
		RunE: func(_ *cobra.Command, files []string) error { return o.run(files) },
	}
	c.Flags().StringVar(&o.robots, "robots", "", `robots.txt to test instead of those in the cases: a file, git:REV:PATH, the URL of a live site, or "-" for standard input`)
	c.Flags().StringVar(&o.root, "root", "", "folder to which file names in cases are relative (default: the folder of the case file)")
	c.Flags().IntVar(&o.maxFailures, "most", 20, "print at most this many failures (text and github)")
	c.Flags().BoolVar(&o.covers, "coverage", false, "also print the rules that decided no case, and the groups that no crawler of a case uses")
	flags.DialectFlag(c, &o.sources.dialect, nil, "read every robots.txt in this dialect, even if a case names another")
	flags.FormatFlag(c, &o.format, "text", "json", "junit", "tap", "github")
	o.known.CrawlersFlag(a, c)
	o.live.Flags(c)
	return c
}

func (o *test) run(files []string) error {
	switch {
	case len(files) == 0:
		return errors.New("no case file is given; see heed test --help for how to write one")
	case slices.Contains(files, "-") && o.robots == "-":
		return errors.New("standard input cannot be both the robots.txt and the cases; give one of them as a file")
	case o.live.Command.Flags().Changed("robots") && o.robots == "":
		return errors.New(`--robots is empty; expected a file, a URL, or "-" for standard input`)
	}
	if err := o.live.Check(); err != nil {
		return err
	}
	defer o.live.Close()
	stopShowing := o.term.ShowProgress(o.progress)
	o.layout = newTestLayout(o)
	for _, file := range files {
		o.layout.begin(term.InputName(file))
		if err := o.runFile(file); err != nil {
			o.term.Complain(err)
			o.layout.broken(term.InputName(file), err)
		}
	}
	stopShowing()
	if o.failed > 0 {
		o.term.Raise(exit.Disallowed)
	}
	o.layout.end()
	return nil
}

// runFile runs one case file; "-" is standard input. It is an error if the file has no case.
func (o *test) runFile(file string) error {
	if flags.IsURL(file) {
		return fmt.Errorf("%s is a URL; expected a case file: to test the robots.txt of that site, use --robots %[1]s CASES", file)
	}
	in, err := o.term.OpenInput(file)
	if err != nil {
		return fmt.Errorf("case file: %w", err)
	}
	defer in.Close()
	name, before := term.InputName(file), o.passed+o.failed
	err = conformance.RunReader(in, name, o.sources.options(file), o.report)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", name, errors.Unwrap(err)) // without the prefix "conformance:"
	case o.passed+o.failed == before:
		return fmt.Errorf("%s: the file has no case; see heed test --help for how to write one", name)
	}
	return nil
}

// progress returns the progress line.
func (o *test) progress(elapsed time.Duration) string {
	return fmt.Sprintf("%d cases, %s", o.decided.Load(), term.Seconds(elapsed))
}

func (o *test) report(r conformance.Result) {
	o.decided.Add(1)
	switch {
	case r.Passed():
		o.passed++
	case errors.Is(r.Err, conformance.ErrUndetermined):
		o.failed++
		o.term.Raise(exit.Undetermined)
	default:
		o.failed++
		if r.Err != nil {
			o.term.Raise(exit.Usage)
		}
	}
	if o.covers {
		o.cover(&r)
	}
	o.layout.result(&r)
}

// cover adds a case to the coverage. If JSON cases contain the same robots.txt, its name is
// the place of the first of them.
func (o *test) cover(r *conformance.Result) {
	name := o.sources.robotsName(&r.Case)
	if name == "" {
		body := string(r.Case.Robots)
		if o.inlineNames[body] == "" {
			o.inlineNames[body] = place(r.Case.File, r.Case.FileLine)
		}
		name = o.inlineNames[body]
	}
	if _, ok := o.firstCases[name]; !ok {
		o.firstCases[name] = r.Case
	}
	o.coverage.Add(name, *r)
}
