package source

import (
	"context"
	"fmt"
	"net/http"

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
