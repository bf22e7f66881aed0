package sqlite

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/internal/zstandard"
	"github.com/heed-robots/heed/origin"
)

// CAST is needed because a corrupt cell may have another type. A Put must be able to replace such a cell.
const (
	selectBody = `SELECT id, hash, CAST(size AS INTEGER), data FROM bodies WHERE hash = ?`
	upsertBody = `INSERT INTO bodies (hash, size, data) VALUES (?, ?, ?)
		ON CONFLICT (hash) DO UPDATE SET size = excluded.size, data = excluded.data RETURNING id`
	deleteBody = `DELETE FROM bodies WHERE id = ?1
		AND NOT EXISTS (SELECT 1 FROM origins WHERE body = ?1) AND NOT EXISTS (SELECT 1 FROM versions WHERE body = ?1)`

	selectOrigin = `SELECT body FROM origins WHERE origin = ?`
	upsertOrigin = `INSERT INTO origins (origin, asked, status, body, head) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (origin) DO UPDATE SET
			asked = excluded.asked, status = excluded.status, body = excluded.body, head = excluded.head`
	selectFormat = `SELECT substr(head, 1, 10) FROM origins WHERE origin = ?` // a Head begins with its format, so 10 characters are enough
	deleteOrigin = `DELETE FROM origins WHERE origin = ? RETURNING body`

	selectNewest   = `SELECT number, CAST(status AS INTEGER), CAST(body AS INTEGER) FROM versions WHERE origin = ? ORDER BY number DESC LIMIT 1`
	insertVersion  = `INSERT INTO versions (origin, number, first, last, status, body) VALUES (?, ?, ?, ?, ?, ?)`
	moveVersion    = `UPDATE versions SET last = ?1 WHERE origin = ?2 AND number = ?3 AND last < ?1`
	deleteVersions = `DELETE FROM versions WHERE origin = ? AND number <= ? RETURNING body`
)

var writes = []string{
	selectBody, upsertBody, deleteBody,
	selectOrigin, selectFormat, upsertOrigin, deleteOrigin,
	selectNewest, insertVersion, moveVersion, deleteVersions,
	selectPages, selectOldest,
	upsertNote, deleteNote,
}

// Put implements cache.Store.
func (s *Store) Put(ctx context.Context, r *cache.Record) error {
	return s.failureOf(ctx, "put "+r.Origin.String(), s.putAll(ctx, []*cache.Record{r}))
}

// PutAll implements cache.Batcher: it waits for the disk once for all records.
func (s *Store) PutAll(ctx context.Context, records []*cache.Record) error {
	return s.failureOf(ctx, "put "+strconv.Itoa(len(records))+" records", s.putAll(ctx, records))
}

func (s *Store) putAll(ctx context.Context, records []*cache.Record) error {
	bodies := make([]*body, len(records))
	for i, r := range records {
		var err error
		if bodies[i], err = s.bodyOf(ctx, r); err != nil {
			return err
		}
	}
	var newer error // an ErrNewerFormat, which must not stop the other records
	err := s.write(ctx, func(tx *transaction) error {
		newer = nil
		for i, r := range records {
			err := tx.put(r, bodies[i])
			switch {
			case errors.Is(err, cache.ErrNewerFormat):
				newer = err
			case err != nil:
				return err
			}
		}
		return nil
	})
	return cmp.Or(err, newer)
}

// bodyOf compresses the body before the transaction begins, because a transaction blocks other writers.
func (s *Store) bodyOf(ctx context.Context, r *cache.Record) (*body, error) {
	if r.Copy == nil {
		return nil, nil
	}
	text := r.Copy.Body
	if len(text) > zstandard.MaxBody {
		return nil, fmt.Errorf("the robots.txt has %d bytes, and the store can keep at most %d, so heed does not store it", len(text), zstandard.MaxBody)
	}
	hash := sha256.Sum256(text)
	b, found := &body{hash: hash[:], text: text}, false
	err := s.query(ctx, selectHash, func(*sql.Rows) error {
		found = true
		return nil
	}, b.hash)
	if !found {
		s.packer.pack(b)
	}
	return b, err
}

// Delete implements cache.Store.
func (s *Store) Delete(ctx context.Context, o origin.Origin) error {
	err := s.write(ctx, func(tx *transaction) error { return tx.delete(o.String()) })
	return s.failureOf(ctx, "delete "+o.String(), err)
}

// A transaction is used only within one call, so it may contain the context of the call.
type transaction struct {
	store *database
	ctx   context.Context
	tx    *sql.Tx

	canShrink bool // the file is longer than maxBytes, and has enough free pages to become shorter
}

func (s *Store) write(ctx context.Context, change func(*transaction) error) error {
	d, err := s.checkedDatabase(ctx)
	if err != nil {
		return err
	}
	t := &transaction{store: d, ctx: ctx}
	err = retry(ctx, writeTimeout, func() (err error) {
		t.tx, err = d.writer.db.BeginTx(ctx, nil)
		return err
	})
	if err != nil {
		return err
	}
	defer t.tx.Rollback() // has no effect after Commit
	if err := change(t); err != nil {
		return err
	}
	if err := t.tx.Commit(); err != nil {
		return err
	}
	if t.canShrink {
		d.shrink(ctx)
	}
	s.reportRecovery()
	return nil
}

func (t *transaction) statement(query string) *sql.Stmt {
	return t.tx.StmtContext(t.ctx, t.store.writer.statements[query])
}

func (t *transaction) exec(query string, arguments ...any) error {
	_, err := t.statement(query).ExecContext(t.ctx, arguments...)
	return err
}

// ids leaves out NULL and corrupt cells.
func (t *transaction) ids(query string, arguments ...any) ([]int64, error) {
	rows, err := t.statement(query).QueryContext(t.ctx, arguments...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var ids []int64
	for rows.Next() {
		var id int64
		if rows.Scan(&id) == nil {
			ids = append(ids, id)
		}
	}
	return ids, rows.Err()
}

func (t *transaction) put(r *cache.Record, b *body) error {
	if err := t.checkFormat(r.Origin); err != nil {
		return err
	}
	kept, err := t.keepBody(b)
	if err != nil {
		return err
	}
	unused, err := t.ids(selectOrigin, r.Origin.String())
	if err != nil {
		return err
	}
	var asked int64
	if last := r.Last(); last != nil {
		asked = last.End.Unix()
	}
	v, answered := r.Version()
	status := sql.NullInt64{Int64: int64(v.Status), Valid: answered}
	if err := t.exec(upsertOrigin, r.Origin.String(), asked, status, kept, string(r.Head())); err != nil {
		return err
	}
	if answered {
		dropped, err := t.addVersion(r.Origin, v, kept)
		if err != nil {
			return err
		}
		unused = append(unused, dropped...)
	}
	if err := t.deleteUnused(unused); err != nil {
		return err
	}
	return t.evict(r.Origin.String())
}

func (t *transaction) checkFormat(o origin.Origin) error {
	var head []byte
	err := t.statement(selectFormat).QueryRowContext(t.ctx, o.String()).Scan(&head)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil
	case err == nil && cache.IsNewer(head):
		return fmt.Errorf("%s: %w", o, cache.ErrNewerFormat)
	}
	return err
}

// keepBody replaces a row only if the row is corrupt, because each write makes the -wal file grow.
func (t *transaction) keepBody(b *body) (id sql.NullInt64, err error) {
	if b == nil {
		return id, nil
	}
	var found row
	err = t.statement(selectBody).QueryRowContext(t.ctx, b.hash).Scan(&id, &found.hash, &found.size, &found.data)
	if err == nil {
		text, wrong := t.store.packer.unpack(found)
		if wrong == nil && bytes.Equal(text, b.text) {
			return id, nil
		}
	} else if !errors.Is(err, sql.ErrNoRows) {
		return id, err
	}
	t.store.packer.pack(b)
	err = t.statement(upsertBody).QueryRowContext(t.ctx, b.hash, len(b.text), b.packed).Scan(&id)
	return id, err
}

// If the newest version is equal, addVersion changes only the column "last" of this version. It returns the ids of the
// bodies of deleted versions.
func (t *transaction) addVersion(o origin.Origin, v cache.Version, kept sql.NullInt64) ([]int64, error) {
	if v.Body == nil {
		kept = sql.NullInt64{} // the kept body belongs to an older version; this version has no body
	}
	var number, status int64
	var body sql.NullInt64
	err := t.statement(selectNewest).QueryRowContext(t.ctx, o.String()).Scan(&number, &status, &body)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, err
	}
	last := nanoseconds(v.Last)
	if err == nil && status == int64(v.Status) && body == kept { // equal bodies are one row, so they have the same id
		return nil, t.exec(moveVersion, last, o.String(), number)
	}
	number++
	if err := t.exec(insertVersion, o.String(), number, nanoseconds(v.First), last, v.Status, kept); err != nil {
		return nil, err
	}
	return t.ids(deleteVersions, o.String(), number-int64(t.store.versions))
}

// The name is the text in the database, which may be a corrupt origin.
func (t *transaction) delete(name string) error {
	unused, err := t.ids(deleteOrigin, name)
	if err != nil {
		return err
	}
	dropped, err := t.ids(deleteVersions, name, int64(math.MaxInt64)) // versions with all numbers
	if err != nil {
		return err
	}
	return t.deleteUnused(append(unused, dropped...))
}

func (t *transaction) deleteUnused(ids []int64) error {
	for _, id := range ids {
		if err := t.exec(deleteBody, id); err != nil {
			return err
		}
	}
	return nil
}
