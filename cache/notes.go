package cache

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/heed-robots/heed/origin"
)

// A Noter is a Store that also keeps notes about origins. A note is what a program must remember about a site. An origin
// has at most one note for each name.
//
// A note cannot be fetched again. So it does not expire, and only PutNote deletes it.
//
// A name is 1 to 32 letters from a to z. A note has at most MaxNote bytes. storetest.RunNoter tests a Noter.
type Noter interface {
	// Note returns the note of an origin, or nil if there is none. The error is ErrWrongRecord if the note is corrupt. The
	// caller must not change the note.
	Note(ctx context.Context, o origin.Origin, name string) ([]byte, error)

	// PutNote replaces the note, even a corrupt one. An empty note deletes the old one. After PutNote, the note is
	// durable. After an error, the store has the old or the new note.
	PutNote(ctx context.Context, o origin.Origin, name string, note []byte) error

	// Notes returns the origins with a note of the given name, in no particular order. An origin may be yielded twice.
	// An origin whose note changes during the iteration may be missing. If the Store cannot read the origin of a note,
	// it yields an ErrWrongRecord, and the iteration continues.
	Notes(ctx context.Context, name string) iter.Seq2[origin.Origin, error]
}

// MaxNote is the maximum size of a note, in bytes.
const MaxNote = 4 << 20

const maxNoteName = 32

// CheckNote returns an error if the name or the size of a note is not allowed. Every Noter must refuse such a note.
func CheckNote(name string, note []byte) error {
	notLetter := func(r rune) bool { return r < 'a' || r > 'z' }
	if name == "" || len(name) > maxNoteName || strings.ContainsFunc(name, notLetter) {
		return fmt.Errorf("the name of a note must have 1 to %d letters from a to z; the name is %.40q", maxNoteName, name)
	}
	if len(note) > MaxNote {
		return fmt.Errorf("the note has %d bytes: expected at most %d", len(note), MaxNote)
	}
	return nil
}

// NoteSum returns the checksum of a note for a Store. The checksum includes the origin and the name. So a note that was
// moved to another origin or name counts as corrupt.
func NoteSum(o origin.Origin, name string, note []byte) [sha256.Size]byte {
	sum := sha256.New()
	io.WriteString(sum, name+" "+o.String()+"\n")
	sum.Write(note)
	return [sha256.Size]byte(sum.Sum(nil))
}

// memoryNotes are the notes of a memory. They have their own limit, because records may be evicted, but notes must not.
type memoryNotes struct {
	limit int64

	mu    sync.Mutex
	all   map[noteKey][]byte // a stored slice is never changed
	bytes int64
}

type noteKey struct {
	origin origin.Origin
	name   string
}

func (m *memory) Note(ctx context.Context, o origin.Origin, name string) ([]byte, error) {
	if err := checkCall(ctx, name, nil); err != nil {
		return nil, err
	}
	m.notes.mu.Lock()
	defer m.notes.mu.Unlock()
	return m.notes.all[noteKey{o, name}], nil
}

func (m *memory) PutNote(ctx context.Context, o origin.Origin, name string, note []byte) error {
	if err := checkCall(ctx, name, note); err != nil {
		return err
	}
	key, note, n := noteKey{o.Clone(), name}, slices.Clone(note), &m.notes
	n.mu.Lock()
	defer n.mu.Unlock()
	bytes := n.bytes - noteBytes(key, n.all[key]) + noteBytes(key, note)
	if bytes > n.limit {
		return fmt.Errorf("the store in memory has no room for a note of %d bytes about %s: the notes would take %d bytes, and the limit is %d; use a store on disk, or a larger limit", len(note), o, bytes, n.limit)
	}
	n.bytes = bytes
	if len(note) == 0 {
		delete(n.all, key)
		return nil
	}
	if n.all == nil {
		n.all = map[noteKey][]byte{}
	}
	n.all[key] = note
	return nil
}

func (m *memory) Notes(ctx context.Context, name string) iter.Seq2[origin.Origin, error] {
	return func(yield func(origin.Origin, error) bool) {
		if err := checkCall(ctx, name, nil); err != nil {
			yield(origin.Origin{}, err)
			return
		}
		for _, key := range m.notes.keys() {
			if key.name != name {
				continue
			}
			if err := ctx.Err(); !yield(key.origin, err) || err != nil {
				return
			}
		}
	}
}

func (n *memoryNotes) keys() []noteKey {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Collect(maps.Keys(n.all))
}

func checkCall(ctx context.Context, name string, note []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return CheckNote(name, note)
}
