package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/bulk/capture"
	"github.com/heed-robots/heed/internal/saved"
)

// A Loader reads sources. Its fields must not change during Load.
type Loader struct {
	// Add gets each capture, and is called by several goroutines. Its error ends Load.
	Add func(*capture.Capture) error

	// Rejected gets each part of a source that cannot be used. It is called by several goroutines, and may be nil.
	Rejected func(Rejection)

	// Escaped gets each robots.txt for which saved.HasEscapes returns true, from files that other programs wrote. It may
	// be nil.
	Escaped func(source, place, url string)

	// OpenStore opens a store by its URL or path. If it is nil, a source that is a store is an error.
	OpenStore func(name string) (store cache.Store, closeStore func() error, err error)

	// From is the Position at which an earlier Load ended, or nil. A store has no order, so all its captures are given again.
	From *Position

	// Columns are the names in tables and JSON lines. Zero means the usual names, such as "url".
	Columns saved.Columns

	// Workers is how many files are read at the same time. 0 means runtime.GOMAXPROCS.
	Workers int

	sources int64
	calls   sync.RWMutex
	// For each file, givenCounts has how many captures and rejections were given, or wholeFile.
	givenCounts []int64
	used        []bool // for each file, whether a capture was given to Add
	identity    string // the value for Position.Of

	files, allFiles, bytes, allBytes, captures, others, rejected, useless atomic.Int64
}

// A Rejection is a part of a source that cannot be used.
type Rejection struct {
	Source string // the name of the file or store
	Place  string // the place in the source, such as "offset 4711" or "line 7"; "" for the whole file, or the rest of it
	Err    error
}

type Progress struct {
	Files, AllFiles int64 // the number of files that were read to their end, and the number of all files
	Bytes, AllBytes int64 // the number of bytes that were read, before decompression, and the number of all bytes
	Captures        int64 // the number of captures that were given to Add
	Others          int64 // the number of WARC records that are neither HTTP responses nor revisits, such as requests
	Rejected        int64 // the number of parts that cannot be used
	Useless         int64 // the number of files, outside of folders, that have rejections but no captures
}

func (l *Loader) Progress() Progress {
	return Progress{
		Files: l.files.Load(), AllFiles: l.allFiles.Load(),
		Bytes: l.bytes.Load(), AllBytes: l.allBytes.Load(),
		Captures: l.captures.Load(), Others: l.others.Load(), Rejected: l.rejected.Load(), Useless: l.useless.Load(),
	}
}

// Load reads sources: paths, patterns, and URLs of stores. If two captures have the same time, the later one in the
// sources has the higher Order. An error means that a name is wrong, that Add or a store failed, or that nothing could be
// read.
func (l *Loader) Load(ctx context.Context, names []string) error {
	all, err := findAll(names, &l.Columns)
	if err != nil {
		return err
	}
	l.allFiles.Add(int64(len(all.jobs)))
	l.allBytes.Add(all.bytes)
	if err := l.begin(all.jobs); err != nil {
		return err
	}
	if err := l.work(ctx, all.jobs); err != nil {
		return err
	}
	for _, f := range all.folders {
		if !f.isUsed.Load() {
			return fmt.Errorf("%s: heed could read no file of the folder; expected files with names such as www.example.com or www.example.com:8080.txt, or files of WARC, JSON lines, CSV, TSV or Parquet", f.path)
		}
	}
	return nil
}

func (l *Loader) work(ctx context.Context, jobs []job) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	first := l.sources
	l.sources += int64(len(jobs))
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(cmp.Or(l.Workers, runtime.GOMAXPROCS(0)), len(jobs)) {
		group.Go(func() {
			r := reader{loader: l}
			for ctx.Err() == nil {
				i := next.Add(1) - 1
				if i >= int64(len(jobs)) {
					return
				}
				if err := l.read(ctx, &r, &jobs[i], i, first+i); err != nil {
					cancel(err)
				}
			}
		})
	}
	group.Wait()
	return context.Cause(ctx)
}

// The parameter index is the number of the file in this Load. The parameter number is its number in all Loads of this Loader.
func (l *Loader) read(ctx context.Context, r *reader, j *job, index, number int64) error {
	r.done, r.used = &l.givenCounts[index], &l.used[index]
	if r.given, r.skip = 0, *r.done; r.skip == wholeFile {
		l.bytes.Add(j.size())
	} else if err := r.read(ctx, j, number); err != nil {
		return err
	}
	l.calls.RLock()
	defer l.calls.RUnlock()
	if r.skip != wholeFile && !*r.used && r.given > 0 && j.folder == nil {
		l.useless.Add(1)
	}
	*r.done = wholeFile
	l.files.Add(1)
	return nil
}

type reader struct {
	loader *Loader
	job    *job
	in     *input
	done   *int64
	given  int64
	skip   int64 // the number of captures and rejections that an earlier Load has already given
	number int64
	order  int64
	used   *bool
	buffer []byte

	originals originals
}

// The upper 32 bits of the Order of each capture are the number of its file.
func (r *reader) read(ctx context.Context, j *job, number int64) (err error) {
	r.job, r.number, r.order, r.originals = j, number, number<<32, originals{}
	switch {
	case j.isStore:
		return r.readStore(ctx)
	case j.wrong != nil:
		return r.rejectHost(j.wrong)
	}
	if r.in, err = open(j.path, &r.loader.bytes, &r.loader.Columns); err != nil {
		return r.rejectHost(err)
	}
	defer r.in.close()
	if j.host != "" {
		return r.readHost()
	}
	switch r.in.kind {
	case WARC:
		return r.readWARC(ctx)
	case JSONLines, Table, Parquet:
		return r.readRecords(ctx)
	case Store:
		return r.readStore(ctx)
	case Archive:
		return r.readArchive(ctx)
	}
	r.reject("", j.unused)
	return nil
}

func (r *reader) readStore(ctx context.Context) error {
	if r.loader.OpenStore == nil {
		return fmt.Errorf("%s: only the command heed can read a store: make an archive of it with heed compile, and name the archive instead", r.job.path)
	}
	r.skip = 0 // the captures of a store have no fixed order, so none can be skipped
	s, closeStore, err := r.loader.OpenStore(r.job.path)
	if err != nil {
		return err
	}
	return errors.Join(r.readHistory(ctx, s), closeStore())
}

func (r *reader) add(c *capture.Capture) error {
	if f := r.job.folder; f != nil {
		f.isUsed.Store(true)
	}
	return r.give(func() error {
		c.Order, *r.used = r.order, true
		r.loader.captures.Add(1)
		return r.loader.Add(c)
	})
}

// Another program wrote the file, and may have written \n in place of line ends.
func (r *reader) addWritten(place string, c *capture.Capture) error {
	if r.loader.Escaped != nil && r.given >= r.skip && c.Page == fetch.NoPage && saved.HasEscapes(c.Body) {
		r.loader.calls.RLock()
		r.loader.Escaped(r.job.path, place, c.URL)
		r.loader.calls.RUnlock()
	}
	return r.add(c)
}

func (r *reader) reject(place string, err error) {
	r.give(func() error {
		r.loader.rejected.Add(1)
		if r.loader.Rejected != nil {
			r.loader.Rejected(Rejection{r.job.path, place, err})
		}
		return nil
	})
}

func (r *reader) give(do func() error) error {
	if r.given++; r.given <= r.skip {
		return nil
	}
	r.loader.calls.RLock()
	defer r.loader.calls.RUnlock()
	*r.done = r.given
	return do()
}
