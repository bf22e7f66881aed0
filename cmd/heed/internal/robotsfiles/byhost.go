package robotsfiles

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/heed-robots/heed/cmd/heed/internal/exit"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// ErrNoFile means that a folder contains no robots.txt of a host. Nothing is known about the
// URLs of that host then, so they are not allowed.
var ErrNoFile = errors.New("no robots.txt of the host")

// StatusOf returns the exit status if a robots.txt cannot be used.
func StatusOf(err error) int {
	if errors.Is(err, ErrNoFile) {
		return exit.Undetermined
	}
	return exit.Usage
}

// HostKey returns the key of the robots.txt of an origin in a folder. The key contains the
// host and a port that is not the default of the scheme, but not the scheme.
func HostKey(o origin.Origin, d *robotstxt.Dialect) Key {
	key := Key{Kind: OfHost, Text: o.Host(), Dialect: d}
	if len(o.String()) > len(o.Scheme())+len("://")+len(o.Host()) { // String omits a default port
		key.port = o.Port()
	}
	return key
}

// hostFiles returns the names of the files that may be the robots.txt of a host: the first
// one that exists is used. The host comes from an origin, so it contains no "/" or "..".
func hostFiles(host string, port uint16) []string {
	names := []string{host, host + ".txt", filepath.Join(host, "robots.txt")}
	if port == 0 {
		return names
	}
	at := fmt.Sprintf("%s:%d", host, port)
	return append([]string{at, at + ".txt", filepath.Join(at, "robots.txt")}, names...)
}

// findByHost finds the robots.txt of a host in a folder. Port 0 is the default of the scheme.
func findByHost(dir, host string, port uint16) (fileState, error) {
	names := hostFiles(host, port)
	for _, name := range names {
		if !filepath.IsLocal(name) {
			continue // the name of a device on Windows, such as "nul"
		}
		path := filepath.Join(dir, name)
		info, err := os.Stat(path)
		switch {
		case isAbsent(err) || err == nil && info.IsDir():
			continue
		case err != nil:
			return fileState{}, fmt.Errorf("robots.txt: %w", err)
		}
		return statFile(path)
	}
	return fileState{}, fmt.Errorf("%w %s in %s: expected one of %s", ErrNoFile, host, dir, strings.Join(names, ", "))
}

// isAbsent reports whether an error means that a file does not exist. No file can exist below
// a file (ENOTDIR) or have a name that is too long (ENAMETOOLONG).
func isAbsent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ENAMETOOLONG)
}
