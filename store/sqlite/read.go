package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/origin"
)

const (
	selectRecord = `SELECT o.head, o.body, b.hash, b.size, b.data
		FROM origins o LEFT JOIN bodies b ON b.id = o.body WHERE o.origin = ?`
	selectHistory = `SELECT v.first, v.last, v.status, v.body, b.hash, b.size, b.data
		FROM versions v LEFT JOIN bodies b ON b.id = v.body WHERE v.origin = ? ORDER BY v.number DESC`
	selectOrigins = `SELECT origin FROM origins WHERE origin > ? ORDER BY origin LIMIT 1000`
	selectHash    = `SELECT 1 FROM bodies WHERE hash = ?`
)

var reads = []string{selectRecord, selectHistory, selectOrigins, selectHash, selectNote, selectNotes}

func (s *Store) query(ctx context.Context, query string, readRow func(*sql.Rows) error, arguments ...any) error {
	d, err := s.checkedDatabase(ctx)
	if err != nil {
		return err
	}
	rows, err := d.reader.statements[query].QueryContext(ctx, arguments...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := readRow(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

func scan(rows *sql.Rows, into ...any) error {
	if err := rows.Scan(into...); err != nil {
		return fmt.Errorf("%w: %v", cache.ErrWrongRecord, err)
	}
	return nil
}

// Get implements cache.Store.
func (s *Store) Get(ctx context.Context, o origin.Origin) (*cache.Record, error) {
	var r *cache.Record
	err := s.query(ctx, selectRecord, func(rows *sql.Rows) (err error) {
		r, err = s.record(o, rows)
		return err
	}, o.String())
	switch {
	case err != nil:
		r = nil
	case r == nil:
		err = cache.ErrNotFound
	}
	return r, s.failureOf(ctx, "get "+o.String(), err)
}

func (s *Store) record(o origin.Origin, rows *sql.Rows) (*cache.Record, error) {
	var head, text []byte
	var id *int64
	var b row
	err := scan(rows, &head, &id, &b.hash, &b.size, &b.data)
	if err == nil && id != nil {
		text, err = s.packer.unpack(b)
	}
	if err != nil {
		return nil, err
	}
	return cache.ReadRecord(o, head, text)
}

// Origins implements cache.Store. It reads 1000 origins at a time, and other processes can write between two reads. An
// origin that is changed during the iteration may be missing. If the name of an origin is corrupt, Origins yields an
// ErrWrongRecord.
func (s *Store) Origins(ctx context.Context) iter.Seq2[origin.Origin, error] {
	return s.list(ctx, "list the origins", selectOrigins)
}

// The last argument of the query is the last origin that was found, because the query returns 1000 origins at a time.
func (s *Store) list(ctx context.Context, what, query string, arguments ...any) iter.Seq2[origin.Origin, error] {
	return func(yield func(origin.Origin, error) bool) {
		for last := ""; ; {
			names, err := s.names(ctx, query, append(slices.Clip(arguments), last)...)
			if err != nil {
				yield(origin.Origin{}, s.failureOf(ctx, what, err))
				return
			}
			if len(names) == 0 {
				return
			}
			for _, name := range names {
				o, err := origin.Parse(name)
				if err != nil {
					err = s.failureOf(ctx, what, fmt.Errorf("%w: %v", cache.ErrWrongRecord, err))
				}
				if !yield(o, err) {
					return
				}
			}
			next := names[len(names)-1]
			if next == last { // a corrupt name that is not a text is sorted after all texts, so every page ends with it
				return
			}
			last = next
		}
	}
}

func (s *Store) names(ctx context.Context, query string, arguments ...any) (names []string, err error) {
	err = s.query(ctx, query, func(rows *sql.Rows) error {
		var name string
		err := scan(rows, &name)
		names = append(names, name)
		return err
	}, arguments...)
	return names, err
}

// History implements cache.Store. If some versions are corrupt, it returns the other versions and an ErrWrongRecord.
func (s *Store) History(ctx context.Context, o origin.Origin) ([]cache.Version, error) {
	var history []cache.Version
	var wrong error
	err := s.query(ctx, selectHistory, func(rows *sql.Rows) error {
		v, err := s.version(rows)
		if errors.Is(err, cache.ErrWrongRecord) {
			wrong = err
			return nil
		}
		history = append(history, v)
		return err
	}, o.String())
	if err != nil {
		return nil, s.failureOf(ctx, "history of "+o.String(), err)
	}
	return history, s.failureOf(ctx, "history of "+o.String(), wrong)
}

func (s *Store) version(rows *sql.Rows) (cache.Version, error) {
	var v cache.Version
	var first, last int64
	var id *int64
	var b row
	err := scan(rows, &first, &last, &v.Status, &id, &b.hash, &b.size, &b.data)
	if err == nil && id != nil {
		v.Body, err = s.packer.unpack(b)
	}
	v.First, v.Last = fromNanoseconds(first), fromNanoseconds(last)
	return v, err
}

func nanoseconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func fromNanoseconds(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}
