package archive

import (
	"bufio"
	"errors"
	"io"
	"iter"

	"github.com/heed-robots/heed/internal/bulk/capture"
)

// Captures yields all captures, by URL and then in order of time. Their Order is their place among those
// of their URL. An error is about a part of the archive, and the rest follows: ErrDamaged for a block or
// for the body of a capture, which is not yielded then.
func (r *Reader) Captures() iter.Seq2[*capture.Capture, error] {
	return func(yield func(*capture.Capture, error) bool) {
		var c capture.Capture
		r.entries(func(key []byte, e *capture.Entry, err error) bool {
			if err != nil {
				return yield(nil, err)
			}
			if string(key) == c.URL {
				c.Order++
			} else {
				c.URL, c.Order = string(key), 0
			}
			body, err := r.Body(e.Body)
			if err != nil {
				return yield(nil, err)
			}
			next := capture.Capture{URL: c.URL, At: e.At, Order: c.Order, Facts: e.Facts, Body: body}
			return yield(&next, nil)
		})
	}
}

// entries calls do with all entries, until it returns false. An error is about a block.
func (r *Reader) entries(do func(key []byte, e *capture.Entry, err error) bool) {
	if r.root.length > 0 {
		r.below(&r.root, r.tree, do)
	}
}

// below calls do with all entries below a block, and reports whether it always returned true.
func (r *Reader) below(c *child, from int64, do func(key []byte, e *capture.Entry, err error) bool) (goOn bool) {
	if c.level == 0 {
		goOn = true
		err := r.captures(c, func(p *parser) {
			for len(p.rest) > 0 && goOn {
				p.readKey()
				e := p.entry(true)
				if p.wrong {
					return
				}
				goOn = do(p.key, &e, nil)
			}
		})
		return goOn && (err == nil || do(nil, nil, err))
	}
	children, err := r.children(c, from)
	if err != nil {
		return do(nil, nil, err)
	}
	for i := range children {
		if i > 0 {
			from = children[i-1].end()
		}
		if !r.below(&children[i], from, do) {
			return false
		}
	}
	return true
}

// Damage is what of an archive cannot be read.
type Damage struct {
	Captures int64 // of which the URL, or what is known about it, is lost
	Bodies   int64 // distinct ones
	First    error // an error of them; nil: all can be read
}

// Verify reads the whole archive. The error is one of the file; damage is none.
func (r *Reader) Verify() (Damage, error) {
	d := Damage{Captures: r.Info().Captures, Bodies: r.Info().Bodies}
	var failed error
	r.entries(func(_ []byte, _ *capture.Entry, err error) bool {
		switch {
		case err == nil:
			d.Captures--
		case !errors.Is(err, ErrDamaged):
			failed = err
		case d.First == nil:
			d.First = err
		}
		return failed == nil
	})
	if failed != nil {
		return d, failed
	}
	return d, r.verifyBodies(&d)
}

// verifyBodies subtracts the bodies that can be read from d.Bodies. After a damaged header, it looks for
// the next one.
func (r *Reader) verifyBodies(d *Damage) error {
	at := int64(headerSize)
	in := bufio.NewReaderSize(io.NewSectionReader(r.file, at, r.tree-at), 64<<10)
	wrong := func() {
		if d.First == nil {
			d.First = r.damaged("wrong checksum of a body", at)
		}
	}
	var stored []byte
	for at < r.tree {
		head, err := in.Peek(bodyHeader)
		if err != nil && err != io.EOF {
			return err
		}
		if len(head) < bodyHeader {
			wrong()
			return nil
		}
		size, length, ok := readBodyHeader(head, at, r.tree)
		if !ok {
			wrong()
			in.Discard(1)
			at++
			continue
		}
		copied := [bodyHeader]byte(head)
		in.Discard(bodyHeader)
		if cap(stored) < length {
			stored = make([]byte, length)
		}
		if _, err := io.ReadFull(in, stored[:length]); err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && err != io.EOF {
			return err
		}
		if _, ok := r.decode(copied[:], stored[:length], at, size); ok {
			d.Bodies--
		} else {
			wrong()
		}
		at += int64(bodyHeader + length)
	}
	return nil
}
