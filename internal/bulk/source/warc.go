package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/heed-robots/heed/internal/bulk/capture"
	"github.com/heed-robots/heed/internal/saved"
	"github.com/heed-robots/heed/internal/warc"
)

const maxBlock = maxHead + saved.MaxBytes

func (r *reader) readWARC(ctx context.Context) error {
	err := r.in.eachRecord(func(record *warc.Record) error {
		err := r.addRecord(record)
		r.order++
		return cmp.Or(err, ctx.Err())
	}, func(place string, err error) error {
		r.reject(place, err)
		r.order++
		return ctx.Err()
	})
	if end := (*readError)(nil); errors.As(err, &end) {
		r.reject(end.place, end.err)
		return nil
	}
	return err
}

// eachRecord returns the first error of its two functions, or a *readError if the file cannot be read to its end.
func (in *input) eachRecord(each func(*warc.Record) error, damaged func(place string, err error) error) error {
	records := warc.NewReader(in.records())
	for {
		record, err := records.Next()
		var damage *warc.Damage
		switch {
		case err == io.EOF:
			if end := in.lenient; end != nil && end.err != nil {
				return &readError{"", end.err}
			}
			return nil
		case errors.As(err, &damage):
			err = damaged(offset(damage.Offset), inWords(damage.Err))
		case err != nil:
			return &readError{offset(in.raw.at), inWords(err)}
		default:
			err = each(record)
		}
		if err != nil {
			return err
		}
	}
}

type readError struct {
	place string
	err   error
}

func (e *readError) Error() string { return e.err.Error() }

func (e *readError) Unwrap() error { return e.err }

func inWords(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the WARC record ends too early, so heed does not use it; heed uses the other records")
	}
	return err
}

func offset(n int64) string { return fmt.Sprintf("offset %d", n) }

func (r *reader) addRecord(record *warc.Record) error {
	if !isResponse(record.Header) {
		r.loader.others.Add(1)
		if h := record.Header; hasContent(h) && isRobotsTxt(h.TargetURI()) {
			r.reject(offset(record.Offset), fmt.Errorf("the record of a robots.txt has the type %.40q and the Content-Type %.40q, so heed does not use it; expected the type response or revisit, and application/http", typeOf(h), h.Get("Content-Type")))
		}
		return nil
	}
	block, isCut, err := r.readBlock(record)
	if err != nil {
		return nil // not lost: the next call of Reader.Next returns err as a Damage
	}
	a, err := newAnswer(record.Header, isCut)
	if err == nil {
		err = a.readResponse(block)
	}
	if err != nil {
		r.reject(offset(record.Offset), err)
		return nil
	}
	c, err := a.capture()
	if err != nil {
		r.reject(offset(record.Offset), err)
		return nil
	}
	if a.isUnchanged() {
		c.Facts, c.Body = capture.Facts{Status: a.status}, ""
		if c.Location, err = r.originals.find(record.Header, c.URL); err != nil && isRobotsTxt(c.URL) {
			r.reject(offset(record.Offset), err)
		}
		return r.add(c)
	}
	if err := a.unreachable(c); err != nil {
		r.reject(offset(record.Offset), err)
	}
	if c.Body != "" || isRobotsTxt(c.URL) || len(r.originals) < maxOriginals/4 { // a page can be the target of a redirect
		r.originals.add(record.Header, c)
	}
	return r.add(c)
}

// newAnswer reads the headers of a record. The reason "length" in WARC-Truncated is a limit of the crawler. All
// other reasons are failures.
func newAnswer(h warc.Header, isCut bool) (a answer, err error) {
	a = answer{url: h.TargetURI(), isCut: isCut, isRevisit: typeOf(h) == "revisit"}
	switch why := strings.ToLower(h.Get("WARC-Truncated")); why {
	case "":
	case "length":
		a.isCut = true
	default:
		a.broken = fmt.Errorf("the end of the response is missing, so heed does not use it: the record has WARC-Truncated: %.20q", why)
	}
	a.at, err = timeIn(h, "WARC-Date")
	return a, err
}

func typeOf(h warc.Header) string { return strings.ToLower(h.Get("WARC-Type")) }

// hasContent is false if a record is only about another record.
func hasContent(h warc.Header) bool { return typeOf(h) != "request" && typeOf(h) != "metadata" }

// Some programs write no Content-Type for an HTTP response.
func isResponse(h warc.Header) bool {
	if t := typeOf(h); t != "response" && t != "revisit" {
		return false
	}
	contentType := h.Get("Content-Type")
	return contentType == "" || strings.HasPrefix(strings.ToLower(contentType), "application/http")
}

// WARC 1.1 allows fractions of a second.
func timeIn(h warc.Header, field string) (time.Time, error) {
	text := h.Get(field)
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return at, fmt.Errorf("the header %s is %.40q; expected a time, such as 2026-05-03T14:00:00Z", field, text)
	}
	if err := saved.CheckTime(at); err != nil {
		return at, fmt.Errorf("the header %s: %w", field, err)
	}
	return at, nil
}

// The block is valid until the next call. It has at most maxBlock bytes. If the record has more
// bytes, isCut is true.
func (r *reader) readBlock(record *warc.Record) (block []byte, isCut bool, err error) {
	if want := min(record.Length, maxBlock) + 1; int64(cap(r.buffer)) < want {
		r.buffer = make([]byte, 0, min(want, maxKept))
	}
	block = r.buffer[:0]
	for len(block) < maxBlock {
		if len(block) == cap(block) {
			block = append(block, 0)[:len(block)]
		}
		n, err := record.Block.Read(block[len(block):min(cap(block), maxBlock)])
		block = block[:len(block)+n]
		if err != nil {
			r.keep(block)
			if err == io.EOF {
				err = nil
			}
			return block, false, err
		}
	}
	return block, true, nil
}

// maxKept is the largest buffer that is kept for the next record.
const maxKept = 1 << 20

func (r *reader) keep(buffer []byte) {
	if cap(buffer) <= maxKept {
		r.buffer = buffer
	}
}
