package stream

import (
	"context"
	"iter"

	"github.com/heed-robots/heed/internal/bulk"
	"github.com/heed-robots/heed/internal/lines"
)

// Responses is an input of captured responses. The URL of each response is checked.
type Responses interface {
	All() iter.Seq[Response]
	Err() error // the reason if All ended before the end of the input; else nil
	Close()
}

// A Response is a captured response, or a damaged part of the input.
type Response struct {
	Place string                    // the place in the input, such as "offset 4711"
	Read  func() (bulk.Page, error) // must be called only once; the error says why the response cannot be used
}

type numbered struct {
	Response
	number int
}

func (r *run) checkResponses(ctx context.Context, name string) error {
	if r.state.Line == 1 {
		if err := r.skipHeader(&beginning{finder: &urlFinder{format: Plain}, line: 1}); err != nil {
			r.failure = err
			return err
		}
	}
	in, err := r.Responses(name, &r.Read)
	if err != nil {
		return err
	}
	all := func(yield func(numbered) bool) {
		defer in.Close()
		number := 0
		for response := range in.All() {
			if number++; number >= r.state.Line && !yield(numbered{response, number}) {
				return
			}
		}
	}
	if !checkAll(ctx, r, name, all, func(c *workerState) func(numbered) *part { return c.response }) {
		return nil
	}
	return in.Err()
}

// A response that cannot be used gets no row in the output.
func (c *workerState) response(n numbered) *part {
	p := &part{Block: lines.Block{First: n.number, Lines: 1}, out: lines.NewBuffer(), counts: c.Decider.Counts()}
	page, err := n.Read()
	var verdicts []bulk.Verdict
	if err == nil {
		verdicts, err = c.checker.CheckPage(&page)
	}
	if err != nil {
		p.counts.Rejected++
		p.rejected = []bulk.Rejection{{Place: n.Place, Text: page.URL, Err: err}}
		return p
	}
	p.counts.CountKept(verdicts, c.Keep)
	p.out = c.writer.Append(p.out, &Line{Number: n.number, Format: Plain, Text: page.URL, URL: page.URL}, verdicts)
	return p
}
