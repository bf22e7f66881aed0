package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	textdiff "github.com/rogpeppe/go-internal/diff"

	"github.com/heed-robots/heed/lint"
	"github.com/heed-robots/heed/report"
)

// maxRounds limits how often a file is linted again after some of its findings are mended.
const maxRounds = 10

// mend applies the fixes that are asked for: it writes the file, or shows the difference.
func (o *lintRun) mend(l *report.Linted, settings *lintSettings) error {
	if !o.fix && !o.diff {
		return nil
	}
	mended, err := safelyMended(*l, settings)
	if err == nil && o.unsafeFixes {
		mended, err = applyFixes(mended, settings, false)
	}
	switch {
	case err != nil || bytes.Equal(mended.Body, l.Body):
		return err
	case o.diff:
		o.printDiff(textdiff.Diff(l.File, l.Body, l.File, mended.Body))
		return nil
	}
	if err := replaceFile(l.File, l.Body, mended.Body); err != nil {
		return err
	}
	o.notice(fmt.Sprintf("%s: %s", l.File, whatIsMended(l.Findings, mended.Findings)))
	*l = mended
	return nil
}

// safelyMended returns a file with its safe fixes applied. They are proved once more, all
// together.
func safelyMended(l report.Linted, settings *lintSettings) (report.Linted, error) {
	mended, err := applyFixes(l, settings, true)
	if err == nil && !bytes.Equal(mended.Body, l.Body) && !lint.ChangesNothing(l.Body, mended.Body) {
		err = fmt.Errorf("%s: the safe fixes together are not proved to change no verdict, so nothing is written", l.File)
	}
	return mended, err
}

// printDiff prints a difference: as it is, so that patch can read it, but on a terminal in
// colours and without what could control it.
func (o *lintRun) printDiff(text []byte) {
	if !o.tty {
		o.out.Write(text)
		return
	}
	for line := range strings.Lines(string(text)) {
		colour := map[byte]string{'+': green, '-': red, '@': faint}[line[0]]
		if line = printableLine(line); colour != "" {
			line = o.paint(colour, line)
		}
		fmt.Fprintln(o.out, line)
	}
}

// applyFixes returns a file with its fixes applied, only the safe ones or all. A fix may make
// others possible, so it lints the result again.
func applyFixes(l report.Linted, settings *lintSettings, onlySafe bool) (report.Linted, error) {
	for range maxRounds {
		var fixes []lint.Fix
		for _, found := range l.Findings {
			if found.Fix != nil && (found.Fix.Safe || !onlySafe) {
				fixes = append(fixes, *found.Fix)
			}
		}
		body := applied(l.Body, fixes, onlySafe)
		if bytes.Equal(body, l.Body) {
			break
		}
		findings, err := settings.findings(body)
		if err != nil {
			return l, fmt.Errorf("%s, %w", l.File, err)
		}
		l.Body, l.Findings = body, findings
	}
	return l, nil
}

// applied returns a file with the first of some fixes applied: with all of them, unless
// they must be safe and are not safe together. Of two equal lines, each can go, but not both.
func applied(body []byte, fixes []lint.Fix, onlySafe bool) []byte {
	for n := len(fixes); n > 0; n /= 2 {
		next, _ := lint.Apply(body, fixes[:n])
		if !onlySafe || lint.ChangesNothing(body, next) {
			return next
		}
	}
	return body
}

// whatIsMended says which findings are gone, such as "fixed 3 findings (tie, path-start 2)".
func whatIsMended(before, after []lint.Finding) string {
	left := map[string]int{}
	for _, found := range after {
		left[found.Code]++
	}
	var gone []counted
	total := 0
	for _, found := range before {
		if left[found.Code] > 0 {
			left[found.Code]--
			continue
		}
		total++
		gone = count(gone, counted{name: found.Code}, total)
	}
	var names []string
	for _, c := range gone {
		names = append(names, fmt.Sprintf("%s %d", c.name, c.lines))
	}
	return fmt.Sprintf("fixed %s (%s)", report.Counted(total, "finding"), strings.Join(names, ", "))
}

// replaceFile writes a file in one step: whoever reads it gets the old or the new text. Its
// mode stays, and a symbolic link stays one. Only a file that may be written, and that is still
// as it was read, is replaced.
func replaceFile(name string, old, body []byte) (err error) {
	if name, err = filepath.EvalSymlinks(name); err != nil {
		return err
	}
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is no regular file, so --fix cannot write it: --diff shows the fixes", name)
	}
	if err := checkUnchanged(name, info.Mode(), old, body); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*.tmp")
	if err != nil {
		return err
	}
	_, err = f.Write(body)
	err = errors.Join(err, f.Chmod(info.Mode().Perm()), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// checkUnchanged returns an error unless a file may be written, and has the old text still or the
// new one already: it may be given twice.
func checkUnchanged(name string, mode os.FileMode, old, body []byte) error {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err == nil && mode.Perm()&0o222 == 0 { // root may write every file
		err = errors.Join(f.Close(), fmt.Errorf("%s is read-only", name))
	}
	if err != nil {
		return fmt.Errorf("nothing is written: %w", err)
	}
	defer f.Close()
	now, err := io.ReadAll(f)
	if err == nil && !bytes.Equal(now, old) && !bytes.Equal(now, body) {
		err = fmt.Errorf("%s changed while heed read it, so nothing is written: run heed again", name)
	}
	return err
}
