package lintcmd

import (
	"bytes"
	"fmt"
	"strings"

	textdiff "github.com/rogpeppe/go-internal/diff"

	"github.com/heed-robots/heed/cmd/heed/internal/replace"
	"github.com/heed-robots/heed/cmd/heed/internal/sites"
	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/internal/lint"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/report"
)

// After a fix, another fix may become possible, so heed lints the file again.
const maxRounds = 100

func (o *lintRun) fixFile(l *lintedInput) error {
	if !o.fix && !o.diff {
		return nil
	}
	fixed, stopped, err := makeFixes(l.Linted, l.settings, !o.unsafeFixes)
	if stopped {
		o.source.Term.Notice(l.File + ": there are too many fixes for one run: run heed again to apply the rest")
	}
	switch {
	case err != nil || bytes.Equal(fixed.Body, l.Body):
		return err
	case l.isReadOnly() && !o.diff && o.format != "text":
		o.source.Term.Notice(l.File + ": heed cannot write to a site, to standard input or into a Git commit; --diff shows what --fix would write")
		return nil
	case l.isReadOnly() || o.diff:
		if !o.diff {
			o.source.Term.Notice(l.File + ": heed cannot write to a site, to standard input or into a Git commit, so it only shows what --fix would write")
		}
		o.printDiff(textdiff.Diff(l.File, l.Body, l.File, fixed.Body))
		return nil
	}
	if err := replace.File(l.File, l.Body, fixed.Body); err != nil {
		return err
	}
	o.source.Term.Notice(fmt.Sprintf("%s: %s", l.File, fixedMessage(l.Findings, fixed.Findings, o.unsafeFixes)))
	l.Linted = fixed
	return nil
}

func (l *lintedInput) isReadOnly() bool { return l.isSite || l.File == "-" || sites.IsGit(l.File) }

// makeFixes makes the unsafe fixes together with the safe ones, because package lint compares all fixes of a file.
func makeFixes(l report.Linted, settings *lintSettings, onlySafe bool) (fixed report.Linted, isCutShort bool, err error) {
	fixed, isCutShort = applyFixes(l, settings, onlySafe)
	if onlySafe && !bytes.Equal(fixed.Body, l.Body) && !lint.ChangesNothing(l.Body, fixed.Body) {
		err = fmt.Errorf("%s is not changed, because heed cannot prove that all safe fixes together leave every verdict as it is: look at the fixes with --diff", l.File)
	}
	return fixed, isCutShort, err
}

// If the output does not go to a terminal, it is written without changes, so that the program "patch" can read it. On a
// terminal, bytes that could control the terminal are removed.
func (o *lintRun) printDiff(text []byte) {
	if !o.source.Term.Tty {
		o.source.Term.Out.Write(text)
		return
	}
	for line := range strings.Lines(string(text)) {
		colour := map[byte]string{'+': term.Green, '-': term.Red, '@': term.Faint}[line[0]]
		if line = term.PrintableLine(line); colour != "" {
			line = o.source.Term.Paint(colour, line)
		}
		fmt.Fprintln(o.source.Term.Out, line)
	}
}

// The limit for the work of all fixes: each fix in each round adds the size of the file in bytes. Without this limit, a
// hostile file would take almost a minute.
const maxFixing = 32 << 20

// isCutShort is true if a limit left fixes out.
func applyFixes(l report.Linted, settings *lintSettings, onlySafe bool) (fixed report.Linted, isCutShort bool) {
	work := 0
	for range maxRounds {
		var fixes []lint.Fix
		for _, found := range fixable(l.Findings, !onlySafe) {
			fixes = append(fixes, *found.Fix)
		}
		work += len(l.Body) * len(fixable(l.Findings, true))
		body := fixedBody(l.Body, fixes, onlySafe)
		if bytes.Equal(body, l.Body) {
			return l, false
		}
		l.Body, l.Findings = body, settings.findings(body)
		if work > maxFixing {
			break
		}
	}
	return l, len(fixable(l.Findings, !onlySafe)) > 0
}

// If safe fixes together change a verdict, fixedBody tries only the first half of them, then a quarter, and so on.
func fixedBody(body []byte, fixes []lint.Fix, onlySafe bool) []byte {
	for n := len(fixes); n > 0; n /= 2 {
		next, _ := lint.Apply(body, fixes[:n])
		if !onlySafe || lint.ChangesNothing(body, next) {
			return next
		}
	}
	return body
}

// fixedMessage counts the findings that had a fix. Because of a fix, other findings may go or come.
func fixedMessage(before, after []lint.Finding, unsafeFixes bool) string {
	left := map[string]int{}
	for _, found := range fixable(after, unsafeFixes) {
		left[found.Code]++
	}
	var gone []term.LineCount
	total := 0
	for _, found := range fixable(before, unsafeFixes) {
		if left[found.Code] > 0 {
			left[found.Code]--
			continue
		}
		total++
		gone = term.CountLine(gone, term.LineCount{Name: found.Code}, total)
	}
	var names []string
	for _, c := range gone {
		names = append(names, fmt.Sprintf("%s %d", c.Name, c.Lines))
	}
	return fmt.Sprintf("fixed %s (%s)", printable.Counted(total, "finding"), strings.Join(names, ", "))
}

func fixable(findings []lint.Finding, unsafeFixes bool) (some []lint.Finding) {
	for _, found := range findings {
		if found.Fix != nil && (found.Fix.Safe || unsafeFixes) {
			some = append(some, found)
		}
	}
	return some
}
