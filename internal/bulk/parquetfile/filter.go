package parquetfile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/heed-robots/heed/internal/bulk"
	"github.com/heed-robots/heed/internal/bulk/parquetpages"
	"github.com/heed-robots/heed/internal/ordered"
)

type Options struct {
	// Column is the column with the URLs, such as "page.url" if it is nested; "" means "url".
	Column string

	Keep bulk.Keep

	// Columns are the Columns of the Decider. If there is one, the file gets the columns verdict, reason, line and rule. If
	// there are several, the file gets one column for each of them.
	Columns []bulk.Column

	// Prefix is put before the names of all added columns; it may be "".
	Prefix string

	// Decider must not be nil.
	Decider *bulk.Decider

	// Workers is how many row groups are checked at the same time. 0 means runtime.GOMAXPROCS.
	Workers int

	// Rejected is called for each row without a URL, and for each damaged row group.
	Rejected func(bulk.Rejection)

	// Done is called after each row group, with the number of rows in this group.
	Done func(rows int64)
}

// A DamagedError is about row groups that cannot be read.
type DamagedError struct {
	Input string
	First int   // the index of the first damaged row group, counted from 0
	Rows  int64 // the number of rows in all damaged row groups
	Err   error // the error of the first damaged row group
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("%s: heed cannot read the row group %d: %v; %d rows of the input are not checked", e.Input, e.First, e.Err, e.Rows)
}

func (e *DamagedError) Unwrap() error { return e.Err }

var errNoURL = errors.New("this row has no URL, so heed does not check it; expected a URL in the column with the URLs")

type filter struct {
	options *Options
	name    string
	in      *parquetpages.File
	url     int
	first   []int64 // for each row group, the number of rows before it
	// If all rows are kept, the columns of the input are copied, and schema has only the verdict columns.
	schema   *parquet.Schema
	verdicts int // the index of the first verdict column in schema
	damage   *DamagedError
}

// Filter checks the URLs in a Parquet file, and writes a file with the kept rows.
//
// After a DamagedError, the output is a valid file without the damaged row groups. After any other error, it is not valid.
func Filter(ctx context.Context, in io.ReaderAt, size int64, name string, out io.Writer, o *Options) (bulk.Counts, error) {
	counts := o.Decider.Counts()
	f, err := newFilter(in, size, name, o)
	if err != nil {
		return counts, fmt.Errorf("%s: %w", name, err)
	}
	to, err := newOutput(out, &f.in.Meta, addedElements(o))
	if err != nil {
		return counts, err
	}
	next := 0
	ordered.Map(cmp.Or(max(o.Workers, 0), runtime.GOMAXPROCS(0)), func() (int, bool) {
		next++
		return next - 1, next <= len(f.in.Meta.RowGroups) && ctx.Err() == nil
	}, func() func(int) *checkedGroup {
		return f.worker().check
	}, func(d *checkedGroup) {
		if err == nil && ctx.Err() == nil {
			err = f.writeGroup(d, to, &counts)
		}
	})
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return counts, err
	}
	if err = to.close(); err == nil && f.damage != nil {
		err = f.damage
	}
	return counts, err
}

func newFilter(in io.ReaderAt, size int64, name string, o *Options) (*filter, error) {
	opened, err := parquetpages.Open(in, size)
	if err != nil {
		return nil, err
	}
	f := &filter{options: o, name: name, in: opened}
	if f.url, err = textColumn(opened, cmp.Or(o.Column, "url")); err != nil {
		return nil, err
	}
	rows := int64(0)
	for i := range opened.Meta.RowGroups {
		f.first = append(f.first, rows)
		rows += opened.Meta.RowGroups[i].NumRows
	}
	return f, f.setSchema()
}

func textColumn(f *parquetpages.File, name string) (int, error) {
	names := f.Names()
	switch i := slices.Index(names, name); {
	case i >= 0 && f.Columns[i].MaxRepetitionLevel() > 0:
		return 0, errSeveral(name)
	case i >= 0 && f.Columns[i].Type().Kind() != parquet.ByteArray:
		return 0, fmt.Errorf("the column %q has values of the type %s; name a column with URLs as texts (--column)", name, f.Columns[i].Type())
	case i >= 0:
		return i, nil
	}
	return 0, fmt.Errorf("the Parquet file has no column %q; name the column with the URLs (--column), one of %s", name, strings.Join(names[:min(len(names), 20)], ", "))
}

// If rows are left out, the columns of the input must be encoded again.
func (f *filter) canDropRows() bool { return f.options.Keep != bulk.All }

func (f *filter) setSchema() (err error) {
	elements := addedElements(f.options)
	seen := map[string]bool{}
	for i := range elements {
		name := elements[i].Name
		if seen[name] {
			return fmt.Errorf("heed would add two columns with the name %q, and each name can be there only once: leave one of these crawlers out", name)
		}
		seen[name] = true
		if slices.ContainsFunc(f.in.Top.Columns(), func(c *parquet.Column) bool { return c.Name() == name }) {
			return fmt.Errorf("the file already has a column %q, and heed would add a column with this name: put a prefix before the names that heed adds, such as --prefix heed_", name)
		}
	}
	before, encodings := slices.Clone(f.in.Meta.Schema[:1]), [][]format.Encoding(nil)
	before[0].NumChildren.Set(0)
	if f.canDropRows() {
		before, encodings, f.verdicts = f.in.Meta.Schema, f.in.Encodings(), len(f.in.Columns)
	}
	for range elements {
		encodings = append(encodings, []format.Encoding{format.RLEDictionary})
	}
	f.schema, err = parquetpages.Schema(joined(before, elements), encodings)
	return err
}

func addedElements(o *Options) (all []format.SchemaElement) {
	names := bulk.Names(o.Columns)
	if len(names) == 1 {
		all = []format.SchemaElement{textElement(o.Prefix + "verdict"), textElement(o.Prefix + "reason"), lineElement(o.Prefix + "line"), textElement(o.Prefix + "rule")}
	} else {
		for _, name := range names {
			all = append(all, textElement(o.Prefix+name))
		}
	}
	for _, name := range o.Decider.Use.Columns(names) {
		all = append(all, textElement(o.Prefix+name))
	}
	return all
}

func textElement(name string) format.SchemaElement {
	return format.SchemaElement{
		Name: name, Type: thrift.New(format.ByteArray), RepetitionType: thrift.New(format.Optional),
		ConvertedType: thrift.New(deprecated.UTF8), LogicalType: format.LogicalType{Value: new(format.StringType)},
	}
}

func lineElement(name string) format.SchemaElement {
	return format.SchemaElement{Name: name, Type: thrift.New(format.Int32), RepetitionType: thrift.New(format.Optional)}
}

func (f *filter) writeGroup(d *checkedGroup, to *output, counts *bulk.Counts) error {
	if d.err != nil {
		counts.Rejected += d.rows
		if f.damage == nil {
			f.damage = &DamagedError{Input: f.name, First: d.group, Err: d.err}
		}
		f.damage.Rows += d.rows
		f.options.Rejected(bulk.Rejection{Input: f.name, Place: fmt.Sprintf("%d rows of row group %d, from row %d", d.rows, d.group, f.first[d.group]+1), Err: d.err})
	} else {
		counts.Add(&d.counts)
		for _, r := range d.rejections {
			f.options.Rejected(r)
		}
	}
	if len(d.columns) > 0 {
		if err := to.group(d.columns, d.kept, f.in.Meta.RowGroups[d.group].SortingColumns); err != nil {
			return err
		}
	}
	f.options.Done(d.rows)
	return nil
}
