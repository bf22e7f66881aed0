package redis

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/redis/rueidis"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/origin"
)

// maxNoteValue limits the value of a note. It leaves room for the checksum, and for notes that zstd makes larger.
const maxNoteValue = cache.MaxNote + 4096

// Note implements cache.Noter.
func (s *Store) Note(ctx context.Context, o origin.Origin, name string) ([]byte, error) {
	if err := checkNote(o, name, nil); err != nil {
		return nil, err
	}
	key := s.noteKey(o, name)
	value, err := askNote(ctx, s, key, func(ctx context.Context, c rueidis.Client) (string, error) {
		// The range ends one byte after the limit, so that a value that is too large can be recognized. Reading such a
		// value to its end would delay other replies.
		return c.Do(ctx, c.B().Getrange().Key(key).Start(0).End(maxNoteValue).Build()).ToString()
	})
	if err != nil || value == "" { // the value is "" if the key does not exist
		return nil, err
	}
	note, err := readNote(o, name, value)
	if err != nil {
		return nil, fmt.Errorf("heed cannot use the note of %s in Redis, and ignores it: %w: %v", o, cache.ErrWrongRecord, err)
	}
	return note, nil
}

// A note may take longer than other calls, because no answer of a cache waits for it.
func askNote[T any](ctx context.Context, s *Store, key string, call func(context.Context, rueidis.Client) (T, error)) (T, error) {
	return askWithin(ctx, s.link, max(s.options.Timeout, turnTimeout), key, call, nil)
}

func noteValue(o origin.Origin, name string, note []byte) string {
	sum := cache.NoteSum(o, name, note)
	return hex.EncodeToString(sum[:]) + "\n" + compress(note)
}

func readNote(o origin.Origin, name, value string) ([]byte, error) {
	if len(value) > maxNoteValue {
		return nil, fmt.Errorf("the note in Redis is too large, because it has more than %d bytes", maxNoteValue)
	}
	found, packed, _ := strings.Cut(value, "\n")
	note, err := decompress(packed)
	if err != nil {
		return nil, err
	}
	if sum := cache.NoteSum(o, name, note); hex.EncodeToString(sum[:]) != found || len(note) > cache.MaxNote {
		return nil, errors.New("the checksum of the note in Redis is wrong")
	}
	return note, nil
}

// PutNote implements cache.Noter. A note is as durable as the server: see Notes in the package documentation.
func (s *Store) PutNote(ctx context.Context, o origin.Origin, name string, note []byte) error {
	if err := checkNote(o, name, note); err != nil {
		return err
	}
	key, value := s.noteKey(o, name), ""
	if len(note) > 0 {
		value = noteValue(o, name, note)
	}
	_, err := askNote(ctx, s, key, func(ctx context.Context, c rueidis.Client) (struct{}, error) {
		if value == "" {
			return struct{}{}, c.Do(ctx, c.B().Del().Key(key).Build()).Error()
		}
		return struct{}{}, c.Do(ctx, c.B().Set().Key(key).Value(value).Build()).Error()
	})
	return err
}

// Notes implements cache.Noter. It examines every key of the database, as Origins does.
func (s *Store) Notes(ctx context.Context, name string) iter.Seq2[origin.Origin, error] {
	if err := cache.CheckNote(name, nil); err != nil {
		return func(yield func(origin.Origin, error) bool) { yield(origin.Origin{}, fmt.Errorf("redis: %w", err)) }
	}
	return s.scanOrigins(ctx, noteWord+name)
}

func checkNote(o origin.Origin, name string, note []byte) error {
	if err := cache.CheckNote(name, note); err != nil {
		return fmt.Errorf("redis: %s: %w", o, err)
	}
	return nil
}
