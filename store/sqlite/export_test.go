package sqlite

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/heed-robots/heed/cache"
)

// Limit sets how many pages the file may have, as a full disk would.
func (s *Store) Limit(pages int) error {
	_, err := s.writer.db.Exec(fmt.Sprint("PRAGMA max_page_count = ", pages))
	return err
}

// PutAll puts records as one: a test could not wait for the disk a million times.
func (s *Store) PutAll(ctx context.Context, records iter.Seq[*cache.Record]) error {
	return s.write(ctx, func(tx *transaction) error {
		for r := range records {
			b, err := newBody(r.Copy.Body)
			if err != nil {
				return err
			}
			if err := tx.put(r, b); err != nil {
				return err
			}
		}
		return nil
	})
}

// BePatient lets Open wait for longer, for tests on a machine that is busy. It
// returns what ends that.
func BePatient() (end func()) {
	before := openPatience
	openPatience = time.Minute
	return func() { openPatience = before }
}
