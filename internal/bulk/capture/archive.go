package capture

import "time"

// An Archive has captures. It is safe for concurrent use.
type Archive interface {
	// Entries returns the captures under a key, the earliest first. The caller must not change them.
	Entries(key string) ([]Entry, error)
	Body(id BodyID) (string, error)
}

// An Entry is a Capture in an Archive, without its body.
type Entry struct {
	At time.Time
	Facts
	Body  BodyID // 0 if the body is empty
	order int64
}

// A BodyID identifies a robots.txt in its Archive. Entries with the same text have the same BodyID.
type BodyID uint64
