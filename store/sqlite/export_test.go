package sqlite

import (
	"fmt"
	"time"
)

// Limit sets how many pages the file may have. At the limit, writing fails as on a full disk.
func (s *Store) Limit(pages int) error {
	_, err := s.db.writer.db.Exec(fmt.Sprint("PRAGMA max_page_count = ", pages))
	return err
}

// WaitLonger gives Open a longer timeout, for tests with many processes on a busy machine.
// end sets the usual timeout again.
func WaitLonger() (end func()) {
	before := openTimeout
	openTimeout = time.Minute
	return func() { openTimeout = before }
}
