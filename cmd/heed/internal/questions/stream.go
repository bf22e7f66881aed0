package questions

import (
	"cmp"
	"context"
	"io"
	"runtime"
	"slices"

	"github.com/heed-robots/heed/internal/lines"
	"github.com/heed-robots/heed/internal/ordered"
	"github.com/heed-robots/heed/internal/report/live"
	"github.com/heed-robots/heed/internal/saved"
)

// A stream is one call of Answer. Answers about live sites may be late, so answers come in parts. Each part ends at a
// late answer.
type stream struct {
	*Settings
	ctx        context.Context
	name       string
	decision   []byte        // the start of the member "decision"; nil: answers have no such member
	slots      chan struct{} // has one element for each question that waits for a site
	box        *outbox
	writtenIDs map[string]bool
	Summary
}

// If late is not nil, one more answer comes after the answers in the part. The channel late will have this answer.
type part struct {
	reply
	late chan reply
}

type reply struct {
	out []byte
	Summary

	provenance *live.Provenance // where the robots.txt of a live site comes from; nil: not in this answer
	insertAt   int              // the index in out for the provenance
}

// Answer answers questions until the input or ctx ends. If it returns an error, a goroutine may still be reading the
// input.
func (s *Settings) Answer(ctx context.Context, input io.Reader, name string, output Writer) (Summary, error) {
	running, stop := context.WithCancel(ctx)
	defer stop()
	t := &stream{
		Settings:   s,
		ctx:        running,
		name:       name,
		decision:   s.decisionMember(),
		slots:      make(chan struct{}, cmp.Or(s.Jobs, defaultJobs)),
		box:        newOutbox(output, cmp.Or(s.MaxUnread, defaultMaxUnread), s.Unread),
		writtenIDs: map[string]bool{},
	}
	from := lines.New(input, name, cmp.Or(s.MaxLine, saved.MaxLine))
	worker := func() func(lines.Block) chan part {
		return func(b lines.Block) chan part {
			parts := make(chan part, cmp.Or(s.Jobs, defaultJobs)) // the capacity is how many questions of one block can wait for sites
			if s.Sites != nil {
				go t.answerBlock(b, parts) // in the background, because the first answers of the block need not wait for a site
			} else {
				t.answerBlock(b, parts)
			}
			return parts
		}
	}
	ordered.Map(cmp.Or(s.Workers, runtime.GOMAXPROCS(0)), ordered.Until(running, from.Blocks), worker, func(parts chan part) {
		for p := range parts {
			if t.writePart(p) != nil {
				stop() // nobody reads the other answers
			}
		}
	})
	switch err := t.box.close(); {
	case err != nil:
		return t.Summary, err
	case ctx.Err() != nil:
		return t.Summary, ctx.Err()
	}
	return t.Summary, from.Err()
}

func (t *stream) writePart(p part) error {
	t.Summary.add(&p.Summary)
	err := t.add(p.out)
	if p.late == nil || err != nil {
		return err
	}
	late := <-p.late
	if t.ctx.Err() != nil {
		return nil
	}
	t.Summary.add(&late.Summary)
	if late.provenance != nil && t.isNew(late.provenance.ID) {
		late.out = slices.Insert(late.out, late.insertAt, late.provenance.AppendJSON([]byte(`,"provenance":`))...)
	}
	return t.add(late.out)
}

// Each provenance (where a robots.txt comes from) is sent once. The stream remembers the provenances that it has
// sent. After maxSent provenances, the stream forgets all of them, to limit the memory.
const maxSent = 10_000

func (t *stream) isNew(id string) bool {
	if t.writtenIDs[id] {
		return false
	}
	if len(t.writtenIDs) >= maxSent {
		clear(t.writtenIDs)
	}
	t.writtenIDs[id] = true
	return true
}

// After add, the caller must not use out, because the buffer is used for other answers.
func (t *stream) add(out []byte) error {
	if t.ctx.Err() != nil {
		return nil
	}
	err := t.box.add(out)
	lines.Recycle(out)
	return err
}
