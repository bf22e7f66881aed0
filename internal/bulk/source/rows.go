package source

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strconv"

	"github.com/heed-robots/heed/internal/bulk"
	"github.com/heed-robots/heed/internal/bulk/parquetfile"
	"github.com/heed-robots/heed/internal/saved"
)

// readLines reads JSON lines, or a table in CSV or TSV.
func (r *reader) readLines(ctx context.Context) error {
	all, err := r.in.lines(r.job.path)
	if err != nil {
		r.reject("", err)
		return nil
	}
	for line := range all.All() {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		r.order++
		place := fmt.Sprintf("line %d", line.Number)
		from, err := all.Read(line, false)
		if err != nil {
			r.reject(place, err)
			continue
		}
		if err := r.addSaved(place, &from); err != nil {
			return err
		}
	}
	return all.Err() // what is lost could be the captures that disallow
}

// addSaved adds the capture of an answer, or rejects it.
func (r *reader) addSaved(place string, from *saved.Answer) error {
	a := &answer{url: from.URL, at: from.At, status: from.Status, body: from.Body}
	if from.Location != "" {
		a.header = http.Header{"Location": {from.Location}}
	}
	c, err := a.capture()
	if err != nil {
		r.reject(place, err)
		return nil
	}
	return r.add(c)
}

// readParquet reads the rows of a Parquet file.
func (r *reader) readParquet(ctx context.Context) error {
	info, err := r.in.file.Stat()
	if err != nil {
		r.reject("", err)
		return nil
	}
	var ended error // by ctx or Add
	add := func(row int64, from *saved.Record) error {
		if ended = ctx.Err(); ended == nil {
			ended = r.addRow(row, from)
		}
		return ended
	}
	rejected := func(row int64, p bulk.Rejection) {
		r.given = row - 1
		r.reject(p.Place, p.Err)
	}
	err = parquetfile.Robots(r.in.raw, info.Size(), r.job.path, &r.loader.Columns, r.skip, add, rejected)
	if err != nil && ended == nil {
		r.reject("", err)
	}
	return ended
}

// addRow adds the capture of a row.
func (r *reader) addRow(row int64, from *saved.Record) error {
	r.order, r.given = r.number<<32+row, row-1
	place := "row " + strconv.FormatInt(row, 10)
	a, err := from.Answer(false)
	if err != nil {
		r.reject(place, err)
		return nil
	}
	a.Body = bytes.Clone(a.Body) // which is only valid until the next row
	return r.addSaved(place, &a)
}
