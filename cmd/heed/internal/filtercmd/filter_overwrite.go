package filtercmd

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/heed-robots/heed/internal/bulk/stream"
)

func (o *filter) checkOverwrites() error {
	if o.To != "" {
		if info, err := os.Stat(filepath.Dir(o.To)); err != nil || !info.IsDir() {
			return fmt.Errorf("--output %s: there is no folder %s; make this folder first", o.To, filepath.Dir(o.To))
		}
	}
	outputs := []struct{ flag, name string }{{"output", o.To}, {"rejects", o.Rejects}}
	if err := o.checkRejects(); err != nil {
		return err
	}
	for _, out := range outputs {
		if err := notRead(out.flag, out.name, append(filesAmong(o.robots), o.Inputs...)); err != nil {
			return err
		}
		if slices.Contains(o.Inputs, "-") && isOpenAs(o.term.In, out.name) {
			return fmt.Errorf("--%s %s is the same file as the standard input: name another file", out.flag, out.name)
		}
	}
	return nil
}

// heed writes some files next to the output. --rejects must not name one of these files either.
func (o *filter) checkRejects() error {
	if o.To == "" || o.Rejects == "" {
		return nil
	}
	if isSameFile(o.To, o.Rejects) {
		return errors.New("--rejects and --output name the same file: give one of them another name")
	}
	checkpoint := stream.CheckpointOf(filepath.Clean(o.To))
	for _, beside := range []string{checkpoint, checkpoint + ".new", checkpoint + ".lock", o.To + ".partial", o.To + damagedSuffix} {
		if isSameFile(beside, o.Rejects) {
			return fmt.Errorf("--rejects %s: heed itself uses a file with this name while it writes --output: name another file", o.Rejects)
		}
	}
	return nil
}

func notRead(flag, output string, inputs []string) error {
	if err := notWithin(flag, output, inputs); err != nil {
		return err
	}
	for _, name := range inputs {
		if output != "" && name != "-" && isSameFile(output, name) {
			return fmt.Errorf("--%s %s is the same file as %s, which heed reads: name another file", flag, output, name)
		}
	}
	return nil
}

// The next run would read an output that is in one of the folders.
func notWithin(flag, output string, folders []string) error {
	if output == "" {
		return nil
	}
	for below, in := "", filepath.Dir(placeOf(output)); in != below; below, in = in, filepath.Dir(in) {
		for _, name := range folders {
			if isFolder(in, name) {
				return fmt.Errorf("--%s %s is in the folder %s, which heed reads: name a file in another folder", flag, output, name)
			}
		}
	}
	return nil
}

func isFolder(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

func placeOf(name string) string {
	const maxLinks = 40 // Linux follows at most 40 links, too
	for range maxLinks {
		if folder, err := filepath.EvalSymlinks(filepath.Dir(name)); err == nil {
			name = filepath.Join(folder, filepath.Base(name))
		}
		to, err := os.Readlink(name)
		if err != nil {
			break
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(name), to)
		}
		name = to
	}
	if absolute, err := filepath.Abs(name); err == nil {
		return absolute
	}
	return name
}

func filesAmong(sources []string) (names []string) {
	for _, name := range sources {
		names = append(names, name)
		if strings.ContainsAny(name, "*?[") {
			some, _ := filepath.Glob(name) // another function reports a wrong pattern
			names = append(names, some...)
		}
	}
	return names
}

func isOpenAs(r io.Reader, name string) bool {
	f, ok := r.(*os.File)
	if !ok {
		return false
	}
	open, err := f.Stat()
	named, missing := os.Stat(name)
	return err == nil && missing == nil && open.Mode().IsRegular() && os.SameFile(open, named)
}

// The files need not exist.
func isSameFile(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	if errA == nil && errB == nil {
		return infoA.Mode().IsRegular() && os.SameFile(infoA, infoB)
	}
	return placeOf(a) == placeOf(b)
}
