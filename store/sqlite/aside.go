package sqlite

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
	codes "modernc.org/sqlite/lib"
)

// With Options.SetAside, a corrupt heed.db is renamed, for example to heed.db.broken-20260503T120000.000Z, and a new,
// empty heed.db is made. One process at a time does this, with the lock of heed.db-lock.

const (
	brokenName = ".broken-" // a corrupt database that was renamed; the time of the renaming follows
	markName   = "-damaged" // if this file exists, the next Open checks the whole database
	lockName   = "-lock"    // the process that renames a corrupt database locks this file
)

// If an earlier call has found corrupt data, openChecked checks the whole database.
func (d *database) openChecked() error {
	if err := d.open(); err != nil {
		return err
	}
	if d.setAside == nil {
		return nil
	}
	if _, err := os.Stat(d.file + markName); err != nil {
		return nil
	}
	var found string
	err := d.reader.db.QueryRow("PRAGMA quick_check(1)").Scan(&found)
	switch {
	case err != nil:
		return err
	case found != "ok":
		lines := strings.Split(found, "\n") // the first line is a heading
		return fmt.Errorf("%w: %s", errCorrupt, lines[len(lines)-1])
	}
	os.Remove(d.file + markName)
	return nil
}

var errCorrupt = errors.New("the file of the store is damaged, so heed makes a new file")

func isCorrupt(err error) bool {
	c := code(err)
	return c == codes.SQLITE_CORRUPT || c == codes.SQLITE_NOTADB || errors.Is(err, errCorrupt)
}

// maySetAside reports whether Open should call replace: the file is corrupt, or another process may be replacing it.
func maySetAside(err error) bool {
	c := code(err)
	return isCorrupt(err) || c == codes.SQLITE_ERROR || c == codes.SQLITE_IOERR || c == codes.SQLITE_CANTOPEN
}

// mustSetAside reports whether Open will fail until the file is set aside. SQLITE_ERROR means that a table is missing.
func (s *Store) mustSetAside(err error) bool {
	return (isCorrupt(err) || code(err) == codes.SQLITE_ERROR) && mayBeOurs(s.file)
}

// mayBeOurs returns false for a file of another program or a newer Heed. The database must not be open in this process,
// because closing the file would release the locks of SQLite.
func mayBeOurs(file string) bool {
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	header := make([]byte, 100)
	switch _, err := io.ReadFull(f, header); {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return true
	case err != nil:
		return false
	}
	// https://www.sqlite.org/fileformat.html#the_database_header
	version, application := binary.BigEndian.Uint32(header[60:]), binary.BigEndian.Uint32(header[68:])
	return string(header[:16]) != "SQLite format 3\x00" || application == applicationID && version <= userVersion
}

// replace opens the file again before it renames the file, because another process may have replaced the corrupt file
// already.
func (d *database) replace(err error, timeout time.Duration) error {
	unlock, locked := lock(d.file+lockName, timeout)
	if locked != nil {
		return err
	}
	defer unlock()
	if err = d.openChecked(); !d.mustSetAside(err) {
		return err
	}
	d.disconnect()
	name, failed := rename(d.file)
	if failed != nil {
		return errors.Join(err, failed)
	}
	d.setAside(name, err)
	return d.open()
}

// The file of the lock is never deleted. Otherwise one process could lock a deleted file, and another process a new
// one.
func lock(path string, timeout time.Duration) (unlock func() error, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	l := flock.New(path, flock.SetPermissions(0o600))
	_, err = l.TryLockContext(ctx, lockPause)
	return l.Unlock, err
}

func rename(path string) (name string, err error) {
	name = path + brokenName + time.Now().UTC().Format("20060102T150405.000Z")
	for _, end := range []string{"-wal", "-shm", ""} { // the -wal file is renamed too, so that the new database does not read it
		if err := os.Rename(path+end, name+end); err != nil && (end == "" || !errors.Is(err, os.ErrNotExist)) {
			return "", err
		}
	}
	os.Remove(path + markName)
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return name, nil // files with earlier names are not deleted, but that does no harm
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), filepath.Base(path)+brokenName) && !strings.HasPrefix(e.Name(), filepath.Base(name)) {
			os.Remove(filepath.Join(filepath.Dir(path), e.Name()))
		}
	}
	return name, nil
}

func (s *Store) mark() {
	if s.setAside == nil {
		return
	}
	s.damaged.Store(true)
	if f, err := os.OpenFile(s.file+markName, os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
		f.Close()
	}
}
