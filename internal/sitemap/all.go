package sitemap

import (
	"fmt"
	"io"
	"iter"

	"github.com/heed-robots/heed/internal/printable"
)

// All yields the entries of a sitemap. If it is an index, All yields the entries of all
// sitemaps that it names, one after the other. All calls open once for name, and once for
// each URL that an index names. Every error is an *Error. After an error about one entry or
// one file the others follow.
func All(open func(name string) (io.ReadCloser, error), name string, l Limits) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		w := walk{open: open, limits: l.withDefaults(), yield: yield, seen: map[string]bool{name: true}}
		w.file(name, &Error{File: name}, 0)
	}
}

// walk is the state of one call of All.
type walk struct {
	open   func(name string) (io.ReadCloser, error)
	limits Limits
	yield  func(Entry, error) bool
	seen   map[string]bool // names of files that were opened
	total  int             // entries yielded
}

// file yields the entries of a file, and of the files that it names. If the result is
// false, All ends. from is the place that names the file, for an error; nesting is how many
// indexes lead to the file.
func (w *walk) file(name string, from *Error, nesting int) bool {
	in, err := w.open(name)
	if err != nil {
		if from.Line > 0 {
			err = fmt.Errorf("sitemap %s: %w", printable.Quote(name), err)
		}
		return w.yield(Entry{}, &Error{from.File, from.Line, err})
	}
	sitemaps, ok := w.entries(in, name)
	in.Close()
	return ok && w.index(sitemaps, nesting+1)
}

// entries yields the entries of a file, except sitemaps, which it returns. If ok is false,
// All ends.
func (w *walk) entries(in io.Reader, name string) (sitemaps []Entry, ok bool) {
	for entry, err := range Read(in, name, w.limits) {
		switch {
		case err == nil && entry.Index:
			sitemaps = append(sitemaps, entry)
			continue
		case err == nil && w.total == w.limits.Total:
			w.yield(Entry{}, &Error{entry.File, entry.Line, limitError("more than %d URLs in all", w.limits.Total)})
			return nil, false
		case err == nil:
			w.total++
		}
		if !w.yield(entry, err) {
			return nil, false
		}
	}
	return sitemaps, true
}

// index yields the entries of the sitemaps that an index names. If the result is
// false, All ends.
func (w *walk) index(sitemaps []Entry, nesting int) bool {
	for _, s := range sitemaps {
		at := &Error{File: s.File, Line: s.Line}
		switch {
		case w.seen[s.URL]:
			continue
		case nesting > w.limits.Nesting:
			at.Err = limitError("sitemap indexes are nested more than %d levels deep", w.limits.Nesting)
			return w.yield(Entry{}, at)
		case len(w.seen) == w.limits.Files:
			at.Err = limitError("more than %d files", w.limits.Files)
			w.yield(Entry{}, at)
			return false
		}
		w.seen[s.URL] = true
		if !w.file(s.URL, at, nesting) {
			return false
		}
	}
	return true
}
