// Package sitemap reads sitemaps: the lists of URLs that a site publishes for crawlers
// (https://www.sitemaps.org/protocol.html). It opens no file and no connection by itself.
//
// A sitemap is one of these, plain or compressed with gzip:
//
//   - XML with a urlset, or with a sitemapindex, which names other sitemaps
//   - a text with one URL on each line
//   - a feed: RSS 2.0 or Atom
//
// The encoding is UTF-8, UTF-16 with a byte-order mark, or the one that the XML declaration names.
//
// All input is untrusted. Exceeding a limit is an error. XML entities are never expanded, and a DOCTYPE is an
// error.
//
// A wrong entry yields an error with its line, and the next entries are still read. After malformed XML or an exceeded
// limit, only other files are read.
package sitemap

import (
	"errors"
	"fmt"

	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/origin"
)

type Entry struct {
	URL   string // absolute, with http, https or ftp
	Index bool   // URL is a sitemap, because the entry is in an index
	File  string
	Line  int // counted from 1
}

type limits struct {
	Bytes   int64 // the size of one file after decompression
	Entries int   // the entries of one file
	Nesting int   // the levels of indexes above a sitemap; the protocol allows 1
	Files   int   // how many files All opens
	Total   int   // the entries that All yields, from all files together
}

// The limits of one file are those of the protocol.
var usual = limits{Bytes: 50 << 20, Entries: 50_000, Nesting: 3, Files: 1000, Total: 1_000_000}

const (
	maxURL   = 2048    // in bytes; the protocol says that URLs are shorter
	maxToken = 1 << 20 // bytes of one tag, text or comment, and of one line
	maxDepth = 32      // nested elements; a sitemap with extensions needs 5
)

// Each error about a limit wraps ErrLimit.
var ErrLimit = errors.New("heed does not read all of the sitemap, because it exceeds a limit")

type Error struct {
	File string
	Line int // counted from 1; 0 means the whole file
	Err  error

	IsOneURL bool // only one URL is wrong; otherwise a part of the sitemap, or all of it, could not be read
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %v", e.File, e.Err)
	}
	return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

func limitError(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrLimit}, args...)...)
}

func checkURL(url string) error {
	if len(url) >= maxURL {
		return limitError("the URL has %d bytes, and must have fewer than %d: %s", len(url), maxURL, printable.Quote(url))
	}
	if _, err := origin.Parse(url); err != nil {
		return fmt.Errorf("URL %s: %w", printable.Quote(url), errors.Unwrap(err))
	}
	return nil
}
