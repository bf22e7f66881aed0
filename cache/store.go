package cache

import (
	"context"
	"errors"
	"iter"

	"github.com/heed-robots/heed/origin"
)

// A Store keeps records for later processes, or for several. It is safe for concurrent use.
// storetest.Run tests that a Store does what is said here. A call should return soon after its
// context ends, since Cache.Close waits for a limited time only. A panic of a Store becomes an
// error.
//
// The records and versions that a Store returns are shared, and must not be changed.
type Store interface {
	// Get returns the record of an origin. The error is ErrNotFound if there is none, and
	// ErrWrongRecord if it is corrupt.
	Get(ctx context.Context, o origin.Origin) (*Record, error)

	// Put replaces the record of an origin. When it returns, the record is as durable as the
	// store can make it. If the record's Version is not the same as the last one of the
	// history, it is added to the history; else the Last of that one is set. A store keeps
	// a limited number of versions.
	Put(ctx context.Context, r *Record) error

	// Delete deletes an origin and its history. If there is none, that is no error.
	Delete(ctx context.Context, o origin.Origin) error

	// Origins returns the origins of all records, in no order. An origin may come twice. For
	// a record that is corrupt it yields an ErrWrongRecord, and goes on with the others.
	Origins(ctx context.Context) iter.Seq2[origin.Origin, error]

	// History returns the versions of an origin, the newest first. If some are corrupt, it
	// returns the others and an ErrWrongRecord.
	History(ctx context.Context, o origin.Origin) ([]Version, error)
}

// ErrNotFound is the error of Store.Get if there is no record.
var ErrNotFound = errors.New("not found")

// A Leaser is a Store that several processes share, and that lets one of them at a time
// retrieve from an origin.
type Leaser interface {
	// Lease returns a function that gives the lease back; nil: another process holds the
	// lease. A lease that is not given back ends by itself. An error means that there are no
	// leases now, or that a Put would fail: then each process retrieves by itself. A Cache
	// gives its lease back after the Put of its record, and waits for the lease of another
	// process for about half a minute.
	Lease(ctx context.Context, o origin.Origin) (release func(), err error)
}

// A Notifier is a Store that several processes share, and that tells each of them what the
// others changed.
type Notifier interface {
	// Notify calls changed for each origin of which another process put a new version, or
	// which it deleted, until stop is called.
	Notify(changed func(origin.Origin)) (stop func())
}
