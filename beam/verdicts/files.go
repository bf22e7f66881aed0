package verdicts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"

	"github.com/heed-robots/heed/internal/printable"
)

type file struct {
	Name  string
	Index int64
}

func filesOf(ctx context.Context, patterns []string) (all []file, err error) {
	for _, pattern := range patterns {
		fs, err := filesystem.New(ctx, pattern)
		if err != nil {
			return nil, err
		}
		names, err := fs.List(ctx, pattern)
		if err = errors.Join(err, fs.Close()); err != nil {
			return nil, fmt.Errorf("%s: %w", pattern, err)
		}
		if len(names) == 0 {
			return nil, fmt.Errorf("%s: no file matches the pattern: correct the pattern", pattern)
		}
		if !isLocal(pattern) { // local names are already in the order that heed filter uses
			slices.Sort(names)
		}
		for _, name := range names {
			all = append(all, file{name, int64(len(all))})
		}
	}
	return all, nil
}

// checkNew returns an error if another run has left output files. An empty file of rejects is allowed.
func checkNew(ctx context.Context, to string) error {
	names, err := filesBeside(ctx, to)
	if err != nil {
		return err
	}
	var left []string
	for _, name := range names {
		rest := strings.TrimPrefix(baseOf(name), baseOf(to))
		if rest == "-rejects.jsonl" {
			if size, err := sizeOf(ctx, name); err == nil && size == 0 {
				continue
			}
		} else if !outputSuffix.MatchString(rest) {
			continue
		}
		left = append(left, name)
	}
	if len(left) == 0 {
		return nil
	}
	return fmt.Errorf("another run has left %s, such as %s: delete these files, or give the new output another name", printable.Counted(len(left), "file"), left[0])
}

// outputSuffix matches what follows Options.To in the name of an output file, such as "-summary.json". The file may be
// unfinished.
var outputSuffix = regexp.MustCompile(`^(-\d+-of-\d+\.|-summary\.json|-rejects\.jsonl)`)

func filesBeside(ctx context.Context, output string) (all []string, err error) {
	if isLocal(output) { // a local name may contain characters that are special in a pattern
		folder := filepath.Dir(output)
		entries, err := os.ReadDir(folder)
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), filepath.Base(output)+"-") {
				all = append(all, filepath.Join(folder, e.Name()))
			}
		}
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return all, err
	}
	system, err := filesystem.New(ctx, output)
	if err != nil {
		return nil, err
	}
	all, err = system.List(ctx, strings.NewReplacer("?", "*", "[", "*", "{", "*", `\`, "*").Replace(output)+"-*")
	all = slices.DeleteFunc(all, func(name string) bool {
		return !strings.HasPrefix(name, output+"-") || path.Dir(name) != path.Dir(output)
	})
	return all, errors.Join(err, system.Close())
}

func sizeOf(ctx context.Context, name string) (int64, error) {
	system, err := filesystem.New(ctx, name)
	if err != nil {
		return 0, err
	}
	size, err := system.Size(ctx, name)
	return size, errors.Join(err, system.Close())
}

func openFile(ctx context.Context, name string) (io.ReadCloser, error) {
	fs, err := filesystem.New(ctx, name)
	if err != nil {
		return nil, err
	}
	f, err := fs.OpenRead(ctx, name)
	if err != nil {
		return nil, errors.Join(err, fs.Close())
	}
	return &openedFile{f, fs}, nil
}

// Beam opens a file through a file system, which must be closed too.
type openedFile struct {
	io.ReadCloser
	fs filesystem.Interface
}

func (o *openedFile) Close() error { return errors.Join(o.ReadCloser.Close(), o.fs.Close()) }

// A run without permission to write should fail at its start.
func tryToWrite(ctx context.Context, name string) error {
	f, err := createFile(ctx, name)
	if err != nil {
		return err
	}
	return f.Close()
}

func isLocal(name string) bool { return !strings.Contains(name, "://") }

// The file appears under its name only when it is closed.
func createFile(ctx context.Context, name string) (io.WriteCloser, error) {
	if isLocal(name) {
		return createLocal(name)
	}
	fs, err := filesystem.New(ctx, name)
	if err != nil {
		return nil, err
	}
	f, err := fs.OpenWrite(ctx, name)
	if err != nil {
		return nil, errors.Join(err, fs.Close())
	}
	return &created{f, fs}, nil
}

type created struct {
	io.WriteCloser
	fs filesystem.Interface
}

func (c *created) Close() error { return errors.Join(c.WriteCloser.Close(), c.fs.Close()) }

// Beam may let two workers write the same file, so each writes under a temporary name.
func createLocal(name string) (io.WriteCloser, error) {
	folder := filepath.Dir(name)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	// The temporary file is in the same folder, because a file cannot be renamed to another disk.
	f, err := os.CreateTemp(folder, filepath.Base(name)+".*.partial")
	if err != nil {
		return nil, err
	}
	return &renamed{File: f, name: name}, nil
}

type renamed struct {
	*os.File
	name string
	err  error
}

func (r *renamed) Write(p []byte) (n int, err error) {
	n, err = r.File.Write(p)
	r.err = cmp.Or(r.err, err)
	return n, err
}

func (r *renamed) Close() error {
	err := errors.Join(r.err, r.Chmod(0o644), r.File.Close())
	if err == nil {
		err = os.Rename(r.Name(), r.name)
	}
	if err != nil {
		os.Remove(r.Name())
	}
	return err
}

// A watchedReader keeps a read error in err. After a read error, Beam should try again. If the content is damaged,
// err is nil, and Beam should not try again.
type watchedReader struct {
	from io.Reader
	err  error
}

func (w *watchedReader) Read(p []byte) (int, error) {
	n, err := w.from.Read(p)
	if err != nil && err != io.EOF {
		w.err = err
	}
	return n, err
}

// A file that is not local is copied first, and release deletes the copy.
func localPath(ctx context.Context, name string) (path string, release func(), err error) {
	if isLocal(name) {
		return name, func() {}, nil
	}
	from, err := openFile(ctx, name)
	if err != nil {
		return "", nil, err
	}
	defer from.Close()
	to, err := os.CreateTemp("", "heed-*-"+baseOf(name))
	if err != nil {
		return "", nil, err
	}
	release = func() { os.Remove(to.Name()) }
	_, err = io.Copy(to, from)
	if err = errors.Join(err, to.Close()); err != nil {
		release()
		return "", nil, err
	}
	return to.Name(), release, nil
}

func baseOf(name string) string { return path.Base(strings.ReplaceAll(name, "*", "_")) }
