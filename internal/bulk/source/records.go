package source

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strconv"

	"github.com/heed-robots/heed/internal/bulk"
	"github.com/heed-robots/heed/internal/bulk/parquetfile"
	"github.com/heed-robots/heed/internal/saved"
)

// Records are the answers in JSON lines, CSV, TSV or Parquet.
type Records struct {
	in    *input
	lines *saved.Lines // nil if the file is a Parquet file
	name  string
	// The field known is the number of rows at the start of a Parquet file that need not be read.
	known int64
	err   error
}

// A Record is a line or a row of a file.
type Record struct {
	Number int    // the number of the line or row, counted from 1
	Place  string // the number with a word, such as "line 7" or "row 7"
	// Read returns the answer; see saved.Record.Answer. Several goroutines may call Read at the same time if each of them
	// has another Record.
	Read func(withFiles bool) (saved.Answer, error)
}

// OpenRecords opens a file, which may be compressed. name is its name in errors.
func OpenRecords(path, name string, columns *saved.Columns) (*Records, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	in := &input{file: file, raw: &countingReader{file: file}, columns: columns}
	if _, err = in.decompress(); err == io.EOF {
		err = nil
	}
	if err == nil {
		begin, _ := in.text.Peek(maxBegin) // an error can be ignored here, because it comes again when the lines are read
		switch kind := kindOf(begin, columns); kind {
		case Parquet:
			in.kind = Parquet
		case Store, Archive, WARC:
			err = fmt.Errorf("the format of the file is %s; expected JSON lines, CSV, TSV or Parquet", kind)
		}
	}
	var r *Records
	if err == nil {
		r, err = in.recordsOf(name)
	}
	if err != nil {
		in.close()
		return nil, err
	}
	return r, nil
}

func (in *input) recordsOf(name string) (r *Records, err error) {
	r = &Records{in: in, name: name}
	if in.kind != Parquet {
		r.lines, err = in.lines(name)
	}
	return r, err
}

func (r *Records) Close() { r.in.close() }

// Err is nil if All read the file to its end.
func (r *Records) Err() error {
	switch {
	case r.lines != nil:
		return r.lines.Err()
	case r.err != nil:
		return fmt.Errorf("%s: %w", r.name, r.err)
	}
	return nil
}

// All yields the records. It leaves out blank lines and the header of a table.
func (r *Records) All() iter.Seq[Record] {
	return func(yield func(Record) bool) {
		if r.lines == nil {
			r.err = r.rows(yield)
			return
		}
		for l := range r.lines.All() {
			read := func(withFiles bool) (saved.Answer, error) { return r.lines.Read(l, withFiles) }
			if !yield(Record{l.Number, "line " + strconv.Itoa(l.Number), read}) {
				return
			}
		}
	}
}

func (r *Records) rows(yield func(Record) bool) error {
	info, err := r.in.file.Stat()
	if err != nil {
		return err
	}
	stop, isWanted := errors.New("heed needs no more rows of this file, so it stops reading"), true
	give := func(row int64, place string, a saved.Answer, err error) error {
		isWanted = isWanted && yield(Record{int(row), place, func(bool) (saved.Answer, error) { return a, err }})
		if !isWanted {
			return stop
		}
		return nil
	}
	each := func(row int64, from *saved.Record) error {
		a, err := from.Answer(false)
		a.Body = bytes.Clone(a.Body) // Body is only valid until the next row, so it is copied
		return give(row, "row "+strconv.FormatInt(row, 10), a, err)
	}
	rejected := func(row int64, p bulk.Rejection) { give(row, p.Place, saved.Answer{}, p.Err) }
	err = parquetfile.Robots(r.in.raw, info.Size(), r.name, r.in.columns, r.known, each, rejected)
	if err != nil && !errors.Is(err, stop) {
		return err
	}
	return nil
}
