package sqlite

import (
	"fmt"
	"time"
)

// Limit sets how many pages the file may have, as a full disk would.
func (s *Store) Limit(pages int) error {
	_, err := s.writer.db.Exec(fmt.Sprint("PRAGMA max_page_count = ", pages))
	return err
}

// BePatient lets Open wait for longer, for tests on a machine that is busy. It
// returns what ends that.
func BePatient() (end func()) {
	before := openPatience
	openPatience = time.Minute
	return func() { openPatience = before }
}
