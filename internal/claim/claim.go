// Package claim lets one process at a time write an output.
package claim

import (
	"errors"
	"fmt"
	"os"

	"github.com/gofrs/flock"
)

// File takes the lock of an output, a file with the given name, so that no other process takes it until release is called,
// which also removes that file. The system releases the lock of a process that is killed. The error names the output.
func File(lock, output string) (release func() error, err error) {
	for {
		l := flock.New(lock)
		ok, err := l.TryLock()
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, errors.Join(fmt.Errorf("another run is writing %s", output), l.Close())
		}
		if isThere(l, lock) {
			return func() error { return errors.Join(os.Remove(lock), l.Unlock()) }, nil
		}
		if err := l.Close(); err != nil { // the process that had it has removed it: others would take another file
			return nil, err
		}
	}
}

// isThere reports whether the file that is locked still has its name.
func isThere(l *flock.Flock, name string) bool {
	locked, err := l.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(name)
	return err == nil && os.SameFile(locked, named)
}
