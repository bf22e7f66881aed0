package lintcmd

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/heed-robots/heed/cmd/heed/internal/layout"
	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/internal/lint"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/robotstxt"
)

// maxOfCode is how many findings with the same code a terminal shows for one file.
const maxOfCode = 3

func (o *lintRun) printText(l report.Linted) {
	if len(l.Findings) == 0 {
		return
	}
	lines := map[int]string{} // the text of each line that has a finding
	for _, found := range l.Findings {
		lines[found.Line] = ""
	}
	for line := range robotstxt.Parse(l.Body, robotstxt.Google).Lines() { // the dialect Google, because it has no size limit
		if _, shown := lines[line.Number]; shown {
			lines[line.Number] = term.TrimEnd(line.Raw)
		}
	}
	shown, rest := map[string]int{}, map[string]term.LineCount{}
	for _, found := range l.Findings {
		if shown[found.Code]++; o.source.Term.Tty && shown[found.Code] > maxOfCode {
			rest[found.Code] = term.CountLine([]term.LineCount{rest[found.Code]}, term.LineCount{}, found.Line)[0]
		}
	}
	clear(shown)
	for _, found := range l.Findings {
		shown[found.Code]++
		if o.source.Term.Tty && shown[found.Code] > maxOfCode {
			continue
		}
		o.printFinding(l.File, lines[found.Line], found)
		if c := rest[found.Code]; shown[found.Code] == maxOfCode && c.Lines > 0 {
			o.source.Term.PrintPaintedAfter(term.Faint, "  ", fmt.Sprintf("and %d more of %s (%s)", c.Lines, found.Code, c.LineNumbers()), 2)
		}
		o.source.Term.Out.WriteByte('\n')
	}
}

func (o *lintRun) printFinding(name, line string, found lint.Finding) {
	place := printable.Text(name)
	if found.Line > 0 {
		place += fmt.Sprintf(":%d", found.Line)
	}
	if found.Column > 0 {
		place += fmt.Sprintf(":%d", found.Column)
	}
	head := fmt.Sprintf("%s: %s (%s): %s", o.source.Term.Paint(term.Bold, o.source.Term.Fit(place, o.source.Term.Width-1)), found.Code, paintSeverity(o.source.Term, found.Severity, found.Severity.String()), found.Message)
	fmt.Fprintln(o.source.Term.Out, o.source.Term.WrapText(head, o.source.Term.TextWidth(), 2))
	if found.Line > 0 {
		o.printExcerpt(line, found)
	}
	if len(found.Crawlers) > 0 {
		o.printDetail("for", printable.Some(found.Crawlers, ", "))
	}
	if !o.advisedCodes[found.Code] { // all findings with the same code have the same advice
		o.printDetail("to do", lint.RuleOf(found.Code).Fix)
		o.advisedCodes[found.Code] = true
	}
	switch {
	case found.Fix == nil:
	case found.Fix.Safe:
		o.printDetail("fix (safe)", found.Fix.Title)
	default:
		o.printDetail("fix (unsafe)", found.Fix.Title)
	}
}

func (o *lintRun) printDetail(title, text string) {
	fmt.Fprintf(o.source.Term.Out, "  %s\n", o.source.Term.WrapText(o.source.Term.Paint(term.Faint, title+":")+" "+text, o.source.Term.TextWidth(), 4))
}

// Carets ("^") below the line mark what the finding is about.
func (o *lintRun) printExcerpt(line string, found lint.Finding) {
	number := strconv.Itoa(found.Line)
	gutter := len("  ") + len(number) + len(" | ")
	text, before, carets := markedPart(line, found.Column, found.Length, max(o.source.Term.Width-gutter, term.MinCells))
	if text == "" {
		return
	}
	bar := o.source.Term.Paint(term.Faint, "|")
	fmt.Fprintf(o.source.Term.Out, "  %s %s %s\n", o.source.Term.Paint(term.Faint, number), bar, text)
	fmt.Fprintf(o.source.Term.Out, "  %*s %s %*s%s\n", len(number), "", bar, before, "", paintSeverity(o.source.Term, found.Severity, strings.Repeat("^", carets)))
}

// markedPart shortens a line to the number of cells in room. To mark the part, the line below needs spaces and
// then carets ("^"). The results before and carets are the numbers of these spaces and carets.
func markedPart(line string, column, length, room int) (text string, before, carets int) {
	start := min(max(column-1, 0), len(line))
	end := len(line)
	if length > 0 {
		end = min(start+length, len(line))
	}
	left, part, right := cells(line[:start]), cells(line[start:end]), cells(line[end:])
	l, p, r := layout.Width(left), layout.Width(part), layout.Width(right)
	if l+p+r > room {
		fewest := min(l, room/3)
		p = min(p, room-fewest)
		r = min(r, room-fewest-p)
		l = min(l, room-p-r)
		left = lastCells(left, l)
		rest := part + right
		if layout.Width(rest) > p+r {
			rest = layout.Cut(rest, 0, p+r-1) + "…"
		}
		return left + rest, layout.Width(left), max(1, p)
	}
	return left + part + right, l, max(1, p)
}

// If s is wider than width, the result begins with "…".
func lastCells(s string, width int) string {
	n := layout.Width(s)
	if n <= width || width == 0 {
		return layout.Cut(s, n-width, n)
	}
	end := layout.Cut(s, n-width+1, n)
	if layout.Width(end) == width { // the text would begin with the second half of a wide character
		end = layout.Cut(s, n-width+2, n)
	}
	return "…" + end
}

func cells(s string) string { return strings.ReplaceAll(printable.Line(s), "\t", "    ") }

func paintSeverity(a *term.Terminal, s lint.Severity, text string) string {
	switch s {
	case lint.Error:
		return a.Paint(term.Red, text)
	case lint.Warning:
		return a.Paint(term.Magenta, text)
	}
	return a.Paint(term.Faint, text)
}

func (o *lintRun) summary() {
	if len(o.all) == 0 {
		return // no input could be read, and a notice has said why
	}
	o.source.Term.PrintPaintedAfter(term.Bold, "", o.counts(), 0)
	if o.source.Term.Tty && len(o.advisedCodes) > 0 {
		o.source.Term.PrintPaintedAfter(term.Faint, "", "heed lint --explain CODE says more about a code.", 0)
	}
}

func (o *lintRun) counts() string {
	found := map[lint.Severity]int{}
	safe, unsafe := 0, 0
	for _, l := range o.all {
		for _, f := range l.Findings {
			found[f.Severity]++
			switch {
			case f.Fix != nil && f.Fix.Safe:
				safe++
			case f.Fix != nil:
				unsafe++
			}
		}
	}
	var parts []string
	for _, severity := range []lint.Severity{lint.Error, lint.Warning, lint.Note} {
		if n := found[severity]; n > 0 {
			parts = append(parts, printable.Counted(n, severity.String()))
		}
	}
	if found[lint.Error] > 0 && len(parts) > 1 { // name the codes, because errors between other findings are easily overlooked
		parts[0] += fmt.Sprintf(" (%s)", printable.Some(o.errorCodes(), ", "))
	}
	if o.fix { // --fix was given, so advice to use --fix would not help
		safe = 0
		if o.unsafeFixes {
			unsafe = 0
		}
	}
	text := cmp.Or(strings.Join(parts, ", "), "No findings")
	text += " in " + printable.Counted(len(o.all), "file") + "."
	switch {
	case safe > 0 && unsafe > 0:
		text += fmt.Sprintf(" %d can be fixed with --fix, %d more with --unsafe-fixes.", safe, unsafe)
	case safe > 0:
		text += fmt.Sprintf(" %d can be fixed with --fix.", safe)
	case unsafe > 0:
		text += fmt.Sprintf(" %d can be fixed with --fix --unsafe-fixes.", unsafe)
	}
	return text
}

func (o *lintRun) errorCodes() (codes []string) {
	for _, l := range o.all {
		for _, f := range l.Findings {
			if f.Severity == lint.Error && !slices.Contains(codes, f.Code) {
				codes = append(codes, f.Code)
			}
		}
	}
	return codes
}

func (o *lintRun) explainRule(code string) error {
	if err := checkCode(code); err != nil {
		return fmt.Errorf("--explain: %w", err)
	}
	rule := lint.RuleOf(code)
	fmt.Fprintf(o.source.Term.Out, "%s (%s)\n", o.source.Term.Paint(term.Bold, rule.Code), paintSeverity(o.source.Term, rule.Severity, rule.Severity.String()))
	o.source.Term.PrintWrapped(2, 2, rule.Summary)
	o.source.Term.PrintHeading("Why it matters")
	o.source.Term.PrintWrapped(2, 2, rule.Why)
	o.source.Term.PrintHeading("What to do")
	o.source.Term.PrintWrapped(2, 2, rule.Fix)
	o.example("With this finding", rule.BadExample())
	o.example("Without it", rule.Good)
	return nil
}

func (o *lintRun) example(title, text string) {
	if text == "" {
		return
	}
	o.source.Term.PrintHeading(title)
	for _, line := range ExampleLines(text) {
		fmt.Fprintln(o.source.Term.Out, strings.TrimRight("  "+o.source.Term.FitAfter(line, 2), " "))
	}
}

const maxExampleLines, maxExampleWidth = 12, 76

// ExampleLines returns the lines of an example as heed shows them.
func ExampleLines(text string) (lines []string) {
	for line := range strings.Lines(lint.Shown(text)) {
		if len(lines) == maxExampleLines {
			return append(lines, "…")
		}
		lines = append(lines, layout.Middle(term.PrintableLine(line), maxExampleWidth))
	}
	return lines
}

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
