package source

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/heed-robots/heed/bulk/capture"
	"github.com/heed-robots/heed/cache"
)

// A Loader reads sources. Its fields must not change during Load or Store.
type Loader struct {
	// Add gets each capture, and may keep it. It is called by several goroutines at once. An
	// error ends Load, which returns it.
	Add func(*capture.Capture) error

	// Rejected gets each part of a source that cannot be used; nil: it is only counted. It is
	// called by several goroutines at once.
	Rejected func(Rejection)

	// OpenStore opens the store of a URL or of the path of a database; nil: a store is an error.
	OpenStore func(name string) (store cache.Store, closeStore func() error, err error)

	// Workers is how many files are read at the same time; 0: runtime.GOMAXPROCS.
	Workers int

	files, allFiles, bytes, allBytes, captures, others, rejected atomic.Int64
}

// A Rejection is a part of a source that cannot be used.
type Rejection struct {
	Source string // the name of the file or the store
	Place  string // in it, such as "offset 4711" or "line 7"; "": the whole file, or what is left of it
	Err    error
}

// Progress is what a Loader has done so far.
type Progress struct {
	Files, AllFiles int64 // that were read to their end; all, without stores
	Bytes, AllBytes int64 // that were read, before decompression; all
	Captures        int64 // that were given to Add
	Others          int64 // records that are no answers of URLs over HTTP, such as requests
	Rejected        int64 // rejections
}

// Progress returns what was done so far. It may be called during Load.
func (l *Loader) Progress() Progress {
	return Progress{
		Files: l.files.Load(), AllFiles: l.allFiles.Load(),
		Bytes: l.bytes.Load(), AllBytes: l.allBytes.Load(),
		Captures: l.captures.Load(), Others: l.others.Load(), Rejected: l.rejected.Load(),
	}
}

// Load reads sources: paths of files and folders, patterns such as "robotstxt/*.warc.gz", and URLs
// of stores. Of two captures of a URL with the same time, the one of the later source, and in it of
// the later record, has the higher Order.
//
// Before anything is read, a name that does not exist, a file of an unknown kind, or a folder
// without a file that can be read, is an error. Later only an error of Add or of a store, and the end of ctx, end Load.
func (l *Loader) Load(ctx context.Context, names []string) error {
	return errors.New("not yet")
}

// Store reads the history of a store. name is for rejections. It must not be called during Load.
func (l *Loader) Store(ctx context.Context, s cache.Store, name string) error {
	return errors.New("not yet")
}
