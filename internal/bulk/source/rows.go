package source

import (
	"context"
	"fmt"
	"net/http"

	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/saved"
)

func (r *reader) readRecords(ctx context.Context) error {
	all, err := r.in.recordsOf(r.job.path)
	if err != nil {
		r.reject("", err)
		return nil
	}
	all.known = r.skip
	for record := range all.All() {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		n := int64(record.Number)
		if r.given = n - 1; n <= r.skip {
			continue
		}
		r.order = r.number<<32 + n
		a, err := record.Read(false)
		if err != nil {
			r.reject(record.Place, err)
		} else if err := r.addSaved(record.Place, &a); err != nil {
			return err
		}
	}
	if r.in.kind != Parquet {
		// An error ends Load. The lines after the error cannot be read, and one of them could be a
		// robots.txt that disallows.
		return all.Err()
	}
	if all.err != nil { // no row of the Parquet file could be read
		r.reject("", all.err)
	}
	return nil
}

func (r *reader) addSaved(place string, from *saved.Answer) error {
	a := &answer{url: from.URL, at: from.At, status: from.Status, body: from.Body, noTarget: from.Location == ""}
	if from.Location != "" {
		a.header = http.Header{"Location": {from.Location}}
	}
	c, err := a.capture()
	if robots := from.Origin.RobotsURL(); err == nil && c.Body != "" && c.URL+"robots.txt" == robots {
		err = fmt.Errorf("url %s is a home page, but its body is a robots.txt: expected %s; if the column has the sites, use --columns origin=COLUMN,…", printable.Quote(from.URL), robots)
	}
	if err != nil {
		r.reject(place, err)
		return nil
	}
	return r.addWritten(place, c)
}
