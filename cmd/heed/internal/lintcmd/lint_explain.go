package lintcmd

import (
	"fmt"
	"strings"

	"github.com/heed-robots/heed/cmd/heed/internal/layout"
	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/internal/lint"
)

// explainRule shows what a rule is about.
func (o *lintRun) explainRule(code string) error {
	if err := checkCode(code); err != nil {
		return fmt.Errorf("--explain: %w", err)
	}
	rule := lint.RuleOf(code)
	fmt.Fprintf(o.source.Term.Out, "%s (%s)\n", o.source.Term.Paint(term.Bold, rule.Code), paintSeverity(o.source.Term, rule.Severity, rule.Severity.String()))
	o.source.Term.Wrap(2, 2, rule.Summary)
	o.source.Term.Heading("Why it matters")
	o.source.Term.Wrap(2, 2, rule.Why)
	o.source.Term.Heading("What to do")
	o.source.Term.Wrap(2, 2, rule.Mend)
	o.example("With this finding", rule.Bad)
	o.example("Without it", rule.Good)
	return nil
}

// example shows an example of a rule, if it has one.
func (o *lintRun) example(title, text string) {
	if text == "" {
		return
	}
	o.source.Term.Heading(title)
	for _, line := range ExampleLines(text) {
		fmt.Fprintln(o.source.Term.Out, strings.TrimRight("  "+o.source.Term.FitAfter(line, 2), " "))
	}
}

// Limits of an example: those about long lines and large files are cut.
const maxExampleLines, maxExampleWidth = 12, 76

// ExampleLines returns the lines of an example as they are shown.
func ExampleLines(text string) (lines []string) {
	for line := range strings.Lines(lint.Shown(text)) {
		if len(lines) == maxExampleLines {
			return append(lines, "…")
		}
		lines = append(lines, layout.Middle(term.PrintableLine(line), maxExampleWidth))
	}
	return lines
}

// codesHelp lists the codes of the rules, for the help.
func codesHelp() string {
	var paragraphs []string
	for _, severity := range severities {
		var codes []string
		for _, rule := range lint.Rules() {
			if rule.Severity.String() == severity {
				codes = append(codes, rule.Code)
			}
		}
		paragraphs = append(paragraphs, fmt.Sprintf("Codes (%s): %s", severity, strings.Join(codes, ", ")))
	}
	return strings.Join(paragraphs, "\n\n")
}
