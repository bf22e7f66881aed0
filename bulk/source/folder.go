package source

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/heed-robots/heed/bulk/capture"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/origin"
)

// A job is a file that is to be read, or the URL of a store.
type job struct {
	path    string
	isStore bool
	folder  *folder       // in which it is; nil: none
	host    origin.Origin // of which it is the robots.txt, if it is of no kind; zero: of none
	unused  error         // why it is of no host
	wrong   error         // why it cannot be read; nil: it can
}

// A folder is a source.
type folder struct {
	path   string
	isUsed atomic.Bool // a capture came from it
}

// found is what the names of the sources mean.
type found struct {
	jobs    []job
	folders []*folder
	bytes   int64 // of the files
}

// findAll finds the files of all names.
func findAll(names []string) (*found, error) {
	all := &found{}
	for _, name := range names {
		if err := all.find(name); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// find finds the files of a name.
func (all *found) find(name string) error {
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
		if _, err := KindOf(name); err != nil {
			return err
		}
	}
	return all.findFile(name, info)
}

// findPattern finds the files that match a pattern.
func (all *found) findPattern(pattern string) error {
	paths, err := filepath.Glob(pattern)
	if err != nil {
		return fmt.Errorf("%s: %w", pattern, err)
	}
	if len(paths) == 0 {
		return fmt.Errorf("%s: no file matches the pattern", pattern)
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

func (all *found) findFile(path string, info fs.FileInfo) error {
	if info.IsDir() {
		return all.findFolder(path)
	}
	if info.Mode()&(fs.ModeType&^fs.ModeNamedPipe) != 0 {
		return fmt.Errorf("%s: expected a file, a folder or a pipe, found a device or a socket", path) // it may never end
	}
	all.jobs = append(all.jobs, job{path: path, unused: errKind})
	all.bytes += info.Size()
	return nil
}

// findFolder finds the files of a folder.
func (all *found) findFolder(path string) error {
	f := &folder{path: path}
	before := len(all.jobs)
	if err := all.addFolder(f, path); err != nil {
		return err
	}
	if len(all.jobs) == before {
		return fmt.Errorf("%s: the folder has no files", path)
	}
	all.folders = append(all.folders, f)
	return nil
}

// addFolder adds the files in a folder, or in one below it. Only the names in the first one are
// hosts. What begins with "." is left out.
func (all *found) addFolder(f *folder, path string) error {
	entries, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	isDir := map[string]bool{}
	for _, e := range entries {
		isDir[e.Name()] = isFolder(path, e)
	}
	for _, e := range entries {
		name := e.Name()
		if strings.HasPrefix(name, ".") {
			continue
		}
		j := job{path: filepath.Join(path, name), folder: f, unused: errKind}
		if isDir[name] {
			file := filepath.Join(j.path, "robots.txt")
			if path != f.path || !isFile(file) {
				if e.Type()&fs.ModeSymlink != 0 {
					continue // it may lead back to this folder
				}
				if err := all.addFolder(f, j.path); err != nil {
					return err
				}
				continue
			}
			j.path = file
		}
		if path == f.path {
			j.host, j.unused = hostOf(name, isDir)
		}
		all.add(j)
	}
	return nil
}

// add adds a file.
func (all *found) add(j job) {
	switch info, err := os.Stat(j.path); {
	case err != nil:
		j.wrong = err
	case !info.Mode().IsRegular():
		j.wrong = errors.New("expected a file or a folder, found a pipe, a device or the like")
	default:
		all.bytes += info.Size()
	}
	all.jobs = append(all.jobs, j)
}

// isFolder reports whether an entry of a folder is a folder, or a link to one.
func isFolder(path string, e fs.DirEntry) bool {
	if e.Type()&fs.ModeSymlink == 0 {
		return e.IsDir()
	}
	info, err := os.Stat(filepath.Join(path, e.Name()))
	return err == nil && info.IsDir()
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// hostOf returns the host of which the file or the folder with a name has the robots.txt: HOST is
// used before HOST.txt, and that before HOST/robots.txt. isDir has all names.
func hostOf(name string, isDir map[string]bool) (origin.Origin, error) {
	host := name
	if !isDir[name] {
		host = strings.TrimSuffix(name, ".txt")
	}
	o, ok := originOf(host)
	if !ok {
		return origin.Origin{}, errHost
	}
	for _, first := range []string{host, host + ".txt"} {
		if first == name && !isDir[name] {
			break
		}
		if isDirectory, ok := isDir[first]; ok && !isDirectory {
			return origin.Origin{}, fmt.Errorf("%s is the robots.txt of the same host, and used before it", first)
		}
	}
	return o, nil
}

// originOf returns an origin with a host and perhaps a port, which must be in normal form. A port
// that is the default of one scheme belongs to the others.
func originOf(host string) (o origin.Origin, ok bool) {
	for _, scheme := range []string{"http://", "https://"} {
		o, err := origin.Parse(scheme + host)
		if err == nil && o.String() == scheme+host {
			return o, true
		}
	}
	return origin.Origin{}, false
}

var errHost = errors.New("expected a host as the name, in lower case, such as www.example.com or www.example.com:8080.txt; or WARC, JSON lines and the like as the content")

// maxFile limits a robots.txt in a folder, in octets.
const maxFile = 64 << 20

// readHost reads a file of a folder that is the robots.txt of a host.
func (r *reader) readHost() error {
	if r.job.unused != nil {
		r.reject("", r.job.unused)
		return nil
	}
	body, err := r.hostBody()
	if err != nil {
		r.reject("", err)
		return nil
	}
	text, _ := fetch.ToUTF8(body, "")
	c := &capture.Capture{URL: capture.OfHost(r.job.host), Facts: capture.Facts{Status: 200, Page: fetch.PageOf(text)}, Body: string(text)}
	if fetch.CheckText(body, text) != nil { // as if a server had sent it
		c.Facts, c.Body = capture.Facts{Status: 200, Failed: true}, ""
	}
	return r.add(c)
}

// hostBody returns a robots.txt in a folder.
func (r *reader) hostBody() ([]byte, error) {
	if err := r.in.rewind(); err != nil {
		return nil, err
	}
	body, err := io.ReadAll(io.LimitReader(r.in.raw, maxFile+1))
	if err == nil && len(body) > maxFile {
		err = fmt.Errorf("larger than %d MiB", maxFile>>20)
	}
	return body, err
}
