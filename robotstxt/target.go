package robotstxt

import (
	"strings"

	"github.com/heed-robots/heed/internal/ascii"
)

// A location is the part of a URL that is compared. Where a URL has a query
// but no path, the path is "/" and has to be put in front.
type location struct {
	path     string
	addSlash bool
}

// quickPath returns the path, with query and fragment, of a target that every
// dialect takes apart alike: one with a single slash in front, or one of http
// or https with a path. It reports false for all others.
func quickPath(target string) (string, bool) {
	if len(target) > 1 && target[0] == '/' {
		return target, target[1] != '/'
	}
	if target == "/" {
		return target, true
	}
	rest, ok := strings.CutPrefix(target, "https://")
	if !ok {
		if rest, ok = strings.CutPrefix(target, "http://"); !ok {
			return "", false
		}
	}
	for i := range len(rest) {
		switch rest[i] {
		case '/':
			return rest[i:], i > 0
		case '?', '#', ';':
			return "", false
		}
	}
	return "", false
}

// locate finds in a target what the dialect compares. It reports false where
// the target is neither an absolute URL nor a path; for Google every string is
// one.
func (d *Dialect) locate(target string) (location, bool) {
	if d.path == googlePath {
		return d.locateAsGoogle(target), true
	}
	path, ok := cutPath(target)
	if !ok {
		return location{}, false
	}
	path = d.cut(path)
	return location{path, path == "" || path[0] != '/'}, true
}

// cut leaves out what follows the part of a path that is compared: the
// fragment, for 1996 the query, and for Google what a NUL hides, since the
// parser takes the path for a C string (U-6).
func (d *Dialect) cut(path string) string {
	path, _, _ = strings.Cut(path, "#")
	switch d.path {
	case pathOnly:
		path, _, _ = strings.Cut(path, "?")
	case googlePath:
		path, _, _ = strings.Cut(path, "\x00")
	}
	return path
}

// cutPath returns what follows the authority of an absolute URL, or the target
// itself where it begins with a slash.
func cutPath(target string) (string, bool) {
	if target != "" && target[0] == '/' {
		return target, true
	}
	scheme, rest, ok := strings.Cut(target, "://")
	if !ok || !isScheme(scheme) {
		return "", false
	}
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	return rest[end:], end > 0
}

func isScheme(s string) bool {
	for i := range len(s) {
		if !ascii.IsLetter(s[i]) && (i == 0 || !ascii.IsDigit(s[i]) && strings.IndexByte("+-.", s[i]) < 0) {
			return false
		}
	}
	return s != ""
}

// locateAsGoogle cuts a URL as Google's parser does, which takes any string
// for one (U-1 to U-6).
func (d *Dialect) locateAsGoogle(url string) location {
	url = strings.TrimPrefix(url, "//")
	start := 0
	if protocol := strings.Index(url, "://"); protocol >= 0 && !strings.ContainsAny(url[:protocol], "/?;") {
		start = protocol + len("://")
	}
	path := strings.IndexAny(url[start:], "/?;")
	fragment := strings.IndexByte(url, '#')
	if path < 0 || fragment >= 0 && fragment < start+path {
		return location{path: "/"}
	}
	rest := d.cut(url[start+path:])
	return location{rest, rest[0] != '/'}
}
