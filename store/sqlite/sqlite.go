// Package sqlite is a cache.Store in one file: a database of SQLite, which several processes can use at the same time. It
// needs no C compiler.
//
//	store, err := sqlite.Open("robots.sqlite", sqlite.Options{})
//	defer store.Close()
//	c := &cache.Cache{Store: store} // or heed.Crawler
//	defer c.Close()
//
// When Put or PutNote returns, the record or the note is on the disk. It is not lost if the process or the machine crashes.
// While the database is open, there are two more files, whose names end in -wal and -shm. The database must not be on a
// network file system.
//
// A call that reads does not wait for other processes. A call that writes waits at most ten seconds for another process
// that writes; no answer of a cache.Cache waits for a write. Open waits at most two seconds for another process, and only
// if it must make the tables.
//
// # Size and corrupt files
//
// Without Options.MaxBytes the file grows without a limit, since it keeps the history. Notes are never evicted, so they
// leave less space for the records. If the notes alone take more than MaxBytes, only the last record is kept, and the file
// is larger than MaxBytes.
//
// With Options.SetAside, Open replaces a corrupt file by a new file. It renames the corrupt file heed.db to heed.db.broken-
// and the time. The notes are then only in the renamed file. Two more files may be in the folder. If there is a file
// heed.db-damaged, the next Open checks the whole database. The file heed.db-lock is empty; its lock lets one process at a
// time set a file aside.
//
// At most once a second, a call checks whether the file was removed or replaced, and opens the file of that name again. It
// does the same if the file could not be opened before, or if it is corrupt and Options.SetAside is set. If the file is
// removed, records that were put in the last second may be lost.
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
// Delete origins with Store.Delete, not by hand: it also deletes the bodies that are no longer used. Deleting does not make
// the file smaller: later records use the free space, and VACUUM removes it.
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
	// Versions is how many versions of an origin are kept; 0 or less means 16. A new version of an origin deletes its
	// oldest versions, if there are more than this.
	Versions int

	// MaxBytes limits the length of the file, approximately, in bytes; 0 or less means no limit. Before the file grows
	// larger, the origins whose last retrieval was the longest ago are evicted with their history, but not their notes. If
	// a file is already larger, each Put makes it smaller.
	MaxBytes int64

	// SetAside permits Open to replace a file that is corrupt, or that is not a database. Open renames the old file, makes
	// a new one without notes, and calls SetAside with the new name of the old file and the error. Only the last renamed
	// file is kept. If a call finds that the database is corrupt, the next Open checks all of it.
	//
	// If SetAside is nil, Open returns an error and replaces nothing. For a database of another program or of a newer
	// version, Open always returns an error.
	SetAside func(name string, why error)

	// Trouble is called with an error when Open cannot open the database, and when a call finds that the file was removed
	// or replaced. It is called with nil when the store works again after an error of the database.
	//
	// If Trouble is set, Open returns a Store even if the database cannot be opened. The calls of that Store try again, and
	// fail if they cannot open it. If Trouble is nil, Open returns the error.
	Trouble func(error)
}

const defaultVersions = 16

// A Store is a cache.Store in a file. Open returns a Store; the zero Store must not be used. A Store is safe for concurrent
// use.
//
// The errors of a Store begin with "sqlite:" and the path. Some also say what to do. After an error the database is as it
// was before the call.
type Store struct {
	path     string // the path as the caller of Open wrote it
	file     string // the absolute path
	versions int
	maxBytes int64
	setAside func(string, error)
	trouble  func(error)
	packer   *packer

	using  chan struct{} // contains an element while a goroutine uses the next four fields
	db     *database     // nil if the database could not be opened
	err    error         // why the database could not be opened
	looked time.Time     // when checkedDatabase last checked the file
	closed bool

	damaged  atomic.Bool // a call has found that the database is corrupt, and SetAside allows to replace the file
	troubled atomic.Bool // the store had an error, and nothing has been written since then
}

var (
	_ cache.Store   = (*Store)(nil)
	_ cache.Batcher = (*Store)(nil)
	_ cache.Noter   = (*Store)(nil)
)

// Open opens the database in a file. If the file or its folder does not exist, Open makes it. Only this user can read such a
// file.
func Open(path string, o Options) (*Store, error) {
	s := &Store{path: path, versions: defaults.Positive(o.Versions, defaultVersions), maxBytes: o.MaxBytes,
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
