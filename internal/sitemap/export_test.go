package sitemap

import (
	"cmp"
	"io"
	"iter"
)

type Limits = limits

// withUsual replaces each limit that is 0.
func withUsual(l Limits) Limits {
	return Limits{cmp.Or(l.Bytes, usual.Bytes), cmp.Or(l.Entries, usual.Entries), cmp.Or(l.Nesting, usual.Nesting), cmp.Or(l.Files, usual.Files), cmp.Or(l.Total, usual.Total)}
}

func ReadWithin(in io.Reader, name string, l Limits) iter.Seq2[Entry, error] {
	return read(in, name, withUsual(l))
}

func AllWithin(open func(name string) (io.ReadCloser, error), name string, l Limits) iter.Seq2[Entry, error] {
	return all(open, name, withUsual(l))
}
