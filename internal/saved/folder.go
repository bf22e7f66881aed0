package saved

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/heed-robots/heed/origin"
)

// ErrNoFile means that a folder contains no robots.txt of a host. Nothing is known about the
// URLs of that host then, so they are not allowed.
var ErrNoFile = errors.New("no robots.txt of the host")

// Host returns the host of an origin as a folder names it, such as "www.example.com" or
// "www.example.com:8080": with a port that is not the default of the scheme, and for every scheme.
func Host(o origin.Origin) string { return o.String()[len(o.Scheme())+len("://"):] }

// names returns the names that the robots.txt of a host may have in a folder: the first one that
// exists is used. The host comes from an origin, so it contains no "/" or "..".
func names(host string) (all []string) {
	for _, host := range spellings(host) {
		if !strings.HasSuffix(host, ".txt") { // a.example.txt is the file of a.example
			all = append(all, host)
		}
		all = append(all, host+".txt", filepath.Join(host, "robots.txt"))
	}
	return all
}

// spellings returns how a host is written in the name of a file: as it is, or with "%3A" in place of
// ":", which the names of Windows cannot have.
func spellings(host string) []string {
	if !strings.Contains(host, ":") {
		return []string{host}
	}
	return []string{host, strings.ReplaceAll(host, ":", "%3A")}
}

// Find returns the path of the robots.txt of a host in a folder, and the state of that file. The host is
// as Host returns it. If it has a port, a file of the host with that port is used before one without.
func Find(dir, host string) (path string, info fs.FileInfo, err error) {
	all := names(host)
	colon := strings.LastIndexByte(host, ':')
	if colon > strings.LastIndexByte(host, ']') { // not one in the brackets of IPv6
		all = append(all, names(host[:colon])...)
	}
	for _, name := range all {
		if !filepath.IsLocal(name) {
			continue // the name of a device on Windows, such as "nul"
		}
		path := filepath.Join(dir, name)
		if info, err := stat(path); info != nil || err != nil {
			return path, info, err
		}
	}
	all = slices.DeleteFunc(all, func(name string) bool { return strings.Contains(name, "%3A") })
	return "", nil, fmt.Errorf("%w %s in %s: expected one of %s", ErrNoFile, host, dir, strings.Join(all, ", "))
}

// stat returns the state of what is no folder; nil: it does not exist, or is a folder.
func stat(path string) (fs.FileInfo, error) {
	info, err := os.Stat(path)
	switch {
	case isAbsent(err) || err == nil && info.IsDir():
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("robots.txt: %w", err)
	}
	return info, nil
}

// isAbsent reports whether an error means that a file does not exist. No file can exist below
// a file (ENOTDIR), have a name that is too long (ENAMETOOLONG), or be a link to itself (ELOOP).
func isAbsent(err error) bool {
	return slices.ContainsFunc([]error{fs.ErrNotExist, syscall.ENOTDIR, syscall.ENAMETOOLONG, syscall.ELOOP}, func(absent error) bool { return errors.Is(err, absent) })
}

// An Entry is what a folder contains, other than in the folders below it.
type Entry struct {
	Path   string // of a file; or of a folder without robots.txt
	Host   string // whose robots.txt it is, as Host returns it; "": of none
	Unused error  // why it is of none
	IsDir  bool   // it is a folder without robots.txt, and no link
}

// List returns what a folder contains, in the order of the names, and of which host each file is the
// robots.txt: of the one with which Find finds it. What begins with "." is left out.
func List(dir string) ([]Entry, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	f := folder{dir, make(map[string]fs.DirEntry, len(entries)), map[string]bool{}}
	for _, e := range entries {
		f.entries[e.Name()] = e
	}
	all := make([]Entry, 0, len(entries))
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			all = append(all, f.entry(e))
		}
	}
	return all, nil
}

// A folder is one that List reads.
type folder struct {
	dir     string
	entries map[string]fs.DirEntry
	files   map[string]bool // what stat says about a path in the folder; not of all
}

// isFile reports whether a path in the folder is used as a file, as stat reports it.
func (f *folder) isFile(name string) bool {
	first, below, isBelow := strings.Cut(name, string(filepath.Separator))
	e := f.entries[first]
	isLink := e != nil && e.Type()&fs.ModeSymlink != 0
	switch {
	case e == nil, isBelow && !isLink && !e.IsDir(), !isBelow && e.IsDir():
		return false
	case !isBelow && !isLink:
		return true
	}
	is, known := f.files[name]
	if !known {
		info, err := stat(filepath.Join(f.dir, first, below))
		is = info != nil || err != nil
		f.files[name] = is
	}
	return is
}

// entry returns an entry of the folder.
func (f *folder) entry(e fs.DirEntry) Entry {
	name := e.Name()
	host, below := strings.TrimSuffix(name, ".txt"), filepath.Join(name, "robots.txt")
	var is Entry
	switch {
	case f.isFile(name):
	case f.isFile(below):
		host, name = name, below
	case e.IsDir():
		is.IsDir, is.Unused = true, errors.New("the folder has no robots.txt")
	default:
		is.Unused = errors.New("the link leads to no robots.txt")
	}
	is.Path = filepath.Join(f.dir, name)
	if is.Unused == nil {
		is.Host, is.Unused = f.hostOf(name, strings.ReplaceAll(host, "%3A", ":"))
	}
	return is
}

// hostOf returns the host of which a file with a name is the robots.txt, if the name is one of those
// of the host, and the first of them that exists.
func (f *folder) hostOf(name, host string) (string, error) {
	if !isHost(host) {
		return "", errHost
	}
	for _, first := range names(host) {
		switch {
		case first == name:
			return host, nil
		case f.isFile(first):
			return "", fmt.Errorf("%s is the robots.txt of the same host, and used before it", first)
		}
	}
	return "", errHost
}

// isHost reports whether a text is a host and perhaps a port as Host returns them for some scheme.
// A port that is the default of one scheme belongs to the others.
func isHost(text string) bool {
	for _, scheme := range []string{"http://", "https://"} {
		if o, err := origin.Parse(scheme + text); err == nil && o.String() == scheme+text {
			return true
		}
	}
	return false
}

var errHost = errors.New("expected a host as the name, in lower case, such as www.example.com or www.example.com:8080.txt")
