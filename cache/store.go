package cache

import (
	"context"
	"errors"
	"iter"

	"github.com/heed-robots/heed/origin"
)

// A Store keeps the records of a Cache, for other and for later processes. It must be safe for concurrent use. A call
// should end soon after its context. storetest.Run tests a Store.
//
// The records and versions that a Store returns must not be changed.
type Store interface {
	// Get returns the record of an origin. The error is ErrNotFound if there is none, and ErrWrongRecord if it is corrupt.
	Get(ctx context.Context, o origin.Origin) (*Record, error)

	// Put replaces the record of an origin. When Put returns, the record is durable.
	//
	// Put also adds Record.Version to the history. If it is the Same as the newest version, Put only updates Last. A Store
	// keeps a limited number of versions.
	//
	// If IsNewer returns true for the stored Head, Put changes nothing. It returns an ErrNewerFormat.
	Put(ctx context.Context, r *Record) error

	// Delete deletes the record and the history of an origin. If there is no record, this is not an error. A Cache that is
	// running still answers from its memory: use Cache.Forget to delete the origin there too.
	Delete(ctx context.Context, o origin.Origin) error

	// Origins returns the origins of all records, in no particular order. An origin may be yielded twice. A corrupt record
	// yields an ErrWrongRecord, and the iteration continues.
	Origins(ctx context.Context) iter.Seq2[origin.Origin, error]

	// History returns the versions of an origin, the newest first. If some are corrupt, it returns the others and an
	// ErrWrongRecord.
	History(ctx context.Context, o origin.Origin) ([]Version, error)
}

// ErrNotFound is the error of Store.Get if there is no record.
var ErrNotFound = errors.New("the store has no record of this site: fetch its robots.txt first")

// A Leaser is a Store that several processes share. Only the process that holds the lease of an origin fetches from this
// origin.
type Leaser interface {
	// Lease takes the lease of an origin, and returns the function release, which gives the lease back. If another
	// process holds the lease, release is nil. A lease must expire. After an error, a Cache fetches without a lease.
	//
	// A Cache gives the lease back after the Put of the new record.
	Lease(ctx context.Context, o origin.Origin) (release func(), err error)
}

// A Notifier is a Store that notifies each process of changes by other processes.
type Notifier interface {
	// Notify calls the function changed after another process has changed an origin. The other process has put a new
	// Version of the origin, or has deleted its record. The function stop ends these calls.
	Notify(changed func(origin.Origin)) (stop func())
}

// A Batcher is a Store that can put many records in one call, which is faster than a Put for each record.
type Batcher interface {
	// PutAll puts the records in their order. After an ErrNewerFormat, only the records with this error are not put. After
	// any other error, no record is put.
	PutAll(ctx context.Context, records []*Record) error
}
