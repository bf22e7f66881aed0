package cache

import (
	"context"
	"errors"
	"iter"

	"github.com/heed-robots/heed/origin"
)

// A Store keeps the records of a Cache for later processes, or for several processes at the same time. It must be safe for
// concurrent use. storetest.Run tests what the methods promise. A call should return soon after its context ends, since
// Cache.Close waits for a limited time only. A Cache treats a panic of a Store as an error.
//
// The records and versions that a Store returns may be shared, and must not be changed.
type Store interface {
	// Get returns the record of an origin. The error is ErrNotFound if there is none, and ErrWrongRecord if it is corrupt.
	Get(ctx context.Context, o origin.Origin) (*Record, error)

	// Put replaces the record of an origin. When Put returns, the record is as durable as the store can make it.
	//
	// Put also keeps the history. If Record.Version is the Same as the newest version (see Version.Same), Put only updates the
	// time Last of that version. Otherwise Put adds Record.Version. A Store keeps a limited number of versions.
	//
	// If IsNewer returns true for the Head that is in the Store, a newer version of Heed wrote that record. Then Put changes
	// nothing, and returns an ErrNewerFormat.
	Put(ctx context.Context, r *Record) error

	// Delete deletes the record and the history of an origin. If there is no record, this is not an error.
	Delete(ctx context.Context, o origin.Origin) error

	// Origins returns the origins of all records, in no particular order. An origin may be yielded twice. For a corrupt
	// record, Origins yields an ErrWrongRecord, and continues with the other records.
	Origins(ctx context.Context) iter.Seq2[origin.Origin, error]

	// History returns the versions of an origin, the newest first. If some are corrupt, it returns the others and an
	// ErrWrongRecord.
	History(ctx context.Context, o origin.Origin) ([]Version, error)
}

// ErrNotFound is the error of Store.Get if there is no record.
var ErrNotFound = errors.New("not found")

// A Leaser is a Store that several processes share. Only the process that holds the lease of an origin fetches from this
// origin.
type Leaser interface {
	// Lease takes the lease of an origin, and returns a function that gives it back. The function is nil if another process
	// holds the lease. A lease that is not given back must expire. An error means that there are no leases now, or that no
	// record can be put; then a Cache fetches without a lease.
	//
	// A Cache gives the lease back after the Put of the new record. It waits about half a minute for a lease that another
	// process holds.
	Lease(ctx context.Context, o origin.Origin) (release func(), err error)
}

// A Notifier is a Store that several processes share. It notifies each process of changes by other processes, so that a Cache
// drops the changed origin from its memory.
type Notifier interface {
	// Notify calls changed for an origin when another process has put a new Version of this origin, or has deleted this
	// origin. After stop has returned, there are no more calls.
	Notify(changed func(origin.Origin)) (stop func())
}

// A Batcher is a Store that can put many records in one call, which is faster than a Put for each record.
type Batcher interface {
	// PutAll puts the records in their order. If PutAll returns an ErrNewerFormat, it has put all records except those for
	// which Put would return this error. If PutAll returns any other error, it has put no record.
	PutAll(ctx context.Context, records []*Record) error
}
