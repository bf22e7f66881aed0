package robotstxt

import "strings"

// A location is the part of a URL that is compared. Where a URL has a query
// but no path, the path is "/" and has to be put in front.
type location struct {
	path     string
	addSlash bool
}

// locate finds in a target what the dialect compares. It reports false where
// the target is neither an absolute URL nor a path; for Google every string is
// one.
func (d *Dialect) locate(target string) (location, bool) {
	if d.path == googlePath {
		return locateAsGoogle(target), true
	}
	path, ok := cutPath(target)
	if !ok {
		return location{}, false
	}
	path, _, _ = strings.Cut(path, "#")
	if d.path == pathOnly {
		path, _, _ = strings.Cut(path, "?")
	}
	return location{path, path == "" || path[0] != '/'}, true
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
		if !isLetter(s[i]) && (i == 0 || !isDigit(s[i]) && strings.IndexByte("+-.", s[i]) < 0) {
			return false
		}
	}
	return s != ""
}

// locateAsGoogle cuts a URL as Google's parser does, which takes any string
// for one (U1 to U6).
func locateAsGoogle(url string) location {
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
	end := len(url)
	if fragment >= 0 {
		end = fragment
	}
	rest := url[start+path : end]
	addSlash := rest[0] != '/'
	rest, _, _ = strings.Cut(rest, "\x00") // a C string ends there (U6)
	return location{rest, addSlash}
}
