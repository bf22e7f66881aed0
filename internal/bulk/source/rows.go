package source

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"github.com/heed-robots/heed/internal/bulk"
	"github.com/heed-robots/heed/internal/bulk/parquetfile"
	"github.com/heed-robots/heed/internal/lines"
	"github.com/heed-robots/heed/internal/saved"
)

// readLines reads JSON lines.
func (r *reader) readLines(ctx context.Context) error {
	from := lines.New(r.in.text, r.job.path, saved.MaxLine)
	for line := range from.All() {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		r.order++
		if line.IsBlank() {
			continue
		}
		place := fmt.Sprintf("line %d", line.Number)
		from, err := saved.ReadLine(line, false)
		if err != nil {
			r.reject(place, err)
			continue
		}
		if err := r.addSaved(place, &from); err != nil {
			return err
		}
	}
	return from.Err() // what is lost could be the captures that disallow
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
	add := func(row int64, from *parquetfile.Row) error {
		if ended = ctx.Err(); ended == nil {
			ended = r.addRow(row, from)
		}
		return ended
	}
	rejected := func(p bulk.Rejection) { r.reject(p.Place, p.Err) }
	err = parquetfile.Robots(r.in.raw, info.Size(), r.job.path, add, rejected)
	if err != nil && ended == nil {
		r.reject("", err)
	}
	return ended
}

// addRow adds the capture of a row.
func (r *reader) addRow(row int64, from *parquetfile.Row) error {
	r.order++
	place := "row " + strconv.FormatInt(row, 10)
	like := saved.Record{URL: from.URL, Origin: from.Origin, Status: from.Status, Location: from.Location, Fetched: from.Fetched}
	like.Body, like.Robots = textOf(from.Body), textOf(from.Robots)
	if from.RobotsB64 != nil {
		like.RobotsB64 = &from.RobotsB64
	}
	a, err := like.Answer(false)
	if err != nil {
		r.reject(place, err)
		return nil
	}
	return r.addSaved(place, &a)
}

// textOf returns octets as a text; nil: there are none.
func textOf(octets []byte) *string {
	if octets == nil {
		return nil
	}
	return new(string(octets))
}
