package source

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/bulk/capture"
	"github.com/heed-robots/heed/internal/markup"
	"github.com/heed-robots/heed/internal/saved"
)

type job struct {
	path    string
	isStore bool
	folder  *folder // the folder that is the source; nil if the file itself is the source
	// host is in the name of a file that is the robots.txt of a host; else "".
	host   string
	unused error // the reason if the file is not used as the robots.txt of a host
	wrong  error // the reason if the file cannot be read; else nil
	info   fs.FileInfo
}

type folder struct {
	path   string
	isUsed atomic.Bool
}

type foundSources struct {
	columns *saved.Columns
	jobs    []job
	folders []*folder
	bytes   int64
}

func findAll(names []string, columns *saved.Columns) (*foundSources, error) {
	all := &foundSources{columns: columns}
	for _, name := range names {
		if err := all.find(name); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (all *foundSources) find(name string) error {
	if isStoreURL(name) {
		all.jobs = append(all.jobs, job{path: name, isStore: true})
		return nil
	}
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(name, "*?[") {
		return all.findPattern(name)
	}
	if err != nil {
		return err
	}
	if info.Mode().IsRegular() {
		if _, err := kindOfFile(name, all.columns); err != nil {
			return err
		}
	}
	return all.findFile(name, info)
}

func (all *foundSources) findPattern(pattern string) error {
	paths, err := filepath.Glob(pattern)
	if err != nil {
		return fmt.Errorf("%s: %w", pattern, err)
	}
	if len(paths) == 0 {
		return fmt.Errorf("%s: no file matches the pattern: correct the pattern", pattern)
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		if err := all.findFile(path, info); err != nil {
			return err
		}
	}
	return nil
}

func (all *foundSources) findFile(path string, info fs.FileInfo) error {
	if info.IsDir() {
		return all.findFolder(path)
	}
	if info.Mode()&(fs.ModeType&^fs.ModeNamedPipe) != 0 {
		return fmt.Errorf("%s is a device or a socket: expected a file, a folder or a pipe", path) // reading such a file may never end
	}
	all.jobs = append(all.jobs, job{path: path, unused: errKind, info: info})
	all.bytes += info.Size()
	return nil
}

func (all *foundSources) findFolder(path string) error {
	f := &folder{path: path}
	before := len(all.jobs)
	entries, err := saved.List(path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.IsDir { // only a file that is directly in the folder can belong to a host
			all.add(job{path: e.Path, folder: f, host: e.Host, unused: e.Unused})
		} else if err := all.addBelow(f, e.Path); err != nil {
			return err
		}
	}
	if len(all.jobs) == before {
		return fmt.Errorf("%s: the folder has no files; expected files such as www.example.com or crawl.warc.gz", path)
	}
	all.folders = append(all.folders, f)
	return nil
}

func (all *foundSources) addBelow(f *folder, path string) error {
	return filepath.WalkDir(path, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case strings.HasPrefix(e.Name(), ".") && e.IsDir():
			return fs.SkipDir
		case !strings.HasPrefix(e.Name(), ".") && !e.IsDir():
			all.add(job{path: path, folder: f, unused: errKind})
		}
		return nil
	})
}

func (all *foundSources) add(j job) {
	switch info, err := os.Stat(j.path); {
	case err != nil:
		j.wrong = err
	case info.IsDir():
		return // a link to a folder may lead back to this folder
	case !info.Mode().IsRegular():
		j.wrong = errors.New("the file is a pipe, a device or a socket: expected an ordinary file")
	default:
		j.info = info
		all.bytes += info.Size()
	}
	all.jobs = append(all.jobs, j)
}

func (r *reader) readHost() error {
	if r.in.kind != 0 { // perhaps the file does not have the right name for its content
		r.reject("", fmt.Errorf("the file contains %s, but it has the name of the robots.txt of the host %s: if it is not a robots.txt, give it a name that ends in .warc, .jsonl, .csv, .parquet, .db, .heed or .gz", r.in.kind, r.job.host))
	}
	var body []byte
	err := r.in.rewind()
	if err == nil {
		body, err = saved.Read(r.in.raw, r.job.path)
	}
	if err != nil {
		return r.rejectHost(err)
	}
	text, _, err := fetch.Text(body)
	if err != nil { // treated as if a server had sent this file
		return r.addFailed()
	}
	return r.addWritten("", &capture.Capture{URL: capture.OfHost(r.job.host), Facts: capture.Facts{Status: 200, Page: fetch.Page(markup.PageOf(text))}, Body: string(text)})
}

func (r *reader) addFailed() error {
	return r.add(&capture.Capture{URL: capture.OfHost(r.job.host), Facts: capture.Facts{Status: 200, Failed: true}})
}

// For a host with a port, rejectHost adds a failed capture. Without this capture, the host would get the robots.txt
// of the host without a port.
func (r *reader) rejectHost(err error) error {
	r.reject("", err)
	if !strings.Contains(r.job.host, ":") {
		return nil
	}
	return r.addFailed()
}
