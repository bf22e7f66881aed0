package capture

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"sync"
)

// A Set is an Archive in memory. Captures are added, by several goroutines if need be, then it is
// sealed, then it answers. Each distinct body is kept once. The zero Set is empty.
type Set struct {
	mu      sync.Mutex
	byKey   map[string][]ordered
	bodies  []string // by BodyID, from 1
	ids     map[string]BodyID
	entries map[string][]Entry // after Seal
	bytes   int64
}

// ordered is an entry with the order of its capture.
type ordered struct {
	Entry
	order int64
}

// Add adds a capture. It must not be called after Seal.
func (s *Set) Add(c *Capture) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byKey == nil {
		s.byKey, s.ids, s.bodies = map[string][]ordered{}, map[string]BodyID{}, []string{""}
	}
	e := ordered{Entry{At: c.At, Facts: c.Facts, Body: s.keep(c.Body)}, c.Order}
	e.Location = strings.Clone(e.Location)
	if before, ok := s.byKey[c.URL]; ok {
		s.byKey[c.URL] = append(before, e)
	} else {
		s.byKey[strings.Clone(c.URL)] = []ordered{e}
	}
}

// keep returns the ID of a body.
func (s *Set) keep(body string) BodyID {
	if body == "" {
		return 0
	}
	id, ok := s.ids[body]
	if !ok {
		id, body = BodyID(len(s.bodies)), strings.Clone(body)
		s.bodies, s.ids[body] = append(s.bodies, body), id
		s.bytes += int64(len(body))
	}
	return id
}

// Seal ends adding.
func (s *Set) Seal() {
	s.entries = make(map[string][]Entry, len(s.byKey))
	for key, all := range s.byKey {
		slices.SortStableFunc(all, func(a, b ordered) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.order, b.order)) })
		entries := make([]Entry, len(all))
		for i := range all {
			entries[i] = all[i].Entry
		}
		s.entries[key] = entries
	}
	s.byKey, s.ids = nil, nil
}

// Entries implements Archive.
func (s *Set) Entries(key string) ([]Entry, error) { return s.entries[key], nil }

// Body implements Archive.
func (s *Set) Body(id BodyID) (string, error) {
	switch {
	case id == 0:
		return "", nil
	case id >= BodyID(len(s.bodies)):
		return "", errors.New("no such body")
	}
	return s.bodies[id], nil
}

// Stats returns the number of keys and of distinct bodies, and the octets of these bodies.
func (s *Set) Stats() (keys, bodies int, bytes int64) {
	return max(len(s.byKey), len(s.entries)), max(0, len(s.bodies)-1), s.bytes
}
