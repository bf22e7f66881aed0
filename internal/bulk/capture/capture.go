// Package capture finds the capture that applies to the robots.txt of an origin at a time. A capture is what a URL answered
// at a time, as in a web archive. Redirects are followed.
package capture

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/authority"
	"github.com/heed-robots/heed/internal/redirect"
	"github.com/heed-robots/heed/origin"
)

// A Capture is what a URL answered at a time.
type Capture struct {
	URL string    // a URL in the form of Key, or a result of OfHost
	At  time.Time // zero: the time is unknown, and the capture is earlier than all captures with a time
	// Order sorts captures with the same URL and time in an archive. No verdict depends on this
	// order.
	Order int64
	Facts
	Body string // the robots.txt as UTF-8; "" if the answer was not a robots.txt
}

// UnknownTarget is the Location of a redirect whose target was not recorded. No capture has this key.
const UnknownTarget = "?"

// Facts are what is known about an answer, except its body.
type Facts struct {
	Status int // the HTTP status, or the code of the last FTP reply; 0 if no answer arrived
	// Location depends on the kind of the capture. For a redirect, it is the target as a Key, or UnknownTarget. For a
	// "revisit" record of WARC, it says which capture is the original. It is then the result of RevisitOf, or
	// UnknownOriginal. For other captures, it is "".
	Location     string
	Failed       bool       // true if the answer cannot be a robots.txt, or could not be read to its end
	Page         fetch.Page // as in fetch.Result
	SaysNotFound bool       // as in fetch.Result
	Truncated    bool       // the body has only the first part of the robots.txt, up to the end of a line
}

// Key returns a URL as archives keep it. Bytes such as "|" are escaped, because only some programs escape them.
func Key(url string) (string, error) {
	if len(url) > redirect.MaxURL {
		return "", errors.New("the URL is longer than 2 KiB; expected a shorter URL")
	}
	o, err := origin.Parse(url)
	if err != nil {
		return "", err
	}
	path, _, _ := strings.Cut(authority.After(url), "#")
	if path == "" || path[0] != '/' {
		path = "/" + strings.TrimPrefix(path, `\`)
	}
	return o.String() + escaped(path), nil
}

func isEscaped(c byte) bool {
	return c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}", c) >= 0
}

func escaped(path string) string {
	first := 0
	for first < len(path) && !isEscaped(path[first]) {
		first++
	}
	if first == len(path) {
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

// OfHost returns the key for all schemes of a host, such as "//www.example.com/robots.txt". The host may have a port.
func OfHost(host string) string { return "//" + host + "/robots.txt" }

// Of these keys for one robots.txt, the first with captures is used.
func keys(o origin.Origin) []string {
	host := o.Authority()
	all := []string{o.RobotsURL(), OfHost(host)}
	if host != o.Host() {
		all = append(all, OfHost(o.Host()))
	}
	return all
}

// A time without a zone is in UTC.
var layouts = []string{time.RFC3339, "2006-01-02 15:04:05Z07:00", time.DateTime, "2006-01-02T15:04:05", time.DateOnly}

// ParseStart reads a time such as 2026-05-03T14:00:00Z, or a day such as 2026-05-03. A day means its start in UTC.
func ParseStart(text string) (at time.Time, err error) {
	for _, layout := range layouts {
		if at, err = time.Parse(layout, text); err == nil {
			return at, nil
		}
	}
	return at, fmt.Errorf("%q: expected a day, such as 2026-05-03, or a time, such as 2026-05-03T14:00:00Z", text)
}

// ParseTime is like ParseStart, but a day means its last moment in UTC.
func ParseTime(text string) (time.Time, error) {
	at, err := ParseStart(text)
	if err == nil && len(text) == len(time.DateOnly) {
		at = at.AddDate(0, 0, 1).Add(-1)
	}
	return at, err
}
