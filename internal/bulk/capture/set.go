package capture

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// A Set is an Archive in memory. Call Seal after the last Add. The zero Set is empty.
type Set struct {
	mu      sync.Mutex
	entries map[string][]Entry
	bodies  []string // the body with the BodyID n is bodies[n-1]
	ids     map[string]BodyID
}

func (s *Set) Add(c *Capture) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.entries == nil {
		s.entries, s.ids, s.bodies = map[string][]Entry{}, map[string]BodyID{}, []string{""}
	}
	e := Entry{At: c.At, Facts: c.Facts, Body: s.keep(c.Body), order: c.Order}
	e.Location = strings.Clone(e.Location)
	key := c.URL
	before, ok := s.entries[key]
	if !ok {
		key = strings.Clone(key)
	}
	s.entries[key] = append(before, e)
}

func (s *Set) keep(body string) BodyID {
	if body == "" {
		return 0
	}
	id, ok := s.ids[body]
	if !ok {
		id, body = BodyID(len(s.bodies)), strings.Clone(body)
		s.bodies, s.ids[body] = append(s.bodies, body), id
	}
	return id
}

// Seal sorts the captures. It must be called before the Set is read.
func (s *Set) Seal() {
	for _, all := range s.entries {
		slices.SortStableFunc(all, func(a, b Entry) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.order, b.order)) })
		for i := range all {
			all[i].order = 0
		}
	}
	s.ids = nil
}

func (s *Set) Entries(key string) ([]Entry, error) { return s.entries[key], nil }

func (s *Set) Body(id BodyID) (string, error) {
	switch {
	case id == 0:
		return "", nil
	case id >= BodyID(len(s.bodies)):
		return "", fmt.Errorf("a fault in heed: no robots.txt has the number %d; report this", id)
	}
	return s.bodies[id], nil
}

// Bodies returns the number of distinct bodies.
func (s *Set) Bodies() int { return max(0, len(s.bodies)-1) }
