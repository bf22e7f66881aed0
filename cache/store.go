package cache

import (
	"context"
	"errors"
	"iter"

	"github.com/heed-robots/heed/origin"
)

// A Store keeps records beyond a process, or for several. It is safe for
// concurrent use. storetest.Run is the contract that each must pass. A call should
// return soon after its context ends: Cache.Close does not wait longer for it. A panic
// of a Store is an error to a Cache.
//
// What a Store returns is shared and must not be changed.
type Store interface {
	// Get returns the record of an origin. Its error is ErrNotFound where there
	// is none and ErrWrongRecord where what is there cannot be trusted.
	Get(ctx context.Context, o origin.Origin) (*Record, error)

	// Put remembers a record in the place of the one before, as durably as the
	// store ever does when it returns. Where the Version of the record is another
	// than the last of the history, it is added to the history; otherwise that
	// one's Last is moved. A store keeps a bounded number of versions.
	Put(ctx context.Context, r *Record) error

	// Delete forgets an origin and its history. To forget one that is not there
	// is no error.
	Delete(ctx context.Context, o origin.Origin) error

	// Origins returns the origins that are remembered, in no order. One may come
	// twice, and one that cannot be read is an ErrWrongRecord, behind which the
	// others come.
	Origins(ctx context.Context) iter.Seq2[origin.Origin, error]

	// History returns the versions of an origin, the newest first. Where some
	// cannot be trusted, it returns the others and an ErrWrongRecord.
	History(ctx context.Context, o origin.Origin) ([]Version, error)
}

// ErrNotFound is what a Store answers where it has no record.
var ErrNotFound = errors.New("not found")

// A Leaser is a Store that several processes share and which lets one of them at
// a time fetch for an origin.
type Leaser interface {
	// Lease returns a function that gives the lease back, or nil where another
	// process holds the lease. A lease that is not given back ends by itself. An
	// error means that there are no leases now, also since a Put would fail: each
	// process then asks the origin by itself. A Cache gives its lease back when the
	// record of its retrieval is put, or could not be put, and waits for the lease of
	// another process for about half a minute.
	Lease(ctx context.Context, o origin.Origin) (release func(), err error)
}

// A Notifier is a Store that several processes share and which tells each of
// what the others changed.
type Notifier interface {
	// Notify calls changed, until stop is called, for each origin that another
	// user of the store put a new version of or was told to forget.
	Notify(changed func(origin.Origin)) (stop func())
}
