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

func (s *Store) failureOf(ctx context.Context, what string, err error) error {
	if err == nil {
		return nil
	}
	if isCorrupt(err) {
		s.mark()
	}
	if code(err) != 0 && ctx.Err() == nil {
		s.troubled.Store(true)
	}
	return s.fullError(ctx, what, err)
}

func (s *Store) fullError(ctx context.Context, what string, err error) error {
	if ended := context.Cause(ctx); ended != nil {
		if isLocked(err) {
			ended = fmt.Errorf("%w, while another process was writing to the database: try again later", ended)
		}
		err = ended // the error of SQLite would say only "interrupted"
	}
	return fmt.Errorf("sqlite: %s: %s: %w%s", s.path, what, err, advice(err))
}

func advice(err error) string {
	switch code(err) {
	case codes.SQLITE_FULL:
		return ": free some space; the earlier records can still be read"
	case codes.SQLITE_IOERR: // a full disk also causes this error, for the -shm file
		return ": the disk is full or broken"
	case codes.SQLITE_CORRUPT:
		return ": the file is corrupt; to start with a new one, move it away, together with the files of the same name that end in -wal or -shm"
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

const adviceOnRights = ": this user must be allowed to write to the file, to the files of the same name that end in -wal or -shm, and to the folder"

func code(err error) int {
	if e, ok := errors.AsType[*driver.Error](err); ok {
		return e.Code() & 0xff // the higher bits only say more about the same error
	}
	return 0
}

func isLocked(err error) bool {
	c := code(err)
	return c == codes.SQLITE_BUSY || c == codes.SQLITE_PROTOCOL
}

const lockPause = 5 * time.Millisecond

func retry(ctx context.Context, timeout time.Duration, do func() error) error {
	end := time.Now().Add(timeout)
	var locked error
	for {
		err := do()
		if err != nil && locked != nil && ctx.Err() != nil {
			return locked // a try that the context interrupted does not say what it was waiting for
		}
		if !isLocked(err) || ctx.Err() != nil {
			return err
		}
		locked = err
		if time.Now().After(end) {
			return fmt.Errorf("another process has been writing to the database for more than %s, so try again later: %w", timeout, err)
		}
		time.Sleep(lockPause)
	}
}
