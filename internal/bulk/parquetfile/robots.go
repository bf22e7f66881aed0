package parquetfile

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"

	"github.com/heed-robots/heed/internal/bulk"
	"github.com/heed-robots/heed/internal/bulk/parquetpages"
	"github.com/heed-robots/heed/internal/saved"
)

// Robots calls useRecord for every row after the first knownRows rows. A record is valid until useRecord returns.
func Robots(in io.ReaderAt, size int64, name string, columns *saved.Columns, knownRows int64, useRecord func(row int64, r *saved.Record) error, reject func(row int64, r bulk.Rejection)) error {
	f, err := parquetpages.Open(in, size)
	if err != nil {
		return err
	}
	r := &robotsReader{f: f, names: columns, unpack: parquetpages.NewDecompressor(), useRecord: useRecord}
	defer r.unpack.Close()
	r.reject = func(row int64, place, text string, err error) {
		reject(row, bulk.Rejection{Input: name, Place: place, Text: strings.Clone(text[:min(len(text), maxText)]), Err: err})
	}
	if err := r.findColumns(); err != nil {
		return err
	}
	for i := range f.Meta.RowGroups {
		before, rows := r.row, f.Meta.RowGroups[i].NumRows
		if r.row+rows <= knownRows {
			r.row += rows
			continue
		}
		if err := r.group(i); r.failed != nil {
			return r.failed
		} else if err != nil {
			r.reject(r.row+1, fmt.Sprintf("row group %d, from row %d", i, r.row+1), "", err)
		}
		r.row = before + rows
	}
	return nil
}

type robotsReader struct {
	f         *parquetpages.File
	unpack    *parquetpages.Decompressor
	names     *saved.Columns
	columns   []robotsColumn
	useRecord func(int64, *saved.Record) error
	reject    func(row int64, place, text string, err error)
	row       int64
	failed    error
}

type robotsColumn struct {
	says  saved.Name // what the values of the column mean
	name  string
	index int
	value func(parquet.Value) saved.Value
}

func (r *robotsReader) findColumns() error {
	names := r.f.Names()
	found, err := r.names.Find(names)
	if err != nil {
		return err
	}
	for n, i := range found {
		if i < 0 {
			continue
		}
		if r.f.Columns[i].MaxRepetitionLevel() > 0 {
			return errSeveral(names[i])
		}
		value, expected := valueOf(saved.Name(n), r.f.Columns[i].Type())
		if value == nil {
			return fmt.Errorf("the column %q of the Parquet file has the type %s; expected %s, because the column has the %s", names[i], r.f.Columns[i].Type(), expected, saved.Name(n))
		}
		r.columns = append(r.columns, robotsColumn{saved.Name(n), names[i], i, value})
	}
	return nil
}

func errSeveral(name string) error {
	return fmt.Errorf("the column %q of the Parquet file has rows with several values; expected one value in each row", name)
}

func (r *robotsReader) group(group int) (err error) {
	defer parquetpages.Caught(&err)()
	all := make([]cells, len(r.columns))
	for i, column := range r.columns {
		c, err := r.f.Column(group, column.index, r.unpack)
		if err != nil {
			return err
		}
		defer c.Close()
		all[i].c = c
	}
	values := make([]parquet.Value, len(all))
	for range r.f.Meta.RowGroups[group].NumRows {
		for i := range all {
			if values[i], err = all[i].next(); err != nil {
				return err
			}
		}
		r.row++
		row, err := r.rowOf(values)
		if err != nil {
			r.reject(r.row, "row "+strconv.FormatInt(r.row, 10), row.URL, err)
		} else if r.failed = r.useRecord(r.row, row); r.failed != nil {
			return r.failed
		}
	}
	return nil
}

func (r *robotsReader) rowOf(values []parquet.Value) (*saved.Record, error) {
	row := &saved.Record{}
	for i, c := range r.columns {
		var v saved.Value
		if !values[i].IsNull() {
			v = c.value(values[i])
		}
		if err := row.Set(c.says, c.name, v); err != nil {
			return row, err
		}
	}
	return row, r.names.Check(row)
}

type cells struct {
	c      *parquetpages.Column
	page   parquet.Page
	values parquet.ValueReader
	left   int64
	batch  [64]parquet.Value
	ready  []parquet.Value
}

func (c *cells) next() (parquet.Value, error) {
	for len(c.ready) == 0 {
		if c.left == 0 {
			if err := c.nextPage(); err != nil {
				return parquet.Value{}, err
			}
			continue
		}
		n, err := c.values.ReadValues(c.batch[:min(c.left, int64(len(c.batch)))])
		if n == 0 {
			return parquet.Value{}, c.c.Failed(errors.Join(err, parquetpages.Damaged("the last %d values of the page are missing", c.left)))
		}
		c.ready, c.left = c.batch[:n], c.left-int64(n)
	}
	v := c.ready[0]
	c.ready = c.ready[1:]
	return v, nil
}

func (c *cells) nextPage() (err error) {
	parquet.Release(c.page)
	c.page, err = c.c.Next()
	if err == io.EOF {
		err = c.c.Failed(parquetpages.Damaged("the column has fewer rows than the footer of the file says"))
	}
	if err == nil {
		c.values, c.left = c.page.Values(), c.page.NumValues()
	}
	return err
}
