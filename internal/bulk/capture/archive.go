package capture

import "time"

// An Archive has captures. It is safe for concurrent use.
type Archive interface {
	// Entries returns the captures under a key, the earliest first; none: there are none. The
	// caller must not change them. An error means that some may exist which cannot be read.
	Entries(key string) ([]Entry, error)
	// Body returns the robots.txt of an Entry.
	Body(id BodyID) (string, error)
}

// An Entry is a Capture in an Archive, without its body.
type Entry struct {
	At time.Time
	Facts
	Body  BodyID // 0: the body is empty
	order int64  // that of the Capture, in a Set
}

// A BodyID identifies a robots.txt in its Archive: two entries with the same text have the same.
type BodyID uint64
