package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// checkOverwrites refuses outputs that are one file, or that would replace an input or a source.
func (o *filter) checkOverwrites() error {
	outputs := []struct{ flag, name string }{{"output", o.To}, {"rejects", o.Rejects}}
	if o.To != "" && o.Rejects != "" && isSameFile(o.To, o.Rejects) {
		return errors.New("--rejects and --output name the same file")
	}
	for _, out := range outputs {
		for _, name := range append(o.sourceFiles(), o.Inputs...) {
			if out.name != "" && name != "-" && isSameFile(out.name, name) {
				return fmt.Errorf("--%s %s: that is the file %s, which is read; name another file", out.flag, out.name, name)
			}
		}
	}
	return nil
}

// sourceFiles returns the names of sources, with patterns expanded.
func (o *filter) sourceFiles() (names []string) {
	for _, name := range o.robots {
		names = append(names, name)
		if strings.ContainsAny(name, "*?[") {
			some, _ := filepath.Glob(name) // a wrong pattern is an error where it is read
			names = append(names, some...)
		}
	}
	return names
}

// isSameFile reports whether two names mean one regular file, also if it is not there yet.
func isSameFile(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	if errA == nil && errB == nil {
		return infoA.Mode().IsRegular() && os.SameFile(infoA, infoB)
	}
	absA, errA := filepath.Abs(a)
	absB, errB := filepath.Abs(b)
	return errA == nil && errB == nil && absA == absB
}
