package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"iter"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/origin"
)

const (
	selectNote  = `SELECT sum, size, data FROM notes WHERE name = ? AND origin = ?`
	selectNotes = `SELECT origin FROM notes WHERE name = ? AND origin > ? ORDER BY origin LIMIT 1000`

	upsertNote = `INSERT INTO notes (name, origin, sum, size, data) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (name, origin) DO UPDATE SET sum = excluded.sum, size = excluded.size, data = excluded.data`
	deleteNote = `DELETE FROM notes WHERE name = ? AND origin = ?`
)

// Note implements cache.Noter.
func (s *Store) Note(ctx context.Context, o origin.Origin, name string) ([]byte, error) {
	var note []byte
	err := cache.CheckNote(name, nil)
	if err == nil {
		err = s.query(ctx, selectNote, func(rows *sql.Rows) (err error) {
			note, err = s.note(o, name, rows)
			return err
		}, name, o.String())
	}
	if err != nil {
		return nil, s.failureOf(ctx, "note of "+o.String(), err)
	}
	return note, nil
}

func (s *Store) note(o origin.Origin, name string, rows *sql.Rows) ([]byte, error) {
	var sum, data []byte
	var size int64
	if err := scan(rows, &sum, &size, &data); err != nil {
		return nil, err
	}
	note, err := s.packer.decompress(data, size, cache.MaxNote)
	if err != nil {
		return nil, fmt.Errorf("heed cannot use the stored note, and ignores it: %w: %v", cache.ErrWrongRecord, err)
	}
	if want := cache.NoteSum(o, name, note); !bytes.Equal(sum, want[:]) {
		return nil, fmt.Errorf("heed cannot use the stored note, and ignores it, because its checksum is wrong: %w", cache.ErrWrongRecord)
	}
	return note, nil
}

// PutNote implements cache.Noter. If the file would exceed Options.MaxBytes, PutNote evicts
// records, but no notes.
func (s *Store) PutNote(ctx context.Context, o origin.Origin, name string, note []byte) error {
	return s.failureOf(ctx, "put the note of "+o.String(), s.putNote(ctx, o, name, note))
}

func (s *Store) putNote(ctx context.Context, o origin.Origin, name string, note []byte) error {
	if err := cache.CheckNote(name, note); err != nil {
		return err
	}
	if len(note) == 0 {
		return s.write(ctx, func(tx *transaction) error { return tx.exec(deleteNote, name, o.String()) })
	}
	sum, packed := cache.NoteSum(o, name, note), s.packer.compress(note) // compression takes time, so it is done before the transaction
	return s.write(ctx, func(tx *transaction) error {
		if err := tx.exec(upsertNote, name, o.String(), sum[:], len(note), packed); err != nil {
			return err
		}
		return tx.evict(o.String())
	})
}

// Notes implements cache.Noter. It reads 1000 origins at a time, as Origins does.
func (s *Store) Notes(ctx context.Context, name string) iter.Seq2[origin.Origin, error] {
	const what = "list the notes"
	if err := cache.CheckNote(name, nil); err != nil {
		return func(yield func(origin.Origin, error) bool) { yield(origin.Origin{}, s.failureOf(ctx, what, err)) }
	}
	return s.list(ctx, what, selectNotes, name)
}
