package archive

import (
	"database/sql"
	"errors"
	"iter"

	"github.com/heed-robots/heed/internal/bulk/capture"
)

// Captures yields all captures, by URL and then in order of time. Their Order is their place in the
// archive. An error is about a part of the archive, and the rest follows: ErrDamaged for some captures,
// or for the body of one, which are not yielded then.
func (r *Reader) Captures() iter.Seq2[*capture.Capture, error] {
	return func(yield func(*capture.Capture, error) bool) {
		r.walk(r.captures, r.info.Captures, func(row *sql.Rows) (int64, bool, error) {
			id, url, e, err := scanCapture(row)
			if err != nil {
				return id, true, err
			}
			c := &capture.Capture{URL: url, At: e.At, Order: id, Facts: e.Facts}
			if c.Body, err = r.Body(e.Body); err != nil {
				return id, yield(nil, err), nil
			}
			return id, yield(c, nil), nil
		}, func(err error) bool { return yield(nil, err) })
	}
}

var errEnough = errors.New("no more is wanted")

// walk calls do with the rows of a table, whose ids count up to last, until do or wrong returns false.
// Where a row cannot be read it calls wrong, and tries the next ids, one by one.
func (r *Reader) walk(query *sql.Stmt, last int64, do func(*sql.Rows) (id int64, goOn bool, err error), wrong func(error) bool) {
	for next, isDamage := int64(1), false; next <= last; next++ {
		err := rows(query, next, func(row *sql.Rows) (int64, error) {
			id, goOn, err := do(row)
			if !goOn {
				err = errEnough
			}
			if err == nil {
				next, isDamage = id+1, false
			}
			return id, err
		})
		if err == nil || err == errEnough || !isDamage && !wrong(r.damaged(err)) {
			return
		}
		isDamage = true // of neighbours, only the first one is told
	}
}

// Damage is what of an archive cannot be read.
type Damage struct {
	Captures int64 // of which the URL, or what is known about it, is lost
	Bodies   int64 // distinct ones
	First    error // the first error; nil: there is no damage
}

// Verify reads the whole archive.
func (r *Reader) Verify() Damage {
	d := Damage{Captures: r.info.Captures, Bodies: r.info.Bodies}
	wrong := func(err error) bool {
		if d.First == nil {
			d.First = err
		}
		return true
	}
	page := make([]byte, pageSize)
	for number := range r.info.FileOctets / pageSize {
		if err := r.pages.read(number, page); err != nil {
			wrong(r.damaged(err))
		}
	}
	r.walk(r.captures, r.info.Captures, func(row *sql.Rows) (int64, bool, error) {
		id, _, _, err := scanCapture(row)
		if err == nil {
			d.Captures--
		}
		return id, true, err
	}, wrong)
	r.walk(r.bodies, r.info.Bodies, func(row *sql.Rows) (int64, bool, error) {
		id, _, err := scanBody(row)
		if err == nil {
			d.Bodies--
		}
		return id, true, err
	}, wrong)
	if d.Captures > 0 || d.Bodies > 0 {
		wrong(r.damaged(errors.New("captures or bodies are missing")))
	}
	return d
}
