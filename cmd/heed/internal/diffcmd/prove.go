package diffcmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cmd/heed/internal/exit"
	"github.com/heed-robots/heed/cmd/heed/internal/flags"
	"github.com/heed-robots/heed/cmd/heed/internal/sites"
	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/report"
)

type prove struct {
	diff
	statement string // what must be proved, such as report.Implies
}

func Prove(a *term.Terminal) *cobra.Command {
	c := &cobra.Command{
		Use:   "prove",
		Short: "Prove a statement about robots.txt files, or show a URL that refutes it",
		Long: `Prove that a statement about robots.txt files is true for every URL, or show a URL
for which it is false.

Exit status: 0 proved, 1 refuted, 2 wrong usage or input, 3 not decided, because
the proof takes too much work.`,
		Example: `  heed prove equal old.txt new.txt
  heed prove implies git:origin/main:robots.txt robots.txt
  heed prove blocks-all -a @ai-training robots.txt
  heed prove blocks-nothing -a Googlebot,bingbot https://www.example.com/`,
	}
	c.AddCommand(
		proveCommand(a, report.SameVerdicts, "A B", "Prove that every URL has the same verdict in two files",
			`Prove that every URL has the same verdict in the files A and B: for every crawler,
or only for the crawlers of -a. If the statement is false, heed shows for each crawler
a URL, and the lines that decide about this URL. heed diff shows more.`,
			`  heed prove equal robots.txt https://www.example.com/
  heed prove equal -a Googlebot old.txt new.txt`),
		proveCommand(a, report.Implies, "A B", "Prove that a file allows every URL that another one allows",
			`Prove that the file B allows every URL that the file A allows, for every crawler, or
only for the crawlers of -a. B may allow more than A. With the old file as A and the new
file as B, this shows that crawlers may still fetch all pages that they could fetch
before. If the statement is false, heed shows for each crawler a URL that A allows and B
disallows, and the lines that decide about this URL.`,
			`  heed prove implies old.txt new.txt
  heed prove implies -a Googlebot git:origin/main:robots.txt robots.txt`),
		proveCommand(a, report.BlocksAll, "-a CRAWLER… FILE", "Prove that a crawler may fetch nothing",
			`Prove that each crawler of -a may fetch nothing. In dialects that always allow the URL
/robots.txt, heed ignores this URL. If the statement is false, heed shows for each
crawler a URL that the crawler may fetch. There is no proof for a crawler that is known
not to follow robots.txt, such as Perplexity-User.

-a '*' means the crawlers that the file does not name, not every crawler. To prove that
no crawler may fetch anything, compare with a file that disallows everything, as the
last example does.`,
			`  heed prove blocks-all -a GPTBot,CCBot robots.txt
  heed prove blocks-all -a @ai-training https://www.example.com/
  printf 'User-agent: *\nDisallow: /\n' | heed prove equal - staging/robots.txt`),
		proveCommand(a, report.BlocksNothing, "-a CRAWLER… FILE", "Prove that a crawler may fetch everything",
			`Prove that each crawler of -a may fetch every URL. If the statement is false, heed
shows for each crawler a URL that it may not fetch. One disallowed URL makes the
statement false; to test single URLs, use heed test. -a '*' means all crawlers that the
file does not name.`,
			`  heed prove blocks-nothing -a Googlebot robots.txt
  heed prove blocks-nothing -a @search https://www.example.com/`),
	)
	return c
}

func proveCommand(a *term.Terminal, statement, arguments, short, long, example string) *cobra.Command {
	o := &prove{diff: diff{diffInputs: diffInputs{inputs: sites.Inputs{Live: sites.Live{Term: a}}}}, statement: statement}
	which := "Each of A and B "
	if !o.comparesTwo() {
		which = "FILE "
	}
	c := &cobra.Command{
		Use:   statement + " " + arguments,
		Short: short,
		Long: long + "\n\n" + which + sites.InputsHelp + `

Exit status: 0 proved, 1 refuted, 2 wrong usage or input, 3 not decided, because
the proof takes too much work.`,
		Example: example,
		Args:    o.checkArgs,
		RunE:    func(_ *cobra.Command, args []string) error { return o.run(args) },
	}
	o.sharedFlags(c)
	flags.FormatFlag(c, &o.format, "text", "json")
	return c
}

func (o *prove) comparesTwo() bool {
	return o.statement == report.SameVerdicts || o.statement == report.Implies
}

func (o *prove) checkArgs(_ *cobra.Command, args []string) error {
	switch {
	case o.comparesTwo() && len(args) != 2:
		return errors.New("expected two arguments, A and B, each a file or a site")
	case o.comparesTwo():
	case len(o.agent) == 0:
		return sites.ErrNoCrawler
	case len(args) != 1:
		return errors.New("expected one argument, a file or a site")
	}
	return nil
}

func (o *prove) run(args []string) error {
	if err := o.readFlags(); err != nil {
		return err
	}
	files, err := o.inputs.ReadInputs(o.dialect, args...)
	if err != nil {
		return err
	}
	o.known.SuggestChains(o.crawlers, files...)
	p, err := o.proof(files)
	if err != nil {
		return err
	}
	o.inputs.Term.Raise(map[string]int{report.Proven: exit.Allowed, report.Refuted: exit.Disallowed, report.Undecided: exit.Undetermined}[p.Result])
	if o.format == "json" {
		o.inputs.Term.Out.Write(append(term.Marshal(p), '\n'))
		return nil
	}
	o.printText(p)
	return nil
}

func (o *prove) proof(files []report.Input) (p report.Proof, err error) {
	if o.comparesTwo() {
		o.old, o.new = files[0], files[1]
		c, err := report.Compare(context.Background(), o.known.Table, o.old, o.new, o.crawlers)
		return report.ProofOf(o.statement, c), err
	}
	return report.ProofAbout(o.known.Table, o.statement, files[0], o.crawlers), nil
}

func (o *prove) printText(p report.Proof) {
	for i, name := range p.Files {
		title := "File: "
		if o.comparesTwo() {
			title = string(rune('A'+i)) + ": "
		}
		fmt.Fprintf(o.inputs.Term.Out, "%s%s\n", title, o.inputs.Term.FitAfter(printable.Text(name), len(title)))
	}
	o.inputs.Term.PrintPaintedAfter(term.Bold, "", fmt.Sprintf("%s (%s)", o.headline(p), o.dialect.Title()), 2)
	for _, name := range p.Truncated {
		o.inputs.Term.PrintAfter("", printable.Text(name)+": "+sites.RestIgnored, 2)
	}
	if p.Incomplete {
		o.inputs.Term.PrintAfter("", incomplete, 2)
	}
	if p.OtherChains {
		o.inputs.Term.PrintPainted(term.Faint, o.otherChains(), 0)
	}
	sections := refutedSections(p.Crawlers)
	for i, s := range sections {
		if o.inputs.Term.Tty && i == maxSections {
			o.inputs.Term.PrintAfter("\n", fmt.Sprintf("… and %s; --format json has them all", printable.Counted(len(sections)-i, "more counterexample")), 2)
			break
		}
		o.printCounterexample(s)
	}
	if p.Result == report.Proven {
		return
	}
	o.others("Disallowed by the rules, but sources say that robots.txt is not obeyed", withoutCounterexample(p.Crawlers))
	o.others("Not decided, because it takes too much work", with(p.Crawlers, report.Undecided))
	o.others("Proved", with(p.Crawlers, report.Proven))
}

var sentences = map[string][2]string{
	report.SameVerdicts:  {"every URL has the same verdict in A and B", "a URL has different verdicts in A and B"},
	report.Implies:       {"B allows every URL that A allows", "B disallows a URL that A allows"},
	report.BlocksAll:     {"everything is disallowed", "a URL is allowed"},
	report.BlocksNothing: {"everything is allowed", "a URL is disallowed"},
}

func (o *prove) headline(p report.Proof) string {
	statement, opposite := sentences[p.Statement][0], sentences[p.Statement][1]
	switch {
	case p.Result == report.Refuted:
		refuted := with(p.Crawlers, report.Refuted)
		switch heedless := withoutCounterexample(refuted); {
		case len(heedless) == len(refuted):
			opposite = "sources say that robots.txt is not obeyed"
		case len(heedless) > 0:
			opposite += ", or sources say that robots.txt is not obeyed"
		}
		return fmt.Sprintf("Refuted for %s: %s", o.inWords(asCompared(refuted)), opposite)
	case p.Result == report.Undecided:
		return "Not decided: heed found no counterexample, but no proof that " + statement
	case len(o.crawlers) > 0 && p.OtherChains:
		return "Proved only for the given product tokens: " + statement
	case len(o.crawlers) > 0:
		return fmt.Sprintf("Proved for %s: %s%s", o.inWords(asCompared(p.Crawlers)), statement, exceptDisobedient(p.Crawlers))
	}
	return "Proved for every crawler: " + statement
}

// exceptDisobedient returns a phrase such as ", except Perplexity-User, which does not obey robots.txt".
func exceptDisobedient(crawlers []report.Proved) string {
	var names []string
	for _, c := range crawlers {
		if name := printable.Text(c.Agent[0]); c.Obeys != nil && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	switch len(names) {
	case 0:
		return ""
	case 1:
		return ", except " + names[0] + ", which does not obey robots.txt"
	}
	return ", except " + strings.Join(names, ", ") + ", which do not obey robots.txt"
}

func with(crawlers []report.Proved, result string) []report.Proved {
	return where(crawlers, func(c report.Proved) bool { return c.Result == result })
}

func asCompared(crawlers []report.Proved) (all []report.Compared) {
	for _, c := range crawlers {
		all = append(all, report.Compared{Agent: c.Agent, SameGroups: c.SameGroups, MadeUp: c.MadeUp})
	}
	return all
}

// withoutCounterexample returns crawlers that refute the statement because they do not follow robots.txt.
func withoutCounterexample(all []report.Proved) []report.Proved {
	return where(with(all, report.Refuted), func(c report.Proved) bool { return c.Counterexample == nil })
}

func refutedSections(all []report.Proved) [][]report.Proved {
	return term.GroupBy(where(with(all, report.Refuted), func(c report.Proved) bool { return c.Counterexample != nil }), func(c report.Proved) string {
		return fmt.Sprintf("%t %s", c.MadeUp, term.Marshal(c.Counterexample))
	})
}

// printCounterexample prints the counterexample of some crawlers:
//
//	Googlebot
//	  /cart/help
//	    A allowed       line 16: Allow: /cart/help
//	    B disallowed    line 4: Disallow: /cart
func (o *prove) printCounterexample(crawlers []report.Proved) {
	o.inputs.Term.Out.WriteString("\n")
	compared := asCompared(crawlers)
	o.inputs.Term.PrintPaintedAfter(term.Bold, "", capitalized(o.namesOf(agentsOf(compared))), 2)
	for _, sentence := range o.sameGroupsInWords(compared) {
		o.inputs.Term.PrintAfter("  ", sentence, 2)
	}
	if crawlers[0].MadeUp {
		o.inputs.Term.PrintAfter("  ", madeUpName, 2)
	}
	e := crawlers[0].Counterexample
	fmt.Fprintf(o.inputs.Term.Out, "  %s\n", o.inputs.Term.FitAfter(printable.Text(e.Witness), 2))
	if e.Decision != nil {
		o.decided("is", *e.Decision)
		return
	}
	o.decided("A", *e.A)
	o.decided("B", *e.B)
}

func (o *prove) others(title string, crawlers []report.Proved) {
	o.listNames(title, agentsOf(asCompared(crawlers)))
}
