package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/conformance"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/report"
)

// test is one run of "heed test".
type test struct {
	*app
	root, dialect string
	most          int

	passed, failed int
	bar            *progressbar.ProgressBar // nil: none is shown
}

func (a *app) testCommand() *cobra.Command {
	o := &test{app: a}
	c := &cobra.Command{
		Use:   "test CASES… [--root DIR] [--dialect D]",
		Short: "Run files of cases: who may fetch what, and by which line",
		Long: `Run files of cases, plain or compressed with gzip, and print those that fail
and "N passed, N failed" on the last line. Exit status: 0 all passed, 1 some
failed, 2 wrong usage or input: a case that cannot be read, a robots.txt that is
not there, or a case file without a case.

A case file is written by hand like this:

  # The shop is open to search and closed to training.
  robots: ../public/robots.txt

  allow    Googlebot  /products/  /products/shoes?page=2
  disallow GPTBot     /products/  line 12

A setting holds for what follows it: "robots: PATH" (from the folder of the
case file, or from --root), "dialect: NAME", "case: NAME". With nothing behind
"robots:", the indented lines below are the file itself. "line N" is the line
that must decide, 0 for none. Agents are product tokens; several, joined by
commas, are those of one crawler, the most specific first. A robots.txt in UTF-16
is translated to UTF-8, as crawlers do.

Programs write one JSON object a line instead, with the fields id, source,
dialect, robots or robots_b64 or robots_file, agent (a string or a list) or
agent_b64, url or url_b64, allow and line. The bytes of their robots.txt are not
translated.`,
		Example: `  heed test robots.cases
  heed test --root corpus/files cases.jsonl.gz
  heed test --dialect google robots.cases`,
		RunE: func(_ *cobra.Command, files []string) error { return o.run(files) },
	}
	c.Flags().StringVar(&o.root, "root", "", "folder of the robots.txt files that cases name (default: that of the case file)")
	c.Flags().IntVar(&o.most, "most", 20, "print at most this many failures")
	dialectFlag(c, &o.dialect, "decide every case in this dialect, whatever it names")
	return c
}

func (o *test) run(files []string) error {
	if len(files) == 0 {
		return errors.New("no case file is given; see heed test --help for how to write one")
	}
	options := conformance.Options{Decode: func(body []byte) []byte {
		text, _ := fetch.ToUTF8(body, "")
		return text
	}}
	if o.dialect != "" {
		d, err := dialectNamed(o.dialect)
		if err != nil {
			return err
		}
		options.Dialect = d
	}
	if o.shows {
		o.bar = progressbar.NewOptions(-1,
			progressbar.OptionSetWriter(o.err), progressbar.OptionSetDescription("cases"),
			progressbar.OptionShowCount(), progressbar.OptionShowIts(), progressbar.OptionClearOnFinish())
	}
	if o.root != "" {
		options.ReadFile = conformance.Under(o.root)
	}
	for _, file := range files {
		if err := o.runFile(file, options); err != nil {
			o.complain(err)
		}
	}
	if o.bar != nil {
		o.bar.Finish()
	}
	if o.failed > o.most {
		fmt.Fprintf(o.out, "… and %d more\n", o.failed-o.most)
	}
	if o.failed > 0 {
		o.raise(exitDisallowed)
	}
	fmt.Fprintf(o.out, "%d passed, %d failed\n", o.passed, o.failed)
	return nil
}

// runFile runs one file of cases, of which there must be some.
func (o *test) runFile(file string, options conformance.Options) error {
	before := o.passed + o.failed
	if err := conformance.Run(file, options, o.report); err != nil {
		return err
	}
	if o.passed+o.failed == before {
		return fmt.Errorf("%s: no case in it; see heed test --help for how to write one", file)
	}
	return nil
}

func (o *test) report(r conformance.Result) {
	const step = 2000 // drawing takes longer than a case
	if o.bar != nil && (o.passed+o.failed+1)%step == 0 {
		o.bar.Add(step)
	}
	if r.Passed() {
		o.passed++
		return
	}
	o.failed++
	if r.Err != nil {
		o.raise(exitUsage)
	}
	if o.failed > o.most {
		return
	}
	c := r.Case
	fmt.Fprintf(o.out, "%s %s:%d  %s\n", o.paint(red, "FAIL"), visible(c.File), c.FileLine, visible(c.ID))
	if r.Err != nil {
		fmt.Fprintf(o.out, "  %s\n", visible(r.Err.Error()))
		return
	}
	fmt.Fprintf(o.out, "  agent     %s\n  URL       %s\n  dialect   %s\n",
		visible(strings.Join(c.Agents, ", ")), visible(c.URL), c.Dialect)
	expected := report.Verdict(c.Allow)
	if c.Line != nil {
		expected += fmt.Sprintf(", line %d", *c.Line)
	}
	fmt.Fprintf(o.out, "  expected  %s\n  got       %s, %s\n", expected, report.VerdictOf(r.Got), r.Got.Because())
}
