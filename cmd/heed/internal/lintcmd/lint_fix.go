package lintcmd

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
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
	fixed, err := makeFixes(l.Linted, l.settings, !o.unsafeFixes)
	if fixed.isCutShort {
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
	o.source.Term.Notice(l.File + ": " + fixed.message())
	l.Linted = fixed.Linted
	return nil
}

func (l *lintedInput) isReadOnly() bool { return l.isSite || l.File == "-" || sites.IsGit(l.File) }

// A fixedFile is a file after its fixes. In the maps, a key is the code of findings, and the value is the number of
// findings with this code.
type fixedFile struct {
	report.Linted
	done       map[string]int // the findings that had a fix before, and are gone
	doneLater  map[string]int // the findings that only came up after a fix, and were fixed too
	left       int            // how many findings with an unsafe fix only came up after a fix
	isCutShort bool           // a limit left fixes out
}

// makeFixes makes the unsafe fixes together with the safe ones, because package lint compares all fixes of a file.
func makeFixes(l report.Linted, settings *lintSettings, onlySafe bool) (fixedFile, error) {
	fixed := applyFixes(l, settings, onlySafe)
	if onlySafe && !bytes.Equal(fixed.Body, l.Body) && !lint.ChangesNothing(l.Body, fixed.Body) {
		return fixed, fmt.Errorf("%s is not changed, because heed cannot prove that all safe fixes together leave every verdict as it is: look at the fixes with --diff", l.File)
	}
	return fixed, nil
}

// If the output does not go to a terminal, printDiff writes the text without changes. So the program "patch" can read
// the text. On a terminal, bytes that could control the terminal are removed.
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

// maxFixing limits the work for the fixes of a file. In each round, each fix adds the size of the file in bytes to
// the work. Without this limit, a hostile file would take almost a minute.
const maxFixing = 32 << 20

// A finding may first come up after a fix of another finding. Nobody has seen such a finding before. So applyFixes
// uses only a safe fix for it.
func applyFixes(l report.Linted, settings *lintSettings, onlySafe bool) fixedFile {
	fixed := fixedFile{Linted: l, done: map[string]int{}, doneLater: map[string]int{}}
	known := countCodes(fixable(l.Findings, !onlySafe)) // the findings of l that still need a fix
	work := 0
	for range maxRounds {
		var findings []lint.Finding
		var fixes []lint.Fix
		for _, found := range fixable(fixed.Findings, !onlySafe) {
			if found.Fix.Safe || known[found.Code] > 0 {
				findings, fixes = append(findings, found), append(fixes, *found.Fix)
			}
		}
		work += len(fixed.Body) * len(fixable(fixed.Findings, true))
		body, applied := fixedBody(fixed.Body, fixes, onlySafe)
		if bytes.Equal(body, fixed.Body) {
			if !onlySafe {
				fixed.left = len(fixable(fixed.Findings, true))
			}
			return fixed
		}
		before := countCodes(fixed.Findings)
		for _, i := range applied {
			code, done := findings[i].Code, fixed.done
			if before[code]--; known[code] == 0 {
				done = fixed.doneLater
			} else {
				known[code]--
			}
			done[code]++
		}
		fixed.Body, fixed.Findings = body, settings.findings(body)
		after := countCodes(fixed.Findings)
		for code, n := range known {
			if gone := min(n, before[code]-after[code]); gone > 0 { // the fix of another finding on the same line fixes this finding too
				fixed.done[code] += gone
				known[code] -= gone
			}
		}
		if work > maxFixing {
			break
		}
	}
	fixed.isCutShort = len(fixable(fixed.Findings, !onlySafe)) > 0
	return fixed
}

func countCodes(findings []lint.Finding) map[string]int {
	counts := map[string]int{}
	for _, found := range findings {
		counts[found.Code]++
	}
	return counts
}

// If safe fixes together change a verdict, fixedBody tries only the first half of them, then a quarter, and so on. It
// returns the indexes of the fixes that it applied.
func fixedBody(body []byte, fixes []lint.Fix, onlySafe bool) (newBody []byte, applied []int) {
	for n := len(fixes); n > 0; n /= 2 {
		newBody, applied = lint.Apply(body, fixes[:n])
		if !onlySafe || lint.ChangesNothing(body, newBody) {
			return newBody, applied
		}
	}
	return body, nil
}

func (f *fixedFile) message() string {
	text := "fixed " + countFindings(f.done, "finding")
	if len(f.doneLater) > 0 {
		text += ", and then " + countFindings(f.doneLater, "new finding")
	}
	if f.left > 0 {
		text += fmt.Sprintf("; a second run can fix %d more, which came up only after these fixes", f.left)
	}
	return text
}

// countFindings returns a text such as "3 findings (missing-colon 2, path-start 1)".
func countFindings(counts map[string]int, noun string) string {
	total := 0
	var names []string
	for _, code := range slices.Sorted(maps.Keys(counts)) {
		total += counts[code]
		names = append(names, fmt.Sprintf("%s %d", code, counts[code]))
	}
	return fmt.Sprintf("%s (%s)", printable.Counted(total, noun), strings.Join(names, ", "))
}

func fixable(findings []lint.Finding, unsafeFixes bool) (some []lint.Finding) {
	for _, found := range findings {
		if found.Fix != nil && (found.Fix.Safe || unsafeFixes) {
			some = append(some, found)
		}
	}
	return some
}
