package cache

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/heed-robots/heed/origin"
)

// A Pacer is a Store that several processes share, and that keeps the crawl delay of an origin
// for all of them. storetest.RunPacer tests what the methods promise.
type Pacer interface {
	// Reserve takes a free turn of an origin: the first that is not before earliest. A zero
	// earliest, and one in the past, mean now. The next turn is at least delay later; the
	// turn before it is as much earlier as the delay with which it was reserved. A delay of 0
	// or less is an error, one of more than MaxTurnDelay counts as MaxTurnDelay.
	//
	// The error is a *BusyError if too many turns are reserved. Any other error means that
	// there are no turns now; then a caller keeps the delay for itself.
	Reserve(ctx context.Context, o origin.Origin, earliest time.Time, delay time.Duration) (Turn, error)

	// Return gives back a turn that will not be used, so that another caller can have it.
	// Only Origin and ID of the turn count. Return does nothing if the turn has begun, is
	// unknown, or was given back before.
	Return(ctx context.Context, t Turn) error
}

// A Turn is the right to start one request to an origin.
type Turn struct {
	Origin origin.Origin
	ID     string // names the turn among those of the origin; opaque

	// At is when the turn begins, by the clock of this process.
	At time.Time
	// Late is how much later At may be than in the view of other processes: the time that
	// the store took to reply.
	Late time.Duration
	// Delay is the time from this turn to the next one.
	Delay time.Duration
}

// minSlack is the least time for which a turn can be used: timers and replies are often some
// milliseconds late.
const minSlack = 10 * time.Millisecond

// Until is the time until which the turn can be used: a request that starts later would be too
// close to the next turn, whose request may come from another process. It is 2.5 % of the delay
// or 10 ms after At, less Late. If Until is before At, the store replied too late.
func (t Turn) Until() time.Time { return t.At.Add(max(t.Delay/40, minSlack) - t.Late) }

const (
	// MaxTurns is how many turns of an origin can be reserved at the same time.
	MaxTurns = 1000
	// MaxTurnWait is how far ahead a turn can be reserved.
	MaxTurnWait = time.Hour
	// MaxTurnDelay is the longest delay of a turn. A longer one counts as this.
	MaxTurnDelay = 24 * time.Hour
)

// A BusyError is the error of Pacer.Reserve if the next free turn is more than MaxTurnWait
// ahead, or if MaxTurns turns are reserved, or if another limit is reached.
type BusyError struct {
	Origin origin.Origin
	Wait   time.Duration // after which another Reserve may succeed
	// Why is "" if the turns of the origin are reserved. Otherwise it says what is full: the table
	// of all origins, or the share of a client.
	Why string
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("the crawl delay of %s: %s; one may be free in %s", e.Origin, cmp.Or(e.Why, "all turns are reserved"), e.Wait.Round(time.Millisecond))
}
