// Package capture has what the URLs of robots.txt files answered at a time, as archives of the web
// keep it, and finds the answer that holds for an origin: the captures of redirects are joined with
// those of their targets.
package capture

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/redirect"
	"github.com/heed-robots/heed/origin"
)

// A Capture is what a URL answered at a time.
type Capture struct {
	URL   string    // as Key returns it, or OfHost
	At    time.Time // zero: unknown, which is before all others
	Order int64     // sorts the captures of a URL with equal At in an archive; no answer depends on it
	Facts
	Body string // the robots.txt as UTF-8; "" if the URL did not answer with one
}

// Facts are what is known about an answer beside its body.
type Facts struct {
	Status       int        // of the response, or code of the last FTP reply; 0: none arrived
	Location     string     // where a redirect leads, as Key returns it; "": it is none, or leads to no URL of http or https
	Failed       bool       // the answer cannot be a robots.txt, or could not be read to its end
	Page         fetch.Page // as in fetch.Result
	SaysNotFound bool       // as in fetch.Result
	Truncated    bool       // the body is cut; it ends with a whole line
}

// Key returns the form of a URL under which its captures are kept: its origin as package origin writes
// it, its path and its query, in which bytes that no URL has are escaped: programs differ in that.
// The fragment is dropped.
func Key(url string) (string, error) {
	if len(url) > redirect.MaxURL { // no redirect to it is followed
		return "", errors.New("expected a URL of at most 2 KiB")
	}
	o, err := origin.Parse(url)
	if err != nil {
		return "", err
	}
	_, rest, _ := strings.Cut(url, "://")
	rest, _, _ = strings.Cut(rest, "#")
	path := rest[len(origin.Authority(rest)):]
	if path == "" || path[0] != '/' {
		path = "/" + strings.TrimPrefix(path, `\`)
	}
	return o.String() + escaped(path), nil
}

// isEscaped tells whether a URL has a byte in an escape only.
func isEscaped(c byte) bool {
	return c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}", c) >= 0
}

// escaped escapes the bytes of a path or query that no URL has.
func escaped(path string) string {
	first := 0
	for first < len(path) && !isEscaped(path[first]) {
		first++
	}
	if first == len(path) { // nearly always
		return path
	}
	text := []byte(path[:first])
	for i := first; i < len(path); i++ {
		if c := path[i]; isEscaped(c) {
			text = append(text, '%', hex[c>>4], hex[c&15])
		} else {
			text = append(text, c)
		}
	}
	return string(text)
}

const hex = "0123456789ABCDEF"

// OfHost returns the key of a robots.txt that holds for a host in every scheme, such as a file of a
// folder: "//www.example.com/robots.txt". The host may have a port.
func OfHost(host string) string { return "//" + host + "/robots.txt" }

// keys returns the keys under which the captures of an origin's robots.txt are, the first one that has
// some is used. A file of a folder is used for each scheme, and also for ports without a file.
func keys(o origin.Origin) []string {
	host := o.Authority()
	all := []string{o.RobotsURL(), OfHost(host)}
	if host != o.Host() {
		all = append(all, OfHost(o.Host()))
	}
	return all
}

// ParseTime reads a time at which captures hold: a day, such as 2026-05-03, which means its end in UTC, or
// a time, such as 2026-05-03T14:00:00Z.
func ParseTime(text string) (time.Time, error) {
	if t, err := time.Parse(time.DateOnly, text); err == nil {
		return t.AddDate(0, 0, 1).Add(-1), nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return t, fmt.Errorf("%q: expected a day, such as 2026-05-03, or a time, such as 2026-05-03T14:00:00Z", text)
	}
	return t, nil
}
