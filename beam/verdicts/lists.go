package verdicts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/heed-robots/heed/internal/bulk"
	"github.com/heed-robots/heed/internal/bulk/stream"
	"github.com/heed-robots/heed/origin"
)

func init() {
	register.DoFn7x1[context.Context, file, func(string, []byte), func(string, string), func(int, []byte), func(int, []byte), func(tally), error](&readList{})
	register.Emitter1[tally]()
}

// Lines about one host are checked together in shares. The result laterShares has the keys of all shares of a host after
// its first share.
func readLists(s beam.Scope, files []file, o *Options) (blocks, laterShares, rejected, rows, read beam.PCollection) {
	s = s.Scope("lists")
	return beam.ParDo5(s, &readList{Options: *o, Number: len(files)}, beam.Reshuffle(s, beam.CreateList(s, files)))
}

type readList struct {
	Options
	Number int // the number of lists

	writer  *stream.Writer
	sharing *sharing
	blocks  map[string]*block
	order   []*block
	bytes   int
}

const (
	blockSize     = 64 << 10 // a block with more bytes is sent
	maxBlocks     = 64 << 20 // if all blocks of a worker together have more bytes, all of them are sent
	blockOverhead = 256      // bytes that a block needs in addition to its lines, approximately
)

func (r *readList) Setup() (err error) {
	r.blocks = map[string]*block{}
	r.writer, _, err = r.Options.writer()
	return err
}

// ProcessElement uses the lines before a damaged part. If the file cannot be read, Beam tries again.
func (r *readList) ProcessElement(ctx context.Context, f file, emit func(string, []byte), further func(string, string), rejected func(int, []byte), rows func(int, []byte), count func(tally)) error {
	from, err := openFile(ctx, f.Name)
	if err != nil {
		return err
	}
	defer from.Close()
	var t tally
	tell := func(place, text string, err error) {
		rejected(0, stream.AppendRejection(nil, &bulk.Rejection{Input: f.Name, Place: place, Text: text, Err: err}))
	}
	r.sharing = newSharing(f.Index, r.Number, r.MaxShare)
	shard, last := int(f.Index), 0
	reading := &watchedReader{from: from}
	err = stream.Lines(f.Name, reading, r.Format, r.Fields, func(l *stream.Line) {
		last = l.Number
		var o origin.Origin
		if l.Err == nil {
			o, l.Err = origin.Parse(l.URL)
		}
		l.Err = cmp.Or(l.Err, r.writer.Clash(l))
		if l.Err != nil {
			if l.Err != stream.ErrNothing {
				t.Rejected++
				tell(fmt.Sprintf("line %d", l.Number), l.Text, l.Err)
			}
			if row := r.writer.Append(nil, l, nil); len(row) > 0 {
				rows(shard%r.Shards, row)
				shard++
			}
			return
		}
		r.add(o.Host(), l, emit, further)
	})
	r.flush(emit, further)
	switch {
	case reading.err != nil:
		return errors.Join(reading.err, err)
	case err != nil:
		t.Broken++
		log.Errorf(ctx, "list %s, after line %d: %v", f.Name, last, err)
		tell(fmt.Sprintf("after line %d", last), "", err)
	}
	count(t)
	return nil
}

func (r *readList) add(host string, l *stream.Line, emit func(string, []byte), further func(string, string)) {
	b := r.blocks[host]
	if b == nil {
		b = &block{host: strings.Clone(host), most: r.sharing.maxBlock(host)} // host is a part of a line whose memory is reused, so it is copied
		r.blocks[b.host] = b
		r.order = append(r.order, b)
		r.bytes += blockOverhead
	}
	before := b.bytes
	b.add(l, r.needsText(l.Format))
	if r.bytes += b.bytes - before; b.bytes >= blockSize || len(b.lines) >= b.most {
		r.send(b, emit, further)
		r.bytes -= b.bytes + blockOverhead
		delete(r.blocks, host)
	}
	if r.bytes >= maxBlocks {
		r.flush(emit, further)
	}
}

func (r *readList) send(b *block, emit func(string, []byte), further func(string, string)) {
	key, isFurther := r.sharing.next(b.host, len(b.lines))
	emit(key, sent(b.lines))
	if isFurther {
		further(b.host, key)
	}
}

// Beam may let another worker read the list again, so the order of the blocks must always be the same.
func (r *readList) flush(emit func(string, []byte), further func(string, string)) {
	for _, b := range r.order {
		if r.blocks[b.host] == b {
			r.send(b, emit, further)
		}
	}
	clear(r.blocks)
	r.order, r.bytes = nil, 0
}

func (o *Options) needsText(f stream.Format) bool {
	return o.Output == stream.Same || o.Output == stream.JSONRows && f == stream.JSONLines
}
