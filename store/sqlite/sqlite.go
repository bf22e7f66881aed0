// Package sqlite is a cache.Store in one file: a database of SQLite, which several processes can use at the same time. It
// needs no C compiler.
//
//	store, err := sqlite.Open("robots.sqlite", sqlite.Options{})
//	defer store.Close()
//	c := &cache.Cache{Store: store} // or heed.Crawler
//	defer c.Close()
//
// When Put or PutNote returns, the record or the note is on the disk, and survives a crash. While the database is open,
// there are two more files, whose names end in -wal and -shm. The database must not be on a network file system.
//
// Reading does not wait for other processes. Writing waits at most ten seconds for another writer. No answer of a
// cache.Cache waits for a write. Open waits at most two seconds, and only to make the tables.
//
// The Store is no cache.Pacer: it does not keep the crawl delay of a site. Each process that uses the file keeps its own
// delay, so two processes send twice as many requests as one. After a restart, the first request to a site does not wait.
//
// # Size and corrupt files
//
// Without Options.MaxBytes, the file grows without a limit. Notes are never evicted. If the notes alone take more than
// MaxBytes, only the last record is kept, and the file is larger than MaxBytes.
//
// With Options.SetAside, Open replaces a corrupt file. The old heed.db gets a new name: heed.db.broken-, followed by
// the time. The notes are then only in the renamed file. If there is a file heed.db-damaged, the next Open checks the
// whole database. The lock of heed.db-lock lets one process at a time set a file aside.
//
// At most once a second, a call checks whether the file was removed or replaced. If so, the call opens the new file. A
// call also opens the file again after a failed Open. With Options.SetAside, a call also opens the file again after
// corruption. If the file is removed, records of the last second may be lost.
//
// # The database
//
// A database of version 1 (PRAGMA user_version) has four tables:
//
//   - bodies(id, hash, size, data): each robots.txt once, with its SHA-256, compressed with
//     Zstandard;
//   - origins(id, origin, asked, status, body, head): the record of each origin; asked is
//     the time of its last retrieval, in seconds since 1970;
//   - versions(origin, number, first, last, status, body): the history of each origin; first
//     and last are nanoseconds since 1970, and body is NULL if the answer had no robots.txt;
//   - notes(id, name, origin, sum, size, data): the notes, compressed with Zstandard; sum is
//     cache.NoteSum. Open adds this table to a database that was made before there were notes.
//
// The views robots and history show the same data, with times as text. These commands print the robots.txt that a site had
// on 3 May, with the tools sqlite3 and zstd:
//
//	sqlite3 heed.db "SELECT writefile('may.zst', data) FROM history
//	  WHERE origin = 'https://example.com' AND first < '2026-05-04'
//	  ORDER BY number DESC LIMIT 1"
//	zstd -dc may.zst
//
// Delete origins with Store.Delete, which also deletes unused bodies. Deleting does not make the file smaller. Later
// records use the free space, and VACUUM removes it.
package sqlite

import (
	"context"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/internal/defaults"
)

// Options are the settings of a Store. The zero Options are the defaults.
type Options struct {
	// Versions is how many versions of an origin are kept; 0 or less means 16. New versions replace the oldest.
	Versions int

	// MaxBytes limits the length of the file, approximately, in bytes; 0 or less means no limit. At the limit, the
	// least recently fetched origins are evicted together with their history. Notes are never evicted.
	MaxBytes int64

	// SetAside permits Open to replace a file that is corrupt or no database. Open renames the old file, makes a new one
	// without notes, and calls SetAside. Only the last renamed file is kept.
	//
	// If SetAside is nil, Open returns an error and replaces nothing. It never replaces a database of another program or a
	// newer version.
	SetAside func(name string, why error)

	// Trouble is called with an error when Open fails, or when the file was removed or replaced. It is called with nil
	// when the store works again.
	//
	// If Trouble is set, Open returns a Store even after an error, and later calls try again. If Trouble is nil, Open
	// returns the error.
	Trouble func(error)
}

// A Store is a cache.Store in a file. Open returns a Store; the zero Store must not be used. A Store is safe for concurrent
// use.
//
// Errors begin with "sqlite:" and the path. After an error, the database is unchanged.
type Store struct {
	path     string // as the caller of Open wrote it, for errors
	file     string
	versions int
	maxBytes int64
	setAside func(string, error)
	trouble  func(error)
	packer   *packer

	using  chan struct{} // locks the next four fields; a channel, because waiting must end with a context
	db     *database     // nil if the database could not be opened
	err    error
	looked time.Time // when checkedDatabase last checked the file
	closed bool

	damaged  atomic.Bool // a call has found that the database is corrupt, and SetAside allows to replace the file
	troubled atomic.Bool // the store had an error, and nothing has been written since then
}

var (
	_ cache.Store   = (*Store)(nil)
	_ cache.Batcher = (*Store)(nil)
	_ cache.Noter   = (*Store)(nil)
)

// Open opens the database in a file. If the file or its folder is missing, Open makes it, and only this user can read it.
func Open(path string, o Options) (*Store, error) {
	s := &Store{path: path, versions: defaults.Positive(o.Versions, 16), maxBytes: o.MaxBytes,
		setAside: o.SetAside, trouble: o.Trouble, packer: newPacker(), using: make(chan struct{}, 1)}
	var err error
	if path != "" {
		s.file, err = filepath.Abs(path)
	}
	if err == nil {
		err = s.openDatabase()
	}
	if err != nil {
		err = s.fullError(context.Background(), "open", err)
		if s.trouble == nil {
			return nil, err
		}
		s.reportTrouble(err)
	}
	return s, nil
}

// Close waits for the calls that are running, and closes the database. A second call does nothing.
func (s *Store) Close() error {
	s.using <- struct{}{}
	defer func() { <-s.using }()
	s.closed = true
	return s.failureOf(context.Background(), "close", s.db.disconnect())
}
