package stream

import (
	"context"
	"iter"
	"os"

	"github.com/heed-robots/heed/internal/bulk"
	"github.com/heed-robots/heed/internal/lines"
)

// Responses are an input whose questions are responses that were captured, and not lines.
type Responses interface {
	All() iter.Seq[Response]
	Err() error // that ended All before the end of the input
	Close()
}

// A Response is one of them, or a part of the input that is damaged.
type Response struct {
	Place string                    // such as "offset 4711"
	Read  func() (bulk.Page, error) // is called once; the error says why it cannot be used
}

// numbered is a Response with its number in the input, from 1.
type numbered struct {
	Response
	number int
}

// responses checks the responses of an input. Its checkpoints have the number of the next one as the line.
func (r *run) responses(ctx context.Context, name string) error {
	if r.at.Line == 1 {
		if err := r.skipHeader(&beginning{reading: &reading{format: Plain}, line: 1}); err != nil {
			r.failure = err
			return err
		}
	}
	in, err := r.Responses(name, &r.Read)
	if err != nil {
		return err
	}
	info, err := os.Stat(name)
	if err != nil {
		in.Close()
		return err
	}
	r.at.Name = name
	r.at.Size, r.at.Modified = stateOf(info)
	all := func(yield func(numbered) bool) {
		defer in.Close()
		number := 0
		for response := range in.All() {
			if number++; number >= r.at.Line && !yield(numbered{response, number}) {
				return
			}
		}
	}
	if !checkAll(ctx, r, name, all, func(j *judging) func(numbered) *part { return j.response }) {
		return nil
	}
	return in.Err()
}

// response checks one response. One that cannot be used has no row.
func (j *judging) response(n numbered) *part {
	p := &part{Block: lines.Block{First: n.number, Lines: 1}, out: lines.NewBuffer(), counts: j.Decider.Counts()}
	page, err := n.Read()
	var verdicts []bulk.Verdict
	if err == nil {
		verdicts, err = j.checker.CheckPage(&page)
	}
	if err != nil {
		p.counts.Rejected++
		p.rejected = []bulk.Rejection{{Place: n.Place, Text: page.URL, Err: err}}
		return p
	}
	p.counts.Count(verdicts)
	p.out = j.writer.Append(p.out, &Line{Number: n.number, Format: Plain, Text: page.URL, URL: page.URL}, verdicts)
	return p
}
