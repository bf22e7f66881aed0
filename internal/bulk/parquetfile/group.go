package parquetfile

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"

	"github.com/heed-robots/heed/internal/address"
	"github.com/heed-robots/heed/internal/bulk"
	"github.com/heed-robots/heed/internal/bulk/parquetpages"
)

type worker struct {
	*filter
	checker *bulk.Checker
	unpack  *parquetpages.Decompressor
	texts   texts
	out     *writer
	rules   ruleTexts
	batch   [][]parquet.Value
	keep    []bool // for each row, whether the output has it
	row     int64  // the number in the file of the next row
	done    *checkedGroup
}

type checkedGroup struct {
	group      int
	rows       int64
	counts     bulk.Counts
	rejections []bulk.Rejection
	err        error
	kept       int64
	columns    []part
}

func (f *filter) worker() *worker {
	w := &worker{filter: f, checker: f.options.Decider.Checker(), unpack: parquetpages.NewDecompressor()}
	w.batch = make([][]parquet.Value, len(addedElements(f.options)))
	return w
}

func (w *worker) check(group int) *checkedGroup {
	d := &checkedGroup{group: group, rows: w.in.Meta.RowGroups[group].NumRows}
	d.counts = w.options.Decider.Counts()
	w.done, w.row, w.keep = d, w.first[group], w.keep[:0]
	if err := w.columns(group); err != nil {
		return &checkedGroup{group: group, rows: d.rows, err: err}
	}
	return d
}

func (w *worker) columns(group int) (err error) {
	defer parquetpages.Caught(&err)()
	if w.done.rows > maxRows {
		return fmt.Errorf("the row group has %d rows, and heed reads at most %d: write the Parquet file again with smaller row groups", w.done.rows, maxRows)
	}
	for i := range w.batch {
		w.batch[i] = w.batch[i][:0]
	}
	if w.out, err = newWriter(w.schema); err != nil {
		return err
	}
	if err := w.urls(group); err != nil {
		return err
	}
	for i := range w.in.Columns {
		if i == w.url {
			continue
		}
		if err := w.column(group, i); err != nil {
			return err
		}
	}
	return w.finish(group)
}

func (w *worker) finish(group int) error {
	d := w.done
	if d.kept == 0 {
		return nil
	}
	for i := range w.in.Columns[w.verdicts:] {
		d.columns = append(d.columns, newPart(&w.in.Meta.RowGroups[group].Columns[i].MetaData, w.in.In))
	}
	parts, err := w.out.finish()
	d.columns = append(d.columns, parts...)
	return err
}

func (w *worker) urls(group int) error {
	c, err := w.in.Column(group, w.url, w.unpack)
	if err != nil {
		return err
	}
	defer c.Close()
	out := cutter{keep: w.keep}
	err = c.Each(func(page parquet.Page) error {
		before := len(w.keep)
		err := w.texts.read(page, c.MaxDefinitionLevel())
		if err == nil {
			err = w.decideAll()
		}
		if err == nil && w.canDropRows() {
			out.keep, out.row = w.keep, int64(before)
			err = out.page(page, w.out.columns[w.url])
		}
		return err
	})
	if err != nil {
		return err
	}
	if int64(len(w.keep)) != w.done.rows {
		return c.Failed(parquetpages.Damaged("the column has %d rows, but the footer of the file says %d", len(w.keep), w.done.rows))
	}
	if w.canDropRows() {
		if err := out.flush(w.out.columns[w.url]); err != nil {
			return err
		}
	}
	return w.flush()
}

// A column is decoded even if all its rows are kept, to find damage.
func (w *worker) column(group, column int) error {
	c, err := w.in.Column(group, column, w.unpack)
	if err != nil {
		return err
	}
	defer c.Close()
	out := cutter{keep: w.keep}
	rows := int64(0)
	err = c.Each(func(page parquet.Page) error {
		if !w.canDropRows() {
			rows += rowsOf(page)
			return nil
		}
		err := out.page(page, w.out.columns[column])
		rows = out.row
		return err
	})
	if err != nil {
		return err
	}
	if rows != w.done.rows {
		return c.Failed(parquetpages.Damaged("the column has %d rows, but the footer of the file says %d", rows, w.done.rows))
	}
	if w.canDropRows() {
		return out.flush(w.out.columns[column])
	}
	return nil
}

// rowsOf counts only the rows that begin in the page. A row with several values may have begun in the page before.
func rowsOf(page parquet.Page) int64 {
	if levels := page.RepetitionLevels(); len(levels) > 0 {
		return int64(bytes.Count(levels, []byte{0}))
	}
	return page.NumValues()
}

func (w *worker) decideAll() (err error) {
	if len(w.keep)+len(w.texts.all) > int(w.done.rows) {
		return parquetpages.Damaged("the column has more rows than the %d rows that the footer of the file says", w.done.rows)
	}
	for i, url := range w.texts.all {
		w.texts.all[i] = address.WithScheme(url)
	}
	w.checker.Check(w.texts.all, func(i int, verdicts []bulk.Verdict, wrong error) {
		if w.texts.null[i] {
			wrong = errNoURL
		}
		if err == nil {
			err = w.decide(w.texts.all[i], verdicts, wrong)
		}
	})
	return err
}

// The parameter wrong says why the row has no usable URL.
func (w *worker) decide(url string, verdicts []bulk.Verdict, wrong error) error {
	w.row++
	keep := w.options.Keep == bulk.All
	if wrong != nil {
		w.reject(url, wrong)
	} else {
		keep = w.done.counts.CountKept(verdicts, w.options.Keep)
	}
	w.keep = append(w.keep, keep)
	if !keep {
		return nil
	}
	w.done.kept++
	if wrong != nil {
		verdicts = bulk.WithoutURL(len(w.options.Columns))
	}
	w.answer(verdicts)
	if len(w.batch[0]) == batchSize {
		return w.flush()
	}
	return nil
}

const (
	batchSize = 1024
	maxText   = 200     // the maximum length of Rejection.Text in bytes
	maxRows   = 1 << 28 // the maximum number of rows in a row group
)

func (w *worker) reject(url string, err error) {
	w.done.counts.Rejected++
	w.done.rejections = append(w.done.rejections, bulk.Rejection{
		Input: w.name, Place: "row " + strconv.FormatInt(w.row, 10), Text: strings.Clone(url[:min(len(url), maxText)]), Err: err,
	})
}

func (w *worker) answer(verdicts []bulk.Verdict) {
	if use := w.options.Decider.Use; use != nil {
		for i := range verdicts {
			column := len(w.batch) - len(verdicts) + i
			w.batch[column] = append(w.batch[column], textValue(use.Text(&verdicts[i]), w.verdicts+column))
		}
	}
	if len(verdicts) > 1 {
		for i := range verdicts {
			w.batch[i] = append(w.batch[i], textValue(verdicts[i].Word.String(), w.verdicts+i))
		}
		return
	}
	v := &verdicts[0]
	line, rule := parquet.Value{}.Level(0, 0, w.verdicts+2), parquet.Value{}.Level(0, 0, w.verdicts+3)
	if n := v.Rule.Line; n > 0 && v.Missing == bulk.Known {
		line = parquet.Int32Value(int32(n)).Level(0, 1, w.verdicts+2)
		rule = textValue(w.rules.textOf(v), w.verdicts+3)
	}
	w.batch[0] = append(w.batch[0], textValue(v.Word.String(), w.verdicts))
	w.batch[1] = append(w.batch[1], textValue(v.Why(), w.verdicts+1))
	w.batch[2] = append(w.batch[2], line)
	w.batch[3] = append(w.batch[3], rule)
}

func (w *worker) flush() error {
	for i, values := range w.batch {
		if len(values) == 0 {
			continue
		}
		if _, err := w.out.columns[w.verdicts+i].WriteRowValues(values); err != nil {
			return err
		}
		w.batch[i] = values[:0]
	}
	return nil
}
