// Package testcmd has the command "heed test".
package testcmd

import (
	_ "embed"
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
	"github.com/heed-robots/heed/internal/input"
)

type test struct {
	sites.Live
	known                sites.Known
	root, robots, format string
	maxFailures          int
	covers               bool

	sources        sources
	layout         testLayout
	passed, failed int
	coverage       conformance.Coverage
	firstCases     map[string]conformance.Case // by the name of their robots.txt
	inlineNames    map[string]string           // names for robots.txt files in JSON cases; the key is their text
	decidedCount   atomic.Int64
}

//go:embed test.txt
var testHelp string

func Command(a *term.Terminal) *cobra.Command {
	o := &test{Live: sites.Live{Term: a}, firstCases: map[string]conformance.Case{}, inlineNames: map[string]string{}}
	o.sources.test, o.sources.notedFiles, o.sources.checkedChains = o, map[string]bool{}, map[[2]string]bool{}
	c := flags.WithHelp(testHelp, &cobra.Command{
		Use:   "test CASES…",
		Short: "Test robots.txt files: who may fetch what, and by which line",
		RunE:  func(_ *cobra.Command, files []string) error { return o.run(files) },
	})
	c.Flags().StringVar(&o.robots, "robots", "", `robots.txt to test instead of those in the cases: a file, git:REV:PATH, the URL of a live site, or "-" for standard input`)
	c.Flags().StringVar(&o.root, "root", "", "folder to which file names in cases are relative (default: the folder of the case file)")
	c.Flags().IntVar(&o.maxFailures, "most", 20, "print at most this many failures (only in the formats text and github)")
	c.Flags().BoolVar(&o.covers, "coverage", false, "also print the rules that decided no case, and the groups that no case uses")
	flags.DialectFlag(c, &o.sources.dialect, nil, "read every robots.txt in this dialect, even if a case names another")
	flags.FormatFlag(c, &o.format, "text", "json", "junit", "tap", "github")
	o.known.CrawlersFlag(a, c)
	o.Live.Flags(c)
	return c
}

func (o *test) run(files []string) error {
	switch {
	case len(files) == 0:
		return errors.New(`no file with cases is given: "heed test --help" shows how to write one`)
	case slices.Contains(files, "-") && o.robots == "-":
		return errors.New("standard input cannot be both the robots.txt and the cases; give one of them as a file")
	case o.Live.Command.Flags().Changed("robots") && o.robots == "":
		return errors.New(`--robots is empty; expected a file, a URL, or "-" for standard input`)
	}
	if err := o.Live.Check(); err != nil {
		return err
	}
	defer o.Live.Close()
	stopShowing := o.Term.ShowProgress(o.progress)
	o.layout = newTestLayout(o)
	for _, file := range files {
		o.layout.begin(input.NameOf(file))
		if err := o.runFile(file); err != nil {
			o.Term.Complain(err)
			o.layout.broken(input.NameOf(file), err)
		}
	}
	stopShowing()
	if o.failed > 0 {
		o.Term.Raise(exit.Disallowed)
	}
	o.layout.end()
	return nil
}

func (o *test) runFile(file string) error {
	if flags.IsURL(file) {
		return fmt.Errorf(`%s is a URL, and "heed test" needs a file with cases: to test the robots.txt of that site, use --robots %[1]s CASES`, file)
	}
	in, err := o.Term.OpenInput(file)
	if err != nil {
		return fmt.Errorf("cannot read the file with cases: %w", err)
	}
	defer in.Close()
	name, before := input.NameOf(file), o.passed+o.failed
	err = conformance.RunReader(in, name, o.sources.options(file), o.report)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", name, errors.Unwrap(err)) // Unwrap removes the prefix "conformance:"
	case o.passed+o.failed == before:
		return fmt.Errorf(`%s: the file has no case; "heed test --help" shows how to write one`, name)
	}
	return nil
}

func (o *test) progress(elapsed time.Duration) string {
	return fmt.Sprintf("%d cases, %s", o.decidedCount.Load(), term.Seconds(elapsed))
}

func (o *test) report(r conformance.Result) {
	o.decidedCount.Add(1)
	if len(r.Case.Agents) > 0 { // a case that could not be read has no Agents
		o.known.NoteMisspelt(r.Case.Agents)
	}
	switch {
	case r.Passed():
		o.passed++
	case errors.Is(r.Err, conformance.ErrUndetermined):
		o.failed++
		o.Term.Raise(exit.Undetermined)
	default:
		o.failed++
		if r.Err != nil {
			o.Term.Raise(exit.Usage)
		}
	}
	o.sources.noteContent(&r)
	o.sources.noteChain(&r)
	if o.covers {
		o.addToCoverage(&r)
	}
	o.layout.result(&r)
}

// A robots.txt in a JSON case has no name. Its name in the coverage is the place of its first case, such as
// cases.jsonl:3.
func (o *test) addToCoverage(r *conformance.Result) {
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
