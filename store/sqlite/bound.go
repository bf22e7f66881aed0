package sqlite

import (
	"context"
	"database/sql"
	"errors"
)

const (
	selectPages  = `SELECT page_count, freelist_count, page_size FROM pragma_page_count, pragma_freelist_count, pragma_page_size`
	selectOldest = `SELECT origin FROM origins WHERE origin <> ? ORDER BY asked LIMIT 1`

	// For selectOldest: only a database that is bounded pays for it.
	indexAsked = `CREATE INDEX IF NOT EXISTS origins_asked ON origins(asked)`
)

// mostDropped bounds how many origins one Put deletes, since nobody else can write
// meanwhile.
const mostDropped = 64

// dropOldest deletes the origins that were asked the longest ago, except one, as long as
// the database takes more than 15 of 16 parts of its bound. The last part is room for the
// next record, so that the file does not grow beyond the bound.
func (t *transaction) dropOldest(but string) error {
	if t.store.maxBytes <= 0 {
		return nil
	}
	for range mostDropped {
		file, used, err := t.sizes()
		if err != nil {
			return err
		}
		if used <= t.store.maxBytes/16*15 {
			t.tooLong = file > t.store.maxBytes
			return nil
		}
		var oldest string
		err = t.statement(selectOldest).QueryRowContext(t.ctx, but).Scan(&oldest)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err == nil {
			err = t.delete(oldest)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// sizes returns how long the file is, and how much of that is in use, in bytes.
func (t *transaction) sizes() (file, used int64, err error) {
	var pages, free, size int64
	err = t.statement(selectPages).QueryRowContext(t.ctx).Scan(&pages, &free, &size)
	return pages * size, (pages - free) * size, err
}

// shorten makes a file that is longer than its bound shorter, where a part of it is not
// in use. A Store tries that once, since later records take the place of others. If it
// fails, the next Store tries again.
func (s *Store) shorten(ctx context.Context) {
	s.shortened.Do(func() {
		if _, err := s.writer.db.ExecContext(ctx, "VACUUM"); err == nil {
			s.writer.db.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
		}
	})
}
