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

// A stream is one call of Answer. Answers come in parts, because an answer about a live site may be late. Of the questions
// 1 to 4, for example, 3 is about a live site. Part one has answers 1 and 2, and a channel for 3. Part two has answer 4.
type stream struct {
	*Settings
	ctx        context.Context
	name       string        // the name of the input
	decision   []byte        // the start of the member "decision", to which the line number is added; nil: answers have no such member
	slots      chan struct{} // limits the questions that wait for sites: each waiting question has one element in the channel
	box        *outbox
	writtenIDs map[string]bool // the ids of the provenances that were already written
	Summary
}

// A part has several answers. If late is not nil, the next answer will come later, over this channel.
type part struct {
	reply
	late chan reply
}

// A reply has the answers to one or more questions, as lines of JSON.
type reply struct {
	out []byte
	Summary

	provenance *live.Provenance // the provenance of a single answer about a live site; nil: the answer has none
	insertAt   int              // the index in out at which the provenance is inserted, unless an earlier answer had the same provenance
}

// Answer answers the questions in an input, until the input or ctx ends. If Answer returns an error, a goroutine may still
// be reading from the input.
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
	from := lines.New(input, name, s.maxLine())
	worker := func() func(lines.Block) chan part {
		return func(b lines.Block) chan part {
			parts := make(chan part, cmp.Or(s.Jobs, defaultJobs)) // the capacity is how many questions of one block can wait for sites at the same time
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

func (s *Settings) maxLine() int { return cmp.Or(s.MaxLine, saved.MaxLine) }

// writePart writes the answers of a part. If the part has a late answer, writePart then waits for this answer and writes
// it.
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

// maxSent is how many ids of provenances a stream remembers. At this limit, the stream forgets all ids.
const maxSent = 10_000

// isNew reports whether the stream has not yet written the provenance (where a robots.txt comes from) with this id. If so,
// it remembers the id.
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

// add writes answers. After the call, the buffer out must not be used, because it will be used for other answers.
func (t *stream) add(out []byte) error {
	if t.ctx.Err() != nil {
		return nil
	}
	err := t.box.add(out)
	lines.Recycle(out)
	return err
}
