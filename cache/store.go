package cache

import (
	"context"
	"errors"
	"iter"

	"github.com/heed-robots/heed/origin"
)

// A Store keeps the records of a Cache for later processes, or for several processes at the same time. A Store must be safe
// for concurrent use. storetest.Run tests what Store and its methods promise. A call should return soon after its context
// ends, since Cache.Close waits for a limited time only. A Cache treats a panic of a Store as an error.
//
// The records and versions that a Store returns may be shared, and must not be changed.
type Store interface {
	// Get returns the record of an origin. The error is ErrNotFound if there is no record, and ErrWrongRecord if the record
	// is corrupt.
	Get(ctx context.Context, o origin.Origin) (*Record, error)

	// Put replaces the record of an origin. When Put returns, the record is as durable as the store can make it.
	//
	// Put also keeps the history. If Record.Version and the newest version of the history are the Same (see Version.Same), Put
	// only sets the Last of that newest version. Otherwise Put adds Record.Version to the history. A Store keeps a limited
	// number of versions.
	//
	// If IsNewer returns true for the Head that is in the Store, a newer version of Heed wrote
	// that record. Then Put changes neither the record nor its history, and returns an ErrNewerFormat.
	Put(ctx context.Context, r *Record) error

	// Delete deletes the record and the history of an origin. If there is no record, Delete returns no error.
	Delete(ctx context.Context, o origin.Origin) error

	// Origins returns the origins of all records, in no particular order. The same origin may be yielded twice. For a corrupt
	// record Origins yields an ErrWrongRecord, and then continues with the other records.
	Origins(ctx context.Context) iter.Seq2[origin.Origin, error]

	// History returns the versions of an origin, the newest first. If some versions are corrupt, it returns the other
	// versions and an ErrWrongRecord.
	History(ctx context.Context, o origin.Origin) ([]Version, error)
}

// ErrNotFound is the error of Store.Get if there is no record.
var ErrNotFound = errors.New("not found")

// A Leaser is a Store that several processes share, and that gives out leases: only the
// process that holds the lease of an origin fetches from it.
type Leaser interface {
	// Lease takes the lease of an origin, and returns a function that gives it back. The
	// function is nil if another process holds the lease. A lease that is not given back
	// must expire. An error means that there are no leases now, or that a Put would fail;
	// then a Cache fetches without a lease.
	//
	// A Cache gives the lease back after the Put of the new record. While another process holds
	// the lease, a Cache waits for about half a minute.
	Lease(ctx context.Context, o origin.Origin) (release func(), err error)
}

// A Notifier is a Store that several processes share. It notifies each process of changes that other processes make. After a
// notification, a Cache drops the changed origin from its memory.
type Notifier interface {
	// Notify calls changed for each origin for which another process put a new version, or
	// which another process deleted. After stop has returned, there are no more calls.
	Notify(changed func(origin.Origin)) (stop func())
}

// A Batcher is a Store that can put many records in one call, which is faster than one call of Put for each record. Import
// and Cache use a Batcher in this way.
type Batcher interface {
	// PutAll puts all the records, in their order. If it returns an ErrNewerFormat, it has put all records except those for
	// which Put would return an ErrNewerFormat. If it returns any other error, it has put no record.
	PutAll(ctx context.Context, records []*Record) error
}
