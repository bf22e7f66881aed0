// Package sitemap reads sitemaps: the lists of URLs that a site publishes for
// crawlers (https://www.sitemaps.org/protocol.html). Read reads one file; All
// also reads the sitemaps that an index names. The package opens no file and no
// connection by itself.
//
// A sitemap is one of these, plain or compressed with gzip:
//
//   - XML with a urlset, or with a sitemapindex, which names other sitemaps
//   - a text with one URL on each line
//   - a feed: RSS 2.0 or Atom
//
// The encoding is UTF-8, UTF-16 with a byte-order mark, or what the XML
// declaration says.
//
// # Hostile files
//
// All input is untrusted. A file is read as a stream, and each of the Limits is
// an error when it is reached: nothing is left out silently. XML entities are
// never expanded, and a document type declaration (DOCTYPE) is an error: a
// sitemap has none.
//
// # Errors
//
// An entry that is wrong is an error with its line, and the entries behind it
// are still read. XML that is malformed, and a limit, end the file; All goes on
// with the next file.
package sitemap

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/heed-robots/heed/origin"
)

// An Entry is a URL of a sitemap.
type Entry struct {
	URL     string // absolute, of http, https or ftp
	LastMod string // when the page changed, as written; "": the sitemap does not say
	Index   bool   // the URL is that of a sitemap: it stands in an index
	File    string // where the URL stands
	Line    int
}

// The forms of a time: those of the protocol (W3C Datetime), and those of RSS.
var timeForms = []string{
	time.RFC3339Nano, time.DateOnly, "2006-01-02T15:04Z07:00", "2006-01", "2006",
	time.RFC1123Z, time.RFC1123, "Mon, 2 Jan 2006 15:04:05 -0700", "Mon, 2 Jan 2006 15:04:05 MST",
}

// Modified returns LastMod as a time. The error says what was expected.
func (e Entry) Modified() (time.Time, error) {
	for _, form := range timeForms {
		if t, err := time.Parse(form, e.LastMod); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("lastmod %s: expected a time such as 2026-05-03 or 2026-05-03T14:00:00Z", short(e.LastMod))
}

// Limits bound what is read. For each field 0 means the number given there.
type Limits struct {
	// Bytes of one file, after decompression; 0 means 50 MiB, the limit of the protocol.
	Bytes int64
	// Entries of one file; 0 means 50,000, the limit of the protocol.
	Entries int
	// Nesting is how deep indexes may name indexes; 0 means 3. The protocol says 1:
	// an index names no other index.
	Nesting int
	// Files is how many files All opens; 0 means 1,000.
	Files int
	// Total is how many entries All yields, of all files; 0 means 1,000,000.
	Total int
}

func (l Limits) withDefaults() Limits {
	return Limits{
		Bytes:   cmp.Or(l.Bytes, 50<<20),
		Entries: cmp.Or(l.Entries, 50_000),
		Nesting: cmp.Or(l.Nesting, 3),
		Files:   cmp.Or(l.Files, 1000),
		Total:   cmp.Or(l.Total, 1_000_000),
	}
}

const (
	maxURL   = 2048    // characters; the protocol: fewer than that
	maxToken = 1 << 20 // octets of one tag, text or comment of XML, and of a line
	maxDepth = 32      // of elements; a sitemap with extensions has 5
)

// ErrLimit is part of each error about a limit.
var ErrLimit = errors.New("limit exceeded")

// An Error says what is wrong with a file, and where.
type Error struct {
	File string
	Line int // from 1; 0: the file as a whole
	Err  error
}

// Error returns the file, the line and what is wrong.
func (e *Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %v", e.File, e.Err)
	}
	return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err)
}

// Unwrap returns what is wrong.
func (e *Error) Unwrap() error { return e.Err }

// limitError says which limit was exceeded.
func limitError(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrLimit}, args...)...)
}

// checkURL says what is wrong with the URL of an entry.
func checkURL(url string) error {
	if len(url) >= maxURL {
		return limitError("the URL has %d bytes, and must have fewer than %d: %s", len(url), maxURL, short(url))
	}
	if _, err := origin.Parse(url); err != nil {
		return fmt.Errorf("URL %s: %w", short(url), errors.Unwrap(err))
	}
	return nil
}

// short quotes a text for an error, and cuts it off where it is long.
func short(s string) string {
	const most = 100
	if len(s) > most {
		return fmt.Sprintf("%q…", strings.ToValidUTF8(s[:most], ""))
	}
	return fmt.Sprintf("%q", s)
}
