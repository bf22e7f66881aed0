// Package lintcmd has the command "heed lint".
package lintcmd

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cmd/heed/internal/exit"
	"github.com/heed-robots/heed/cmd/heed/internal/flags"
	"github.com/heed-robots/heed/cmd/heed/internal/robotsfiles"
	"github.com/heed-robots/heed/cmd/heed/internal/sites"
	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/internal/build"
	"github.com/heed-robots/heed/internal/lint"
	"github.com/heed-robots/heed/internal/ordered"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/internal/report/sarif"
)

type lintRun struct {
	source                 sites.Source
	format, explain        string
	flagSettings           lintSettings // the settings that flags give
	fix, unsafeFixes, diff bool
	sitemaps               bool

	configs sync.Map // for each folder, a function that returns the settings from its .heed-lint

	all          []report.Linted
	inputs       []*lintedInput  // all inputs that could be read, for documents: also sites without a robots.txt
	advisedCodes map[string]bool // the codes for which text output has already printed the advice
}

//go:embed lint.txt
var lintHelp string

// Command returns the command heed lint.
func Command(a *term.Terminal) *cobra.Command {
	o := &lintRun{source: sites.Source{Live: sites.Live{Term: a}}, advisedCodes: map[string]bool{}}
	c := flags.WithHelp(strings.NewReplacer("{SOURCES}", sites.SourceHelp, "{CODES}", codesHelp()).Replace(lintHelp), &cobra.Command{
		Use:   "lint SITE|FILE…",
		Short: "Find what a robots.txt gets wrong, and fix it",
		Args:  func(_ *cobra.Command, args []string) error { return o.checkUsage(args) },
		RunE:  func(_ *cobra.Command, args []string) error { return o.run(args) },
	})
	f := c.Flags()
	f.BoolVar(&o.fix, "fix", false, "write the safe fixes into the files, and show the other findings")
	f.BoolVar(&o.unsafeFixes, "unsafe-fixes", false, "with --fix or --diff: also make fixes that may change verdicts")
	f.BoolVar(&o.diff, "diff", false, "show what --fix would write, and write nothing, also together with --fix")
	f.BoolVar(&o.sitemaps, "sitemaps", false, "also fetch the sitemaps that the file lists, and check their URLs")
	f.StringSliceVar(&o.flagSettings.choose, "select", nil, "use only these rules: a `CODE` or a severity, or several with commas")
	f.StringSliceVar(&o.flagSettings.ignore, "ignore", nil, "leave out these rules: a `CODE` or a severity, or several with commas")
	f.StringVar(&o.flagSettings.failOn, "fail-on", "", "exit status 1 from this `SEVERITY` on: "+strings.Join(failOnChoices, ", ")+" (default error)")
	f.StringVar(&o.explain, "explain", "", "explain the rule with this `CODE`")
	flags.FormatFlag(c, &o.format, "text", "json", "sarif", "github", "html", "markdown")
	flags.Complete(c, "fail-on", failOnChoices)
	flags.Complete(c, "explain", lintCodes())
	flags.CompleteBy(c, "select", completeCodes)
	flags.CompleteBy(c, "ignore", completeCodes)
	o.source.SourceFlags(c)
	return c
}

func (o *lintRun) checkUsage(args []string) error {
	switch {
	case o.explain != "" && len(args) > 0:
		return errors.New("--explain explains a rule and checks no file: leave the files out")
	case o.explain == "" && len(args) == 0:
		return errors.New(`nothing to check is given: name a file, such as robots.txt, a site, such as https://www.example.com/, or "-" for standard input`)
	case o.unsafeFixes && !o.fix && !o.diff:
		return errors.New("--unsafe-fixes must be used with --fix or --diff: add one of them")
	case o.diff && o.sitemaps:
		return errors.New("--diff shows only how heed would fix the file, but problems that --sitemaps finds cannot be fixed in this way: leave one of the two flags out")
	case o.sitemaps && o.source.Live.Offline:
		return errors.New("--offline fetches nothing, and sitemaps are never cached: leave out --offline or --sitemaps")
	case o.diff && o.format != "text":
		return fmt.Errorf("--diff shows only how heed would fix the file, but --format %s prints the findings: leave one of the two flags out", o.format)
	}
	if err := o.source.Live.Check(); err != nil {
		return err
	}
	return o.flagSettings.check("--")
}

func (o *lintRun) run(args []string) error {
	if o.explain != "" {
		return o.explainRule(o.explain)
	}
	sites, err := o.source.Live.SitesAmong(args, o.sitemaps)
	if err != nil {
		return err
	}
	if err := o.lintAll(args, sites); err != nil {
		return err
	}
	o.finish()
	return nil
}

// lintAll lints files in parallel, and sites one after another. It prints the findings in order.
func (o *lintRun) lintAll(args, sites []string) (interrupted error) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	worker := func() func(string) *lintedInput {
		return func(arg string) *lintedInput {
			l := &lintedInput{Linted: report.Linted{File: arg}, isSite: slices.Contains(sites, arg)}
			if !l.isSite {
				l.err = o.lint(l)
			}
			return l
		}
	}
	reported := map[string]bool{} // a wrong .heed-lint would be reported again for each file in its folder
	ordered.Map(runtime.GOMAXPROCS(0), ordered.Until(ctx, slices.Values(args)), worker, func(l *lintedInput) {
		switch {
		case interrupted != nil:
			return
		case l.isSite:
			l.err = o.lint(l)
		}
		if l.err == nil {
			l.err = o.fixAndPrint(l)
		}
		if errors.Is(l.err, term.ErrInterrupted) {
			interrupted = l.err
			stop()
			return
		}
		if l.err != nil && !reported[l.err.Error()] { // report the error and continue, because the other inputs can still be linted
			o.source.Term.Complain(l.err)
			reported[l.err.Error()] = true
		}
	})
	return interrupted
}

type lintedInput struct {
	report.Linted
	isSite           bool
	settings         *lintSettings
	responseFindings []lint.Finding // findings about the response with which a site sends the robots.txt
	noFile           bool           // the site has no robots.txt that can be linted
	remark           string         // why the site has no such file, or that the file is stale
	err              error
}

// Several goroutines may call lint for files, but only one at a time for sites.
func (o *lintRun) lint(l *lintedInput) (err error) {
	if l.settings, err = o.settingsFor(l.File, l.isSite); err != nil {
		return err
	}
	if l.isSite {
		err = o.readLive(l)
	} else {
		l.Body, err = o.readText(l.File)
	}
	if err != nil || l.noFile {
		return err
	}
	l.Findings = l.settings.findings(l.Body)
	return nil
}

func (o *lintRun) fixAndPrint(l *lintedInput) error {
	o.inputs = append(o.inputs, l)
	if l.noFile && len(l.responseFindings) == 0 {
		return nil // a notice has already said why
	}
	more := l.responseFindings
	if !l.noFile {
		if err := o.fixFile(l); err != nil {
			return err
		}
		offered, err := o.checkSitemaps(l.Linted)
		if err != nil {
			return err
		}
		o.noticeUnreadSitemaps(l, offered)
		more = append(more, offered...)
	}
	l.Findings = append(l.Findings, l.settings.turnedOn(l.Body, more)...)
	slices.SortStableFunc(l.Findings, lint.ByPlace)
	if l.isSite {
		o.noticeComments(l.Linted)
	}
	if slices.ContainsFunc(l.Findings, l.settings.fails) {
		o.source.Term.Raise(exit.Disallowed)
	}
	o.all = append(o.all, l.Linted)
	if o.format == "text" && !o.diff {
		o.printText(l.Linted)
	}
	return nil
}

// readText reads a file without decoding it, because some rules check the encoding.
func (o *lintRun) readText(path string) ([]byte, error) {
	body, err := sites.ReadRaw(o.source.Term, path)
	if err != nil {
		return nil, unread(path, err)
	}
	_, _, err = robotsfiles.Decode(body, path)
	return body, err
}

func unread(path string, err error) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a folder: name a file, such as %s", path, filepath.Join(path, "robots.txt"))
	}
	if of := (*fs.PathError)(nil); errors.As(err, &of) {
		if errors.Is(of, fs.ErrNotExist) {
			return of
		}
		return fmt.Errorf("%s: %w", path, of.Err)
	}
	return err
}

// inRepository returns all files. A file of a Git revision gets its path in the repository. GitHub shows the findings
// of a file at this path.
func (o *lintRun) inRepository() []report.Linted {
	all := slices.Clone(o.all)
	for i := range all {
		if !sites.IsGit(all[i].File) {
			continue
		}
		if path, err := sites.PathInRepository(all[i].File); err == nil {
			all[i].File = path
		}
	}
	return all
}

func (o *lintRun) finish() {
	switch {
	case o.diff:
	case o.format == "text":
		o.summary()
	case o.format == "json":
		l := o.source.Term.JsonList(o.format)
		defer l.Close()
		for _, each := range o.all {
			for _, found := range each.Findings {
				l.Put(report.FindingOf(each.File, found))
			}
		}
	case o.format == "sarif":
		o.source.Term.Out.Write(append(term.Marshal(sarif.Log(build.Version(), o.inRepository())), '\n'))
	case o.format == "html" || o.format == "markdown":
		o.writeDocument()
	case o.format == "github":
		for _, each := range o.inRepository() {
			for _, command := range report.Annotations(each) {
				fmt.Fprintln(o.source.Term.Out, command)
			}
		}
	}
}
