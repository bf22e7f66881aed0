package parquetfile

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/heed-robots/heed/internal/bulk"
	"github.com/heed-robots/heed/internal/bulk/parquetpages"
)

// A Row has the values of a row, which say what a URL answered. What is null is "", 0 or nil.
type Row struct {
	URL, Origin string
	Status      int
	Body        []byte // valid until each returns, as the next two
	Robots      []byte
	RobotsB64   []byte // decoded
	Fetched     string // a timestamp as in RFC 3339
	Location    string // of a redirect
}

// names are the columns of Robots; the first one that a file has is used.
var names = [...][]string{
	{"url"}, {"origin"}, {"status"}, {"body", "content"}, {"robots"}, {"robots_b64"}, {"fetched", "fetch_time", "warc_date"}, {"location"},
}

const (
	urlCell = iota
	originCell
	statusCell
	bodyCell
	robotsCell
	base64Cell
	atCell
	locationCell
)

// Robots reads robots.txt files out of the rows of a Parquet file. Columns are url or origin, and if there are any, status,
// body (or content), robots, robots_b64, fetched (or fetch_time, or warc_date; a timestamp, or a text as
// in RFC 3339) and location. each gets every row with its number, counted from 1, and decides whether its values
// go together; its error ends Robots. rejected gets rows with a value that cannot be read, and row groups that are
// damaged, whose rows before the damage were passed to each; nil: they are skipped.
func Robots(in io.ReaderAt, size int64, name string, each func(row int64, r *Row) error, rejected func(bulk.Rejection)) error {
	f, err := parquetpages.Open(in, size)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if rejected == nil {
		rejected = func(bulk.Rejection) {}
	}
	r := &robotsReader{f: f, unpack: parquetpages.NewDecompressor(), each: each}
	defer r.unpack.Close()
	r.reject = func(place, text string, err error) {
		rejected(bulk.Rejection{Input: name, Place: place, Text: strings.Clone(text[:min(len(text), maxText)]), Err: err})
	}
	if err := r.find(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for i := range f.Meta.RowGroups {
		before := r.row
		if err := r.group(i); r.failed != nil {
			return r.failed
		} else if err != nil {
			r.reject(fmt.Sprintf("row group %d, from row %d", i, r.row+1), "", err)
		}
		r.row = before + f.Meta.RowGroups[i].NumRows
	}
	return nil
}

type robotsReader struct {
	f       *parquetpages.File
	unpack  *parquetpages.Decompressor
	columns [len(names)]int // indexes; -1: there is none
	each    func(int64, *Row) error
	reject  func(place, text string, err error)
	row     int64
	failed  error // of each
}

// find finds the columns.
func (r *robotsReader) find() error {
	for i := range names {
		r.columns[i] = -1
		for _, name := range names[i] {
			if n, err := named(r.f, name); err != nil {
				return err
			} else if n >= 0 && r.columns[i] < 0 {
				r.columns[i] = n
			}
		}
	}
	if r.columns[urlCell] < 0 && r.columns[originCell] < 0 {
		_, err := textColumn(r.f, "url")
		return fmt.Errorf("no robots.txt files: %w", err)
	}
	if max(r.columns[statusCell], r.columns[bodyCell], r.columns[robotsCell], r.columns[base64Cell], r.columns[locationCell]) < 0 {
		return errors.New("no robots.txt files: expected a column status or body; a list of URLs is an input, not a source")
	}
	return nil
}

// named returns the index of a column beside which no other is in its rows, or -1.
func named(f *parquetpages.File, name string) (int, error) {
	i := slices.IndexFunc(f.Columns, func(c *parquet.Column) bool { return parquetpages.PathOf(c) == name })
	if i >= 0 && f.Columns[i].MaxRepetitionLevel() > 0 {
		return 0, fmt.Errorf("its column %q has several values in a row", name)
	}
	return i, nil
}

// group reads a row group.
func (r *robotsReader) group(group int) (err error) {
	defer parquetpages.Caught(&err)()
	var columns [len(names)]*cells
	for i, column := range r.columns {
		if column < 0 {
			continue
		}
		c, err := r.f.Column(group, column, r.unpack)
		if err != nil {
			return err
		}
		defer c.Close()
		columns[i] = &cells{c: c}
	}
	for range r.f.Meta.RowGroups[group].NumRows {
		var values [len(names)]parquet.Value
		for i, c := range columns {
			if c == nil {
				continue
			}
			if values[i], err = c.next(); err != nil {
				return err
			}
		}
		r.row++
		row, err := r.rowOf(&values)
		if err != nil {
			r.reject("row "+strconv.FormatInt(r.row, 10), row.URL, err)
		} else if r.failed = r.each(r.row, row); r.failed != nil {
			return r.failed
		}
	}
	return nil
}

func (r *robotsReader) rowOf(values *[len(names)]parquet.Value) (row *Row, err error) {
	row = &Row{Body: bytesOf(&values[bodyCell]), Robots: bytesOf(&values[robotsCell])}
	row.URL, row.Origin = string(bytesOf(&values[urlCell])), string(bytesOf(&values[originCell]))
	row.Location = string(bytesOf(&values[locationCell]))
	if text := bytesOf(&values[base64Cell]); text != nil {
		row.RobotsB64, err = base64.StdEncoding.AppendDecode([]byte{}, text)
		if err != nil || bytes.ContainsAny(text, "\r\n") { // which JSON refuses too
			return row, errors.New("robots_b64: expected base64, in one line")
		}
	}
	if v := &values[statusCell]; !v.IsNull() {
		if row.Status, err = strconv.Atoi(v.String()); err != nil {
			return row, fmt.Errorf("%q is no status", v.String())
		}
	}
	if v := &values[atCell]; !v.IsNull() {
		row.Fetched, err = timeOf(v, r.f.Columns[r.columns[atCell]])
	}
	return row, err
}

// bytesOf returns a text; nil: it is null, or no text.
func bytesOf(v *parquet.Value) []byte {
	if v.Kind() != parquet.ByteArray {
		return nil
	}
	return v.ByteArray()
}

// timeOf returns the time in a value of a column, as in RFC 3339.
func timeOf(v *parquet.Value, c *parquet.Column) (string, error) {
	switch v.Kind() {
	case parquet.ByteArray:
		return string(v.ByteArray()), nil
	case parquet.Int96:
		const epoch = 2440588 // the Julian day of 1970-01-01
		n := v.Int96()
		return textOf(time.Unix((int64(n[2])-epoch)*24*60*60, int64(uint64(n[1])<<32|uint64(n[0])))), nil
	case parquet.Int64:
		n := v.Int64()
		logical := c.Type().LogicalType()
		if logical == nil {
			break
		}
		stamp, ok := logical.Value.(*format.TimestampType)
		if !ok {
			break
		}
		switch stamp.Unit.Value.(type) {
		case *format.MilliSeconds:
			return textOf(time.UnixMilli(n)), nil
		case *format.MicroSeconds:
			return textOf(time.UnixMicro(n)), nil
		}
		return textOf(time.Unix(n/1e9, n%1e9)), nil
	}
	return "", fmt.Errorf("the column %s is no timestamp and no text", parquetpages.PathOf(c))
}

func textOf(at time.Time) string { return at.UTC().Format(time.RFC3339Nano) }

// cells are the values of a column, one for each row.
type cells struct {
	c      *parquetpages.Column
	page   parquet.Page
	values parquet.ValueReader
	left   int64
	batch  [64]parquet.Value
	ready  []parquet.Value
}

// next returns the next value, valid until the following call.
func (c *cells) next() (parquet.Value, error) {
	for len(c.ready) == 0 {
		if c.left == 0 {
			if err := c.turn(); err != nil {
				return parquet.Value{}, err
			}
			continue
		}
		n, err := c.values.ReadValues(c.batch[:min(c.left, int64(len(c.batch)))])
		if n == 0 {
			return parquet.Value{}, c.c.Failed(errors.Join(err, fmt.Errorf("%d values are missing", c.left)))
		}
		c.ready, c.left = c.batch[:n], c.left-int64(n)
	}
	v := c.ready[0]
	c.ready = c.ready[1:]
	return v, nil
}

// turn goes to the next page.
func (c *cells) turn() (err error) {
	parquet.Release(c.page)
	c.page, err = c.c.Next()
	if err == io.EOF {
		err = c.c.Failed(errors.New("it has too few rows"))
	}
	if err == nil {
		c.values, c.left = c.page.Values(), c.page.NumValues()
	}
	return err
}
