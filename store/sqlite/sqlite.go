// Package sqlite keeps what is remembered of robots.txt files in one file, a
// database of SQLite, which several processes may use at once. It needs no C
// compiler.
//
// A Put is on the disk when it returns: it outlives a crash of the process and
// of the machine. Beside the file lie two more, named as it is with -wal and
// -shm, as long as it is open; it must not be on a network file system.
//
// Readers wait for nobody. A call that writes waits for ten seconds at most for
// another process that does; a cache.Cache writes behind its answers. Open needs no
// lock where the database is there, and waits for two seconds where it must make
// one.
//
// # Size and damage
//
// Without Options.MaxBytes a file grows without a bound, since many keep it for its
// history. With Options.SetAside, Open begins a new file where there is a damaged one, as
// a browser does with its cache. The damaged one keeps its name with .broken- and the
// time behind it. Two more files may then lie beside the database, named as it is with
// -damaged (the next Open checks the database) and -lock (empty; only one process at a
// time sets a file aside).
//
// # The database
//
// A database of version 1 (PRAGMA user_version) has three tables:
//
//   - bodies(id, hash, size, data): each robots.txt once, by its SHA-256,
//     compressed with Zstandard;
//   - origins(id, origin, asked, status, body, head): the record of each origin;
//   - versions(origin, number, first, last, status, body): the history of each,
//     where times are nanoseconds since 1970 and body is NULL where the answer
//     was no robots.txt.
//
// The views robots and history show them with times that can be read. This is
// how to see what a site said on 3 May, with the tools sqlite3 and zstd:
//
//	sqlite3 heed.db "SELECT writefile('may.zst', data) FROM history
//	  WHERE origin = 'https://example.com' AND first < '2026-05-04'
//	  ORDER BY number DESC LIMIT 1"
//	zstd -dc may.zst
//
// To delete from the database by hand leaves bodies that nothing refers to;
// Store.Delete does not. Without Options.MaxBytes the file does not shrink by
// itself: what is deleted leaves room for what comes, which VACUUM gives back.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"time"

	"github.com/heed-robots/heed/cache"
)

// Options are how a Store is opened. The zero Options are the defaults.
type Options struct {
	// Versions is how many versions of each origin are kept; 0 means 16. Those
	// that another process kept beyond it are dropped with the next new version.
	Versions int

	// MaxBytes bounds the file, approximately, in bytes: before it grows larger, the
	// origins that were asked the longest ago are deleted, with their history. A file
	// that is larger already becomes smaller with the records that are put. 0 or less
	// means no bound.
	MaxBytes int64

	// SetAside lets Open begin a new file in the place of one that is damaged, or that
	// is no database at all. Open renames the old file, calls SetAside with the new
	// name, which begins with the old one, and with what was wrong, and makes a new
	// file. Only the last file that was renamed is kept. Where a call finds the
	// database damaged, the next Open checks it. nil means that Open returns the error,
	// as it always does for a database of another program or of a newer version.
	SetAside func(name string, why error)
}

const defaultVersions = 16

// A Store is a cache.Store in a file. It is safe for concurrent use. The zero
// Store is not ready: Open returns one that is.
//
// Its errors begin with "sqlite:" and the path, and say what to do where
// something can be done. An error leaves the database as it was.
type Store struct {
	path     string // as it was given
	file     string // the whole path
	opened   bool
	versions int
	maxBytes int64
	setAside func(string, error)
	packer   *packer

	// SQLite has one writer at a time, so the writers of this process queue for
	// one connection, in order, rather than contend for the lock of the file.
	writer, reader *connection

	shortened sync.Once
}

var (
	_ cache.Store   = (*Store)(nil)
	_ cache.Batcher = (*Store)(nil)
)

// readers is how many connections read at once.
const readers = 4

// Open opens the database in a file, which it makes where there is none, and
// its folder too. Only the user who made them can read either.
func Open(path string, o Options) (*Store, error) {
	s := &Store{path: path, versions: o.Versions, maxBytes: o.MaxBytes, setAside: o.SetAside, packer: newPacker()}
	if s.versions <= 0 {
		s.versions = defaultVersions
	}
	err := s.openSound()
	end := time.Now().Add(openPatience) // for all tries: another process may hold the lock each time
	for tries := 0; tries < 3 && s.setAside != nil && maySetAside(err); tries++ {
		s.disconnect()
		err = s.beginAnew(err, time.Until(end))
	}
	if err != nil {
		s.disconnect() // the error is the one that matters
		return nil, s.failed(context.Background(), "open", err)
	}
	s.opened = true
	return s, nil
}

func (s *Store) open() error {
	var err error
	if s.file, err = createFile(s.path); err != nil {
		return err
	}
	if s.writer, err = connect(s.file, writing); err != nil {
		return err
	}
	s.writer.db.SetMaxOpenConns(1)
	if err := prepareDatabase(s.writer.db, s.maxBytes > 0); err != nil {
		return err
	}
	if err := s.writer.prepare(writes); err != nil {
		return err
	}
	if s.reader, err = connect(s.file, reading); err != nil {
		return err
	}
	s.reader.db.SetMaxOpenConns(readers)
	s.reader.db.SetMaxIdleConns(readers)
	return s.reader.prepare(reads)
}

// Close ends the use of the database, when the calls that are under way have
// ended. To close a Store again does nothing.
func (s *Store) Close() error {
	return s.failed(context.Background(), "close", s.disconnect())
}

func (s *Store) disconnect() error {
	// The last connection to be closed empties the -wal file into the database,
	// so it is the one that can write.
	return errors.Join(s.reader.close(), s.writer.close())
}

// A connection is a pool of connections of one kind, and its statements.
type connection struct {
	db         *sql.DB
	statements map[string]*sql.Stmt // by their text
}

func connect(file string, k kind) (*connection, error) {
	db, err := sql.Open("sqlite", dsn(file, k))
	if err != nil {
		return nil, err
	}
	return &connection{db: db, statements: map[string]*sql.Stmt{}}, nil
}

func (c *connection) prepare(queries []string) error {
	for _, query := range queries {
		statement, err := c.db.Prepare(query)
		if err != nil {
			return err
		}
		c.statements[query] = statement
	}
	return nil
}

func (c *connection) close() error {
	if c == nil {
		return nil
	}
	return c.db.Close()
}
