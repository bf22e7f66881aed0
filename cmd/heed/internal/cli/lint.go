package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/build"
	"github.com/heed-robots/heed/report"
	"github.com/heed-robots/heed/robotstxt"
)

// lintRun is one run of "heed lint".
type lintRun struct {
	source
	format, explain        string
	given                  lintSettings // by flags
	fix, unsafeFixes, diff bool

	all  []report.Linted
	told map[string]bool // the codes of which the text has said what to do
}

// lintFormats are the values of --format.
var lintFormats = []string{"text", "json", "sarif", "github"}

func (a *app) lintCommand() *cobra.Command {
	o := &lintRun{source: source{app: a}, told: map[string]bool{}}
	c := &cobra.Command{
		Use:   "lint SITE|FILE…",
		Short: "Find what a robots.txt gets wrong, and mend it",
		Long: `Find what a robots.txt gets wrong: lines that crawlers do not read as they are
meant, groups that fall apart, rules that never decide. Each finding has a code, a
severity (error, warning or information), the crawlers for which it matters, and
what to do.

--fix writes the fixes that are safe: heed proves that they change no verdict for
any crawler and any URL. The others need --unsafe-fixes.

A comment in a robots.txt turns rules off:

  Disallow: a$b  # heed-lint: ignore CODE
                 for its line
  # heed-lint: ignore CODE, CODE
                 for the next line
  # heed-lint: ignore-file CODE
                 for the whole file

So does a file .heed-lint, in the folder of the robots.txt or in a folder above it
in the same repository. Its lines are "select: CODE, CODE", "ignore: CODE, CODE"
and "fail-on: SEVERITY". Instead of CODE, a severity means all rules of it.

` + sourceHelp + `

` + codesHelp() + `

Exit status: 0 no finding is as severe as --fail-on, 1 some are, 2 wrong usage or
input, 3 a site could not be reached.`,
		Example: `  heed lint robots.txt
  heed lint --fix robots.txt
  heed lint --diff --unsafe-fixes robots.txt
  heed lint --fail-on warning --ignore no-sitemap public/robots.txt
  heed lint --format json https://www.example.com/
  heed lint --explain missing-colon`,
		Args: func(_ *cobra.Command, args []string) error { return o.checkUsage(args) },
		RunE: func(_ *cobra.Command, args []string) error { return o.run(args) },
	}
	f := c.Flags()
	f.BoolVar(&o.fix, "fix", false, "write the safe fixes into the files, and show what is left")
	f.BoolVar(&o.unsafeFixes, "unsafe-fixes", false, "with --fix or --diff: also those that may change verdicts")
	f.BoolVar(&o.diff, "diff", false, "show what --fix would write, and write nothing")
	f.StringSliceVar(&o.given.choose, "select", nil, "only these rules: a `CODE` or a severity, or several with commas")
	f.StringSliceVar(&o.given.ignore, "ignore", nil, "not these rules: a `CODE` or a severity, or several with commas")
	f.StringVar(&o.given.failOn, "fail-on", "", "exit status 1 from this `SEVERITY` on: "+strings.Join(failOnChoices, ", ")+" (default error)")
	f.StringVar(&o.explain, "explain", "", "explain the rule with this `CODE`")
	formatFlag(c, &o.format, lintFormats...)
	complete(c, "fail-on", failOnChoices)
	complete(c, "explain", lintCodes())
	for _, flag := range []string{"select", "ignore"} {
		if err := c.RegisterFlagCompletionFunc(flag, completeCodes); err != nil {
			panic(err) // cannot happen: the flags exist
		}
	}
	o.source.flags(c)
	return c
}

// checkUsage checks the flags and arguments that belong together.
func (o *lintRun) checkUsage(args []string) error {
	switch {
	case o.explain != "" && len(args) > 0:
		return errors.New("--explain is about a rule: leave the files out")
	case o.explain == "" && len(args) == 0:
		return errors.New(`expected a file, such as robots.txt, or a site, such as https://www.example.com/; "-" is standard input`)
	case o.fix && o.diff:
		return errors.New("--fix writes files, and --diff writes nothing: leave one of them out")
	case o.unsafeFixes && !o.fix && !o.diff:
		return errors.New("--unsafe-fixes goes with --fix, or with --diff, which shows what --fix would write")
	case o.diff && o.format != "text":
		return fmt.Errorf("--diff prints only differences, and --format %s prints the findings: leave one of them out", o.format)
	}
	if err := oneOf("format", o.format, lintFormats...); err != nil {
		return err
	}
	return o.given.check("--")
}

func (o *lintRun) run(args []string) error {
	if o.explain != "" {
		return o.explainRule(o.explain)
	}
	var sites []string
	for _, arg := range args {
		if o.isSite(arg) {
			sites = append(sites, arg)
		}
	}
	if flag := o.live.changedFlag(); flag != "" && len(sites) == 0 {
		return fmt.Errorf("--%s is for sites, and no site is given: leave the flag out", flag)
	}
	reported := map[string]bool{} // a file .heed-lint may be wrong for many files
	for _, arg := range args {
		err := o.lint(arg, slices.Contains(sites, arg))
		if errors.Is(err, errInterrupted) {
			return err
		}
		if err != nil && !reported[err.Error()] { // the other inputs are still linted
			o.complain(err)
			reported[err.Error()] = true
		}
	}
	o.finish()
	return nil
}

// lint checks one input, and mends it if that is asked for.
func (o *lintRun) lint(arg string, isSite bool) error {
	settings, err := o.settingsFor(arg, isSite)
	if err != nil {
		return err
	}
	l := report.Linted{File: arg}
	switch {
	case o.fix && (isSite || arg == "-"):
		return fmt.Errorf("--fix writes files, and %s is none: --diff shows the fixes", arg)
	case isSite:
		if ok, err := o.readLive(arg, &l); !ok || err != nil {
			return err
		}
	default:
		if l.Body, err = o.readText(arg); err != nil {
			return err
		}
	}
	if l.Findings, err = settings.findings(l.Body); err != nil {
		return fmt.Errorf("%s, %w", l.File, err)
	}
	if err := o.mend(&l, settings); err != nil {
		return err
	}
	if slices.ContainsFunc(l.Findings, settings.fails) {
		o.raise(exitDisallowed)
	}
	o.all = append(o.all, l)
	if o.format == "text" && !o.diff {
		o.text(l)
	}
	return nil
}

// readText reads a file that can be a robots.txt, as it is: rules also look at its encoding.
func (o *lintRun) readText(path string) ([]byte, error) {
	body, err := o.readRaw(path)
	if err != nil {
		return nil, err
	}
	_, _, err = decodeRobots(body, path) // no rule finds anything in an image
	return body, err
}

// readLive reads the robots.txt of a site. It returns false if there is nothing to lint, with
// a notice.
func (o *lintRun) readLive(arg string, l *report.Linted) (bool, error) {
	if err := o.readSite(arg, robotstxt.RFC9309); err != nil {
		return false, err
	}
	l.File = o.name
	if o.site.Outcome != fetch.Rules && (o.result == nil || !o.result.HTML) || o.site.Outcome == fetch.Unreachable {
		o.notice(fmt.Sprintf("%s: %s, %s: %s", o.name, o.site.Outcome, retrievalText(o.site), meaningOf(o.site)))
		return false, nil
	}
	l.Body = o.result.Body
	return true, nil
}

// finish prints what comes after the last input.
func (o *lintRun) finish() {
	switch {
	case o.diff:
	case o.format == "text":
		o.summary()
	case o.format == "json":
		l := list{w: o.out, array: true}
		for _, each := range o.all {
			for _, found := range each.Findings {
				l.add(appendItem(nil, report.FindingOf(each.File, found), l.array))
			}
		}
		l.close()
	case o.format == "sarif":
		o.out.Write(append(marshal(report.SARIF(build.Version(), o.all)), '\n'))
	case o.format == "github":
		for _, each := range o.all {
			for _, command := range report.Annotations(each) {
				fmt.Fprintln(o.out, command)
			}
		}
	}
}
