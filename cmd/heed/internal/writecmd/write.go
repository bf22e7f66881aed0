// Package writecmd has the command "heed write".
package writecmd

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cmd/heed/internal/exit"
	"github.com/heed-robots/heed/cmd/heed/internal/flags"
	"github.com/heed-robots/heed/cmd/heed/internal/replace"
	"github.com/heed-robots/heed/cmd/heed/internal/sites"
	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/compare"
	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/expected"
	"github.com/heed-robots/heed/internal/input"
	"github.com/heed-robots/heed/internal/lint"
	"github.com/heed-robots/heed/internal/policyfile"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/robotstxt"
)

type write struct {
	inputs                      sites.Inputs
	known                       sites.Known
	check, from, output, format string
}

//go:embed write.txt
var writeHelp string

func Command(a *term.Terminal) *cobra.Command {
	o := &write{inputs: sites.Inputs{Live: sites.Live{Term: a}}}
	c := flags.WithHelp(strings.NewReplacer("{SOURCES}", sites.InputsHelp, "{PURPOSES}", strings.Join(printable.Words(crawlers.Purposes()), ", ")).Replace(writeHelp), &cobra.Command{
		Use:   "write POLICY | --from SOURCE",
		Short: "Write a robots.txt from what you want, and prove it",
		Args:  o.checkArgs,
		RunE:  func(_ *cobra.Command, args []string) error { return o.run(args) },
	})
	c.Flags().StringVar(&o.check, "check", "", "write nothing, but say whether the robots.txt of this `SOURCE` still means the same as the policy")
	c.Flags().StringVar(&o.from, "from", "", "make a policy from the robots.txt of this `SOURCE`")
	c.Flags().StringVarP(&o.output, "output", "o", "", "`FILE` to write; it is replaced only if everything is proved")
	flags.FormatFlag(c, &o.format, "text", "json")
	o.known.CrawlersFlag(a, c)
	o.inputs.SourceFlags(c)
	return c
}

func (o *write) checkArgs(_ *cobra.Command, args []string) error {
	switch {
	case o.from != "" && (len(args) > 0 || o.check != ""):
		return errors.New("--from makes a policy from a robots.txt, so it needs no policy: remove --check and the name of the policy")
	case o.from == "" && len(args) != 1:
		return errors.New(`expected one argument, a policy file, such as robots.policy, or "-" for standard input; "heed write --help" shows an example, and "heed write --from robots.txt" makes a policy file`)
	case o.check == "-" && args[0] == "-":
		return errors.New("standard input cannot be both the policy and the robots.txt: give one of them as a file")
	case o.check != "" && o.output != "":
		return errors.New("--check only compares, and writes nothing: leave --output out")
	}
	return o.inputs.Live.Check()
}

func (o *write) run(args []string) error {
	ctx, stop := term.Interruptible()
	defer stop()
	if o.from != "" {
		return o.draw(ctx)
	}
	f, notes, err := o.read(args[0])
	defer func() { // the notes come last in the output, where people see them
		for _, note := range notes {
			o.inputs.Term.Notice("note: " + note)
		}
	}()
	if err != nil || f == nil {
		return err
	}
	if o.check != "" {
		return o.checkFile(ctx, f)
	}
	return o.writeRobots(ctx, f)
}

// read prints the errors of a policy. If there are any, f is nil.
func (o *write) read(name string) (f *policyfile.File, notes []string, err error) {
	in, err := o.inputs.Term.OpenInput(name)
	if err != nil {
		return nil, nil, fmt.Errorf("policy: %w", err)
	}
	defer in.Close()
	text, err := io.ReadAll(io.LimitReader(in, policyfile.MaxBytes+1))
	if err != nil {
		return nil, nil, fmt.Errorf("policy: %w", err)
	}
	if name == "-" {
		name = "the policy"
	}
	f, notes, wrong := policyfile.Read(name, string(text), o.known.KnownTable())
	for _, err := range wrong {
		o.inputs.Term.Complain(err)
	}
	if len(wrong) > 0 {
		f = nil
	}
	return f, notes, nil
}

func (o *write) writeRobots(ctx context.Context, f *policyfile.File) error {
	written, err := f.Write(ctx, o.known.KnownTable(), expected.With(o.known.KnownTable()))
	if o.printUnexpected(err) {
		return nil
	} else if err != nil {
		return err
	}
	text := []byte(written.Robots)
	if o.format == "json" {
		text = append(term.Marshal(written), '\n')
	}
	if err := o.put(text); err != nil {
		return err
	}
	if o.format == "text" {
		o.tell(written)
	}
	return nil
}

func (o *write) printUnexpected(err error) bool {
	unexpected := (*policyfile.Unexpected)(nil)
	if !errors.As(err, &unexpected) {
		return false
	}
	o.inputs.Term.Raise(exit.Disallowed)
	first, _, _ := strings.Cut(err.Error(), "\n")
	o.inputs.Term.Notice(first)
	for _, err := range unexpected.Unwrap() {
		o.inputs.Term.Notice(err.Error())
	}
	return true
}

func (o *write) put(text []byte) error {
	if o.output == "" || o.output == "-" {
		_, err := o.inputs.Term.Out.Write(text)
		return err
	}
	return replace.OrCreate(o.output, text)
}

func (o *write) tell(w *policyfile.Written) {
	t := o.inputs.Term
	proof := fmt.Sprintf("proved: the robots.txt means %s for %s, in RFC 9309 and for Google", w.Policy, w.Proof.For)
	if w.Cases > 0 {
		proof += fmt.Sprintf("; %s", printable.Counted(w.Cases, "expectation")+" tested")
	}
	t.Notice(proof)
	for _, g := range w.Groups {
		var whom []string
		for _, s := range g.Sections {
			whom = append(whom, s.InWords())
		}
		t.Notice(fmt.Sprintf("robots.txt line %d: %s: %s", g.Line, strings.Join(whom, ", "), g.InWords()))
	}
	for _, note := range slices.Concat(w.Notes, w.Proof.OthersInWords) {
		t.Notice("note: " + note)
	}
}

func (o *write) checkFile(ctx context.Context, f *policyfile.File) error {
	file, err := o.readSource(o.check)
	if err != nil {
		return err
	}
	proof, err := f.Check(ctx, file, o.known.KnownTable(), expected.With(o.known.KnownTable()))
	if err != nil && !o.printUnexpected(err) {
		return fmt.Errorf("%s: %w", o.check, err)
	}
	switch proof.Result {
	case compare.Differs.String():
		o.inputs.Term.Raise(exit.Disallowed)
	case compare.Undecided.String():
		o.inputs.Term.Raise(exit.Undetermined)
	}
	if o.format == "json" {
		o.inputs.Term.Out.Write(append(term.Marshal(proof), '\n'))
		return nil
	}
	o.showProof(f.Name, proof)
	return nil
}

func (o *write) readSource(name string) (*robotstxt.File, error) {
	all, err := o.inputs.ReadInputs(robotstxt.RFC9309, name)
	if err != nil {
		return nil, err
	}
	return all[0].File, nil
}

// showMistakes prints the errors that lint finds in a robots.txt. A policy that is made from this robots.txt repeats
// most of these errors.
func (o *write) showMistakes(file *robotstxt.File) {
	body := []byte(file.Body())
	comments := lint.Comments(body)
	for _, found := range lint.Check(body) {
		if found.Severity == lint.Error && !lint.Hidden(found, comments) {
			if found.Line == 0 {
				o.inputs.Term.Notice("the robots.txt: " + found.Message)
				continue
			}
			o.inputs.Term.Notice(fmt.Sprintf("line %d is probably a mistake: %s", found.Line, found.Message))
		}
	}
}

func (o *write) showProof(policy string, p *policyfile.Proof) {
	t := o.inputs.Term
	source, policy := printable.Text(input.NameOf(o.check)), printable.Text(policy)
	switch p.Result {
	case compare.Equal.String():
		t.PrintWrapped(0, 2, fmt.Sprintf("%s means %s: proved for %s", source, policy, p.For))
	case compare.Undecided.String():
		t.PrintWrapped(0, 2, fmt.Sprintf("It could not be found out whether %s means %s: that takes too much work", source, policy))
	default:
		t.PrintWrapped(0, 2, fmt.Sprintf("%s does not mean %s:", source, policy))
	}
	sameURL := func(d policyfile.PolicyDifference) string { return d.What + " " + d.Witness }
	fact := ""
	for i, d := range slices.Concat(term.GroupBy(p.Differences, sameURL)...) {
		if next := d.Fact(); next != fact {
			if fact = next; i > 0 {
				fmt.Fprintln(t.Out)
			}
			t.PrintWrapped(2, 4, fact)
		}
		showCrawlers(t, &d)
	}
	if len(p.Differences) >= policyfile.MaxWitnesses {
		t.PrintWrapped(0, 2, fmt.Sprintf("For each group whose rules differ, at most %d URLs are shown: other URLs may differ too, and a URL may differ for more crawlers than are named.", policyfile.MaxWitnesses))
	}
	if slices.ContainsFunc(p.Differences, func(d policyfile.PolicyDifference) bool { return d.Unnamed }) {
		fmt.Fprintln(t.Out)
		t.PrintWrapped(0, 2, "The file does not name some crawlers: perhaps "+policyfile.WhyUnnamed+".")
	}
	for _, note := range p.Notes {
		t.Notice("note: " + note)
	}
}

func showCrawlers(t *term.Terminal, d *policyfile.PolicyDifference) {
	whom := d.Whom()
	if whom == "" {
		return
	}
	if d.Unnamed {
		whom += "; the file does not name them"
	}
	t.PrintWrapped(4, 6, "for "+whom)
}

func (o *write) draw(ctx context.Context) error {
	file, err := o.readSource(o.from)
	if err != nil {
		return err
	}
	drawn, err := policyfile.From(ctx, filepath.Base(input.NameOf(o.from)), file, o.known.KnownTable())
	if err != nil {
		return fmt.Errorf("%s: %w", o.from, err)
	}
	text := []byte(drawn.Policy)
	if o.format == "json" {
		text = append(term.Marshal(drawn), '\n')
	}
	if err := o.put(text); err != nil || o.format == "json" {
		return err
	}
	o.inputs.Term.Notice(fmt.Sprintf("proved: the policy means the same as the robots.txt, for %s; the policy has %s, from %s",
		drawn.Proof.For, printable.Counted(drawn.Rules, "rule"), printable.Counted(drawn.Lines, "line")))
	for _, finding := range drawn.Findings {
		o.inputs.Term.Notice(finding)
	}
	o.showMistakes(file)
	o.inputs.Term.Notice(`"heed lint" shows what is wrong in the robots.txt, and "heed diff" shows what another robots.txt would change`)
	return nil
}
