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

	"github.com/heed-robots/heed/internal/authority"
	"github.com/heed-robots/heed/origin"
)

// ErrNoFile means that a folder has no robots.txt of a host. The URLs of this host are then not allowed.
var ErrNoFile = errors.New("the folder has no robots.txt of this host")

func names(host string) (all []string) {
	for _, host := range spellings(host) {
		if !strings.HasSuffix(host, ".txt") && !isOtherName(host) && !isChangedURL(host) { // a file such as a.example.txt belongs to the host a.example
			all = append(all, host)
		}
		if host != "robots" && !isChangedURL(host) { // the name robots.txt does not say which host the file belongs to
			all = append(all, host+".txt")
		}
		all = append(all, filepath.Join(host, "robots.txt"))
	}
	return all
}

// People replace the "/" of a URL, as in example.com_robots.txt or https_example.com.txt. So these names are not read as hosts.
func isChangedURL(host string) bool {
	return strings.Contains(host, ".") && (strings.HasSuffix(host, "_robots") || strings.HasPrefix(host, "http_") || strings.HasPrefix(host, "https_"))
}

func isOtherName(name string) bool {
	return slices.Contains([]string{".warc", ".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".parquet", ".heed", ".db", ".sqlite", ".gz", ".zst", ".bak", ".old", ".orig", ".tmp"}, filepath.Ext(name))
}

// Windows allows no ":" in file names, so the host a.example:8080 may be written a.example%3A8080.
func spellings(host string) []string {
	if !strings.Contains(host, ":") {
		return []string{host}
	}
	return []string{host, strings.ReplaceAll(host, ":", "%3A")}
}

// Find returns the robots.txt of a host in a folder. It prefers a file whose name has the port.
func Find(dir, host string) (path string, info fs.FileInfo, err error) {
	all := names(host)
	if withoutPort, _ := authority.Split(host); withoutPort != host {
		all = append(all, names(withoutPort)...)
	}
	if path, info, err = firstFile(dir, all); info == nil && err == nil {
		all = slices.DeleteFunc(all, func(name string) bool { return strings.Contains(name, "%3A") })
		err = fmt.Errorf("%w: expected in %s one of the files %s", ErrNoFile, dir, strings.Join(all, ", "))
	}
	return path, info, err
}

func firstFile(dir string, names []string) (path string, info fs.FileInfo, err error) {
	for _, name := range names {
		if !filepath.IsLocal(name) {
			// The name cannot be a file name, for example "nul", which is a device on Windows.
			continue
		}
		path := filepath.Join(dir, name)
		switch info, err := os.Stat(path); {
		case isAbsent(err) || err == nil && info.IsDir():
		case err != nil:
			return path, nil, fmt.Errorf("robots.txt: %w", err)
		default:
			return path, info, nil
		}
	}
	return "", nil, nil
}

// These errors mean that a file cannot exist, for example because its name is too long.
func isAbsent(err error) bool {
	return slices.ContainsFunc([]error{fs.ErrNotExist, syscall.ENOTDIR, syscall.ENAMETOOLONG, syscall.ELOOP}, func(absent error) bool { return errors.Is(err, absent) })
}

// An Entry is a file or a folder in the folder that List reads.
type Entry struct {
	Path string // the path of a file; or the path of a folder, if the folder has no robots.txt
	// Host is the host of the robots.txt, such as "a.example:8080"; "" if the entry is not used.
	Host   string
	Unused error
	IsDir  bool // whether Path is a folder, and not a link to a folder
}

// List returns the files and folders in a folder, sorted by name, without hidden ones.
func List(dir string) ([]Entry, error) {
	entries, err := os.ReadDir(dir)
	all := make([]Entry, 0, len(entries))
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			all = append(all, entryOf(dir, e))
		}
	}
	return all, err
}

func entryOf(dir string, e fs.DirEntry) Entry {
	is := Entry{Path: filepath.Join(dir, e.Name())}
	host := e.Name()
	if e.Type()&(fs.ModeDir|fs.ModeSymlink) != 0 {
		if path, _, _ := firstFile(dir, []string{host, filepath.Join(host, "robots.txt")}); path != "" {
			is.Path = path
		} else {
			is.IsDir, is.Unused = e.IsDir(), errors.New("the folder has no file robots.txt, so heed does not use the folder")
			return is
		}
	}
	if is.Path == filepath.Join(dir, host) {
		host = strings.TrimSuffix(host, ".txt")
	}
	host = strings.ReplaceAll(host, "%3A", ":")
	if !isHost(host) {
		is.Unused = errHost
		return is
	}
	notUsed := errHost
	if end := filepath.Ext(host); end == ".gz" || end == ".zst" {
		notUsed = errCompressed
	}
	switch path, _, _ := firstFile(dir, names(host)); path {
	case is.Path:
		is.Host = host
	case "":
		is.Unused = notUsed
	default:
		used, _ := filepath.Rel(dir, path)
		is.Unused = fmt.Errorf("heed does not use this file, because %s has the robots.txt of the same host", used)
	}
	return is
}

// isHost also accepts the ports 80 and 443. Origin.Authority leaves out 80 for http, and 443 for
// https.
func isHost(text string) bool {
	for _, scheme := range []string{"http://", "https://"} {
		if o, err := origin.Parse(scheme + text); err == nil && o.String() == scheme+text {
			return true
		}
	}
	return false
}

var errCompressed = errors.New("heed does not decompress a robots.txt in a folder: decompress the file, and give it the name of its host, such as www.example.com")

var errHost = errors.New("the name of the file is not that of a host; expected a host in lower case and in ASCII, such as www.example.com, xn--bcher-kva.example or www.example.com:8080.txt")
