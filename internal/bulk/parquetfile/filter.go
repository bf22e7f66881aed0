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

// Options are what Filter does.
type Options struct {
	// Column is the name of the column with the URLs, with the names of the groups that it is in
	// and dots if it is nested. Empty: "url".
	Column string

	// Keep is which rows the output has.
	Keep bulk.Keep

	// Columns are those of Decider. With one, the output has the columns verdict ("allowed", "disallowed" or "unknown"),
	// reason, line and rule (null if no rule decides); with several, a column with the verdict for
	// each, with its name. If the Decider has a Use, columns with the preferences are behind them.
	Columns []bulk.Column

	// Prefix is in front of the names of those columns; "": nothing.
	Prefix string

	// Decider must not be nil.
	Decider *bulk.Decider

	// Workers is how many row groups are checked at the same time; 0: runtime.GOMAXPROCS.
	Workers int

	// Rejected gets each row without a URL, and each row group that is damaged; nil: they are only
	// counted. With bulk.All, a row without a URL is written with null verdicts; otherwise it is
	// not written. The rows of a damaged row group are not written.
	Rejected func(bulk.Rejection)

	// Done gets the number of rows of each row group when it is done; may be nil.
	Done func(rows int64)
}

// A DamagedError is about row groups that cannot be read.
type DamagedError struct {
	Input string
	First int   // the number of the first of them
	Rows  int64 // of all of them
	Err   error // of the first
}

// Error names the first row group, and counts the rows.
func (e *DamagedError) Error() string {
	return fmt.Sprintf("%s: row group %d is damaged: %v; %d rows of the input are not checked", e.Input, e.First, e.Err, e.Rows)
}

// Unwrap returns the error of the first row group.
func (e *DamagedError) Unwrap() error { return e.Err }

var errNoURL = errors.New("the row has no URL")

type filter struct {
	options  *Options
	name     string
	in       *parquetpages.File
	url      int             // index of the column
	first    []int64         // for each row group, the number of rows before it
	schema   *parquet.Schema // of the columns that are encoded anew: the verdict columns, behind those of the input if rows are left out
	verdicts int             // index of the first verdict column in it
	damage   *DamagedError   // nil: none yet
}

// Filter checks the URLs in a Parquet file of size bytes, and writes a Parquet file with the rows that
// are kept, in the order of the input, and columns with their verdicts behind those of the input.
// Pages of the input are copied as they are if all rows are kept, otherwise compressed with zstd.
// name is that of the input, in errors and rejections.
//
// A DamagedError is returned at the end: then what was written is a Parquet file, without the rows of the
// damaged row groups. Any other error is one of out, or of an input that cannot be used at all; then
// what was written is no Parquet file.
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
			err = f.use(d, to, &counts)
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

// textColumn returns the index of a column of texts.
func textColumn(f *parquetpages.File, name string) (int, error) {
	i, err := named(f, name)
	switch {
	case err != nil:
		return 0, err
	case i >= 0 && f.Columns[i].Type().Kind() != parquet.ByteArray:
		return 0, fmt.Errorf("its column %q has no text, but %s", name, f.Columns[i].Type())
	case i >= 0:
		return i, nil
	}
	var names []string
	for _, c := range f.Columns[:min(len(f.Columns), 20)] {
		names = append(names, parquetpages.PathOf(c))
	}
	return 0, fmt.Errorf("it has no column %q; its columns are %s", name, strings.Join(names, ", "))
}

// cuts reports whether rows are left out, so that the columns of the input are encoded anew.
func (f *filter) cuts() bool { return f.options.Keep != bulk.All }

// setSchema sets the schema of what is encoded anew.
func (f *filter) setSchema() (err error) {
	elements := addedElements(f.options)
	seen := map[string]bool{}
	for i := range elements {
		name := elements[i].Name
		if seen[name] {
			return fmt.Errorf("two verdict columns have the name %q", name)
		}
		seen[name] = true
		if slices.ContainsFunc(f.in.Top.Columns(), func(c *parquet.Column) bool { return c.Name() == name }) {
			return fmt.Errorf("it has a column %q already, which would be that of the verdicts; give the names of ours a prefix with --prefix, such as --prefix heed_", name)
		}
	}
	before, encodings := slices.Clone(f.in.Meta.Schema[:1]), [][]format.Encoding(nil)
	before[0].NumChildren.Set(0)
	if f.cuts() {
		before, encodings, f.verdicts = f.in.Meta.Schema, f.in.Encodings(), len(f.in.Columns)
	}
	for range elements {
		encodings = append(encodings, []format.Encoding{format.RLEDictionary})
	}
	f.schema, err = parquetpages.Schema(joined(before, elements), encodings)
	return err
}

// addedElements returns the verdict columns.
func addedElements(o *Options) (all []format.SchemaElement) {
	var names []string
	for i := range o.Columns {
		names = append(names, o.Columns[i].Name)
	}
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

// use writes a row group that was checked.
func (f *filter) use(d *checkedGroup, to *output, counts *bulk.Counts) error {
	if d.err != nil {
		counts.Rejected += d.rows
		if f.damage == nil {
			f.damage = &DamagedError{Input: f.name, First: d.group, Err: d.err}
		}
		f.damage.Rows += d.rows
		if f.options.Rejected != nil {
			f.options.Rejected(bulk.Rejection{Input: f.name, Place: fmt.Sprintf("%d rows of row group %d, from row %d", d.rows, d.group, f.first[d.group]+1), Err: d.err})
		}
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
	if f.options.Done != nil {
		f.options.Done(d.rows)
	}
	return nil
}
