package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"time"

	driver "modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"
)

// failed returns an error with the path and what was tried, and with advice
// where there is some; nil is none.
func (s *Store) failed(ctx context.Context, what string, err error) error {
	if err == nil {
		return nil
	}
	if isDamaged(err) {
		s.mark()
	}
	if ended := context.Cause(ctx); ended != nil {
		if isLocked(err) {
			ended = fmt.Errorf("%w: somebody else was writing", ended)
		}
		err = ended // "interrupted" says less
	}
	return fmt.Errorf("sqlite: %s: %s: %w%s", s.path, what, err, advice(err))
}

func advice(err error) string {
	switch code(err) {
	case codes.SQLITE_FULL:
		return ": free some space; what was there before can be read"
	case codes.SQLITE_IOERR: // also what a full disk is to the file with -shm behind its name
		return ": the disk is full or broken"
	case codes.SQLITE_CORRUPT:
		return ": the file is damaged; move it away, and those with -wal and -shm behind its name, to begin a new one"
	case codes.SQLITE_NOTADB:
		return ": name another file, or move this one away"
	case codes.SQLITE_READONLY, codes.SQLITE_PERM, codes.SQLITE_CANTOPEN:
		return adviceOnRights
	}
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return adviceOnRights
	}
	return ""
}

const adviceOnRights = ": this user must be allowed to write to the file, to those with -wal and -shm behind its name, and to the folder"

// code returns the code of an error of SQLite, 0 for others.
func code(err error) int {
	var e *driver.Error
	if !errors.As(err, &e) {
		return 0
	}
	return e.Code() & 0xff // the rest says where
}

// isLocked reports whether an error is that somebody else has a lock.
func isLocked(err error) bool {
	c := code(err)
	return c == codes.SQLITE_BUSY || c == codes.SQLITE_PROTOCOL
}

// retry does something again as long as somebody else has the lock it needs, for
// some time.
func retry(ctx context.Context, patience time.Duration, do func() error) error {
	end := time.Now().Add(patience)
	for {
		err := do()
		if !isLocked(err) || ctx.Err() != nil {
			return err
		}
		if time.Now().After(end) {
			return fmt.Errorf("%w: somebody else has been writing for more than %s", err, patience)
		}
		time.Sleep(5 * time.Millisecond)
	}
}
