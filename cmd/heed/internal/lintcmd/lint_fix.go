package lintcmd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	textdiff "github.com/rogpeppe/go-internal/diff"

	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/internal/lint"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/report"
)

// maxRounds limits how often a file is linted again after some of its findings are mended.
const maxRounds = 10

// mend applies the fixes that are asked for: it writes the file, or shows the difference.
func (o *lintRun) mend(l *report.Linted, settings *lintSettings) error {
	if !o.fix && !o.diff {
		return nil
	}
	mended, stopped, err := safelyMended(*l, settings)
	if err == nil && o.unsafeFixes {
		mended, stopped = applyFixes(mended, settings, false)
	}
	if stopped {
		o.source.Term.Notice(l.File + ": heed stops before all fixes are applied, because these are very many for the size of the file: run it again for the next ones")
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
	o.source.Term.Notice(fmt.Sprintf("%s: %s", l.File, whatIsMended(l.Findings, mended.Findings)))
	*l = mended
	return nil
}

// safelyMended returns a file with its safe fixes applied. They are proved once more, all
// together.
func safelyMended(l report.Linted, settings *lintSettings) (mended report.Linted, stopped bool, err error) {
	mended, stopped = applyFixes(l, settings, true)
	if !bytes.Equal(mended.Body, l.Body) && !lint.ChangesNothing(l.Body, mended.Body) {
		err = fmt.Errorf("%s: the safe fixes together are not proved to change no verdict, so nothing is written", l.File)
	}
	return mended, stopped, err
}

// printDiff prints a difference: as it is, so that patch can read it, but on a terminal in
// colours and without what could control it.
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

// maxMending limits the work of mending one file: for each time it is linted again, the bytes that
// the proofs of its fixes read. Without it, a file made to be slow takes most of a minute.
const maxMending = 32 << 20

// applyFixes returns a file with its fixes applied, only the safe ones or all. A fix may make
// others possible, so it lints the result again. If it has stopped because that takes too long, there
// may be more fixes.
func applyFixes(l report.Linted, settings *lintSettings, onlySafe bool) (mended report.Linted, stopped bool) {
	work := 0
	for range maxRounds {
		var fixes []lint.Fix
		for _, found := range l.Findings {
			if found.Fix != nil {
				work += len(l.Body)
				if found.Fix.Safe || !onlySafe {
					fixes = append(fixes, *found.Fix)
				}
			}
		}
		body := applied(l.Body, fixes, onlySafe)
		if bytes.Equal(body, l.Body) {
			return l, false
		}
		l.Body, l.Findings = body, settings.findings(body)
		if work > maxMending {
			break
		}
	}
	return l, slices.ContainsFunc(l.Findings, func(found lint.Finding) bool { return found.Fix != nil && (found.Fix.Safe || !onlySafe) })
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
	var gone []term.Counted
	total := 0
	for _, found := range before {
		if left[found.Code] > 0 {
			left[found.Code]--
			continue
		}
		total++
		gone = term.Count(gone, term.Counted{Name: found.Code}, total)
	}
	var names []string
	for _, c := range gone {
		names = append(names, fmt.Sprintf("%s %d", c.Name, c.Lines))
	}
	return fmt.Sprintf("fixed %s (%s)", printable.Counted(total, "finding"), strings.Join(names, ", "))
}

// replaceFile writes a file. Its mode and owner stay, a symbolic link stays one, and its other names
// (hard links) stay names of it. Only a file that may be written, and that is still as it was read, is
// replaced.
//
// If it can, it puts a new file in its place in one step, so whoever reads the file gets the old or
// the new text. That would cut off other names, often cannot keep the owner, and is impossible for a
// file that is mounted in a container: then it writes in place, and a copy of the old text is beside
// the file until that is done.
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
	if now, err := checkUnchanged(name, info.Mode(), old, body); err != nil || bytes.Equal(now, body) {
		return err
	}
	if !hasOtherNames(info) {
		if replaced, err := replaceInOneStep(name, info, body); replaced || err != nil {
			return err
		}
	}
	return writeInPlace(name, info, old, body)
}

// replaceInOneStep puts a new file in the place of another; replaced is false if that would change
// the owner, or is impossible.
func replaceInOneStep(name string, info os.FileInfo, body []byte) (replaced bool, err error) {
	beside, err := writeBeside(name, info, body)
	switch {
	case errors.Is(err, errOwner):
		return false, os.Remove(beside)
	case err != nil:
		return false, notBeside(name, beside, err)
	}
	if err := os.Rename(beside, name); err != nil {
		return false, os.Remove(beside)
	}
	return true, nil
}

// writeInPlace writes a file, and keeps the old text beside it until that is done.
func writeInPlace(name string, info os.FileInfo, old, body []byte) error {
	saved, err := writeBeside(name, info, old)
	if err != nil && !errors.Is(err, errOwner) {
		return notBeside(name, saved, err)
	}
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err == nil {
		_, err = f.Write(body)
		if err == nil {
			err = f.Truncate(int64(len(body)))
		}
		err = errors.Join(err, f.Sync(), f.Close())
	}
	if err != nil {
		return fmt.Errorf("%w; the old text is in %s", err, saved)
	}
	return os.Remove(saved)
}

// notBeside removes a file that writeBeside could not write, and returns the error about it.
func notBeside(name, beside string, err error) error {
	if beside != "" {
		os.Remove(beside)
	}
	var of *fs.PathError
	if errors.As(err, &of) {
		err = of.Err // the name of the new file means nothing to people
	}
	return fmt.Errorf("%s: nothing is written, because heed cannot write a new file into its folder: %w", name, err)
}

// errOwner means that a file could not be given the owner of another.
var errOwner = errors.New("the owner cannot be kept")

// writeBeside writes a new file in the folder of another, with its mode and owner, and returns the
// name. If only the owner is another one, the error is errOwner.
func writeBeside(name string, like os.FileInfo, text []byte) (string, error) {
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*.tmp")
	if err != nil {
		return "", err
	}
	_, err = f.Write(text)
	owner := giveOwner(f, like)
	err = errors.Join(err, f.Chmod(like.Mode().Perm()), f.Sync(), f.Close())
	if err == nil && owner != nil {
		err = errOwner
	}
	return f.Name(), err
}

// checkUnchanged returns the text of a file, and an error unless the file may be written and has the
// old text still, or the new one already: it may be given twice.
func checkUnchanged(name string, mode os.FileMode, old, body []byte) (now []byte, err error) {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err == nil && mode.Perm()&0o222 == 0 { // root may write every file
		err = errors.Join(f.Close(), fmt.Errorf("%s is read-only", name))
	}
	if err != nil {
		return nil, fmt.Errorf("nothing is written: %w", err)
	}
	defer f.Close()
	now, err = io.ReadAll(f)
	if err == nil && !bytes.Equal(now, old) && !bytes.Equal(now, body) {
		err = fmt.Errorf("%s changed while heed read it, so nothing is written: run heed again", name)
	}
	return now, err
}
