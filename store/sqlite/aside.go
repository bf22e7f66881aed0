package sqlite

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	codes "modernc.org/sqlite/lib"
)

// Names of files beside that of the database, which begin with its name.
const (
	brokenName  = ".broken-" // a database that was set aside; the time follows
	damagedName = "-damaged" // exists where a call found the database damaged
	lockName    = "-lock"    // the process that sets the database aside has a lock on it
)

// openSound opens the database. Where a call found it damaged before, all of it is
// checked, and damage is an error.
func (s *Store) openSound() error {
	if err := s.open(); err != nil {
		return err
	}
	if s.setAside == nil {
		return nil
	}
	if _, err := os.Stat(s.file + damagedName); err != nil {
		return nil
	}
	var found string
	err := s.reader.db.QueryRow("PRAGMA quick_check(1)").Scan(&found)
	switch {
	case err != nil:
		return err
	case found != "ok":
		lines := strings.Split(found, "\n") // the first is a heading
		return fmt.Errorf("%w: %s", errDamaged, lines[len(lines)-1])
	}
	os.Remove(s.file + damagedName)
	return nil
}

var errDamaged = errors.New("the file is damaged")

// isDamaged reports whether an error says that a database does not hold what was written
// to it. That it could not be read is another error.
func isDamaged(err error) bool {
	c := code(err)
	return c == codes.SQLITE_CORRUPT || c == codes.SQLITE_NOTADB || errors.Is(err, errDamaged)
}

// maySetAside reports whether an error of Open may end by setting the file aside, or
// may have come while another process did so.
func maySetAside(err error) bool {
	c := code(err)
	return isDamaged(err) || c == codes.SQLITE_ERROR || c == codes.SQLITE_IOERR || c == codes.SQLITE_CANTOPEN
}

// mustSetAside reports whether an error of Open comes again until the file is set
// aside. SQLITE_ERROR means that a table is missing, since our statements are right.
func (s *Store) mustSetAside(err error) bool {
	return (isDamaged(err) || code(err) == codes.SQLITE_ERROR) && mayBeOurs(s.file)
}

// mayBeOurs reports whether a file may be one of this package: it is not a database of
// another program or of a newer version. Closing the file ends the locks of this process
// on it, which does not matter any more for a damaged one.
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

// beginAnew sets a damaged file aside and makes a new one. It does not where another
// process has done so already, or where the error has gone. It waits for another process
// that does so, for patience at most.
func (s *Store) beginAnew(err error, patience time.Duration) error {
	unlock, locked := lock(s.file+lockName, patience)
	if locked != nil {
		return err
	}
	defer unlock()
	if err = s.openSound(); !s.mustSetAside(err) {
		return err
	}
	s.disconnect()
	name, failed := rename(s.file)
	if failed != nil {
		return errors.Join(err, failed)
	}
	s.setAside(name, err)
	return s.open()
}

// lock takes a lock among all processes, which ends with the process at the latest. The
// empty file is not deleted afterwards: else two processes could each have a lock on a
// file of that name.
func lock(path string, patience time.Duration) (unlock func(), err error) {
	file, err := createFile(path)
	if err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", dsn(file, kind{"_txlock": {"exclusive"}}))
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	var tx *sql.Tx
	err = retry(ctx, patience, func() (err error) {
		tx, err = db.BeginTx(ctx, nil)
		return err
	})
	if err != nil {
		db.Close()
		return nil, err
	}
	return func() {
		tx.Rollback()
		db.Close()
	}, nil
}

// rename gives a database a name with the time of now, and deletes those that were
// renamed before.
func rename(path string) (name string, err error) {
	name = path + brokenName + time.Now().UTC().Format("20060102T150405.000Z")
	for _, end := range []string{"-wal", "-shm", ""} { // the new one must not find those of the old
		if err := os.Rename(path+end, name+end); err != nil && (end == "" || !errors.Is(err, os.ErrNotExist)) {
			return "", err
		}
	}
	os.Remove(path + damagedName)
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return name, nil // an older one stays
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), filepath.Base(path)+brokenName) && !strings.HasPrefix(e.Name(), filepath.Base(name)) {
			os.Remove(filepath.Join(filepath.Dir(path), e.Name()))
		}
	}
	return name, nil
}

// mark makes the next Open check the database.
func (s *Store) mark() {
	if s.setAside == nil || !s.opened {
		return
	}
	if f, err := os.OpenFile(s.file+damagedName, os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
		f.Close()
	}
}
