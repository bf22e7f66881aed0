package sitemap

import (
	"fmt"
	"io"
	"iter"
)

// All yields the entries of the sitemap called name and, where that is an
// index, of all sitemaps that it names, one after the other. open opens name,
// and each URL that an index names. Each file is opened once, however often it
// is named. An error is an *Error; where it is about one entry or one file, the
// others follow.
func All(open func(name string) (io.ReadCloser, error), name string, l Limits) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		w := walk{open: open, limits: l.withDefaults(), yield: yield, seen: map[string]bool{name: true}}
		w.file(name, &Error{File: name}, 0)
	}
}

// walk is a run of All.
type walk struct {
	open   func(name string) (io.ReadCloser, error)
	limits Limits
	yield  func(Entry, error) bool
	seen   map[string]bool
	total  int
}

// file yields the entries of a file, which so many indexes lead to, and reports
// whether to go on. from is where the file is named.
func (w *walk) file(name string, from *Error, nesting int) bool {
	in, err := w.open(name)
	if err != nil {
		if from.Line > 0 {
			err = fmt.Errorf("sitemap %s: %w", short(name), err)
		}
		return w.yield(Entry{}, &Error{from.File, from.Line, err})
	}
	below, ok := w.entries(in, name)
	in.Close()
	return ok && w.index(below, nesting+1)
}

// entries yields the entries of a file, but for the sitemaps that it names,
// which it returns. ok reports whether to go on.
func (w *walk) entries(in io.Reader, name string) (below []Entry, ok bool) {
	for entry, err := range Read(in, name, w.limits) {
		switch {
		case err == nil && entry.Index:
			below = append(below, entry)
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
	return below, true
}

// index yields the entries of the sitemaps that an index names.
func (w *walk) index(sitemaps []Entry, nesting int) bool {
	for _, s := range sitemaps {
		at := &Error{File: s.File, Line: s.Line}
		switch {
		case w.seen[s.URL]:
			continue
		case nesting > w.limits.Nesting:
			at.Err = limitError("indexes name indexes more than %d times", w.limits.Nesting)
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
