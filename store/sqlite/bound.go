package sqlite

import (
	"context"
	"database/sql"
	"errors"
)

const (
	selectPages  = `SELECT page_count, freelist_count, page_size FROM pragma_page_count, pragma_freelist_count, pragma_page_size`
	selectOldest = `SELECT origin FROM origins WHERE origin <> ? ORDER BY asked LIMIT 1`

	// Only a database with a limit needs this index, for selectOldest.
	indexAsked = `CREATE INDEX IF NOT EXISTS origins_asked ON origins(asked)`
)

// One Put evicts at most maxEvicted origins, because no other process can write meanwhile.
const maxEvicted = 64

// evict deletes the origins that were not fetched for the longest time. It leaves 1/16 of maxBytes free for the next
// record.
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

// Only a file that was too long when it was opened must become shorter, so once is enough.
func (d *database) shrink(ctx context.Context) {
	d.shrunk.Do(func() {
		if _, err := d.writer.db.ExecContext(ctx, "VACUUM"); err == nil {
			d.writer.db.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
		}
	})
}
