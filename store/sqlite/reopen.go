package sqlite

import (
	"context"
	"fmt"
	"time"
)

const lookEvery = time.Second

func (s *Store) checkedDatabase(ctx context.Context) (*database, error) {
	select {
	case s.using <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() { <-s.using }()
	if !s.closed && time.Since(s.looked) >= lookEvery {
		s.reopenIfNeeded()
		s.looked = time.Now()
	}
	return s.db, s.err
}

func (s *Store) reopenIfNeeded() {
	if s.db != nil {
		lost := s.db.checkFiles()
		if lost == nil && !s.damaged.Load() {
			return
		}
		if lost != nil {
			s.reportTrouble(s.fullError(context.Background(), "look at the file", lost))
		}
		s.db.disconnect()
	}
	if s.openDatabase() == nil {
		s.reportRecovery()
	}
}

func (s *Store) openDatabase() error {
	s.damaged.Store(false)
	d := &database{Store: s}
	err := d.openChecked()
	end := time.Now().Add(openTimeout) // for all tries together, because another process may hold the lock at each try
	for tries := 0; tries < 3 && s.setAside != nil && maySetAside(err); tries++ {
		d.disconnect()
		err = d.replace(err, time.Until(end))
	}
	if err != nil {
		d.disconnect()
		s.db, s.err = nil, fmt.Errorf("open: %w", err)
		return err
	}
	s.db, s.err = d, nil
	return nil
}

func (s *Store) reportTrouble(err error) {
	s.troubled.Store(true)
	if s.trouble != nil {
		s.trouble(err)
	}
}

// reportRecovery reports to Options.Trouble that the store works again, if there was trouble before. It must be called
// after the database was opened or written to.
func (s *Store) reportRecovery() {
	if s.troubled.Swap(false) && s.trouble != nil {
		s.trouble(nil)
	}
}
