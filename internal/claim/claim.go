// Package claim makes sure that only one process at a time writes an output file.
package claim

import (
	"errors"
	"fmt"
	"os"

	"github.com/gofrs/flock"
)

// File takes the lock in the file named by lock, so that only one process writes the file named by output. If another
// process has the lock, File returns an error. The function release deletes the lock file.
func File(lock, output string) (release func() error, err error) {
	for {
		l := flock.New(lock)
		ok, err := l.TryLock()
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, errors.Join(fmt.Errorf("another run is writing %s: wait until it ends", output), l.Close())
		}
		if isThere(l, lock) {
			return func() error { return errors.Join(os.Remove(lock), l.Unlock()) }, nil
		}
		if err := l.Close(); err != nil { // another process has just removed the lock file, so this lock is useless: try again
			return nil, err
		}
	}
}

func isThere(l *flock.Flock, name string) bool {
	locked, err := l.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(name)
	return err == nil && os.SameFile(locked, named)
}
