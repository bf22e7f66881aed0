package sqlite

import (
	"context"
	"database/sql"
	"errors"
)

const (
	selectPages  = `SELECT page_count, freelist_count, page_size FROM pragma_page_count, pragma_freelist_count, pragma_page_size`
	selectOldest = `SELECT origin FROM origins WHERE origin <> ? ORDER BY asked LIMIT 1`

	// This index is for selectOldest. A database without a limit does not need it.
	indexAsked = `CREATE INDEX IF NOT EXISTS origins_asked ON origins(asked)`
)

// maxEvicted is how many origins one Put evicts at most, because no other process can write during this time.
const maxEvicted = 64

// evict deletes the least recently fetched origins until at most 15/16 of maxBytes are in use, so that the next record
// fits. It does not delete the origin with the name except.
func (t *transaction) evict(except string) error {
	if t.store.maxBytes <= 0 {
		return nil
	}
	for range maxEvicted {
		file, used, err := t.sizes()
		if err != nil {
			return err
		}
		if used <= t.store.maxBytes/16*15 {
			t.canShrink = file > t.store.maxBytes
			return nil
		}
		var oldest string
		err = t.statement(selectOldest).QueryRowContext(t.ctx, except).Scan(&oldest)
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

func (t *transaction) sizes() (file, used int64, err error) {
	var pages, free, size int64
	err = t.statement(selectPages).QueryRowContext(t.ctx).Scan(&pages, &free, &size)
	return pages * size, (pages - free) * size, err
}

// shrink removes the free pages from a file that is longer than maxBytes. This is needed only once.
func (d *database) shrink(ctx context.Context) {
	d.shrunk.Do(func() {
		if _, err := d.writer.db.ExecContext(ctx, "VACUUM"); err == nil {
			d.writer.db.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
		}
	})
}
