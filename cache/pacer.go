package cache

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/heed-robots/heed/origin"
)

// A Pacer is a Store that several processes share. With it, these processes together keep the crawl delay of an origin.
// storetest.RunPacer tests what the methods promise.
type Pacer interface {
	// Reserve reserves the first free turn of an origin at or after earliest. If earliest is zero or in the past, it means
	// now. The next turn of the origin begins at least delay later. A delay of 0 or less is an error; a delay above
	// MaxTurnDelay is shortened to MaxTurnDelay.
	//
	// The error is a *BusyError if too many turns are reserved. After any other error, the Pacer cannot give turns now, and
	// the caller must keep the crawl delay without it.
	Reserve(ctx context.Context, o origin.Origin, earliest time.Time, delay time.Duration) (Turn, error)

	// Return gives back a turn that will not be used, so that another caller can get it. It reads only the Origin and the ID
	// of the turn. Return does nothing if the turn has begun, is unknown, or was given back before.
	Return(ctx context.Context, t Turn) error
}

// A Turn is the right to start one request to an origin.
type Turn struct {
	Origin origin.Origin
	ID     string // identifies the turn among the turns of this origin; only the Pacer knows what it means

	// At is when the turn begins, by the clock of this process.
	At time.Time
	// Late is how long the store took to reply. For the store, the turn may already begin this long before At.
	Late time.Duration
	// Delay is the time from this turn to the next turn.
	Delay time.Duration
}

// minSlack is the least slack of a turn: timers and replies are often some milliseconds late.
const minSlack = 10 * time.Millisecond

// Until returns the time until which the turn can be used: At, plus a slack, minus Late. The slack is 2.5 % of Delay, but at
// least 10 ms. A later request would be too close to the request of the next turn, which may come from another process. If
// Until is before At, the store replied too late.
func (t Turn) Until() time.Time { return t.At.Add(max(t.Delay/40, minSlack) - t.Late) }

const (
	// MaxTurns is how many turns of an origin can be reserved at the same time.
	MaxTurns = 1000
	// MaxTurnWait is how far in the future a reserved turn can begin.
	MaxTurnWait = time.Hour
	// MaxTurnDelay is the longest delay of a turn.
	MaxTurnDelay = 24 * time.Hour
)

// A BusyError is the error of Pacer.Reserve if the next free turn is more than MaxTurnWait in the future, if MaxTurns turns
// are reserved, or if another limit is reached.
type BusyError struct {
	Origin origin.Origin
	Wait   time.Duration // how long to wait before Reserve may succeed
	// Why is "" if the turns of the origin are the reason. If another limit is reached, Why names it: the size of the table
	// of all origins, or the number of turns of one client.
	Why string
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("no free turn for a request to %s: %s; try again in %s", e.Origin, cmp.Or(e.Why, "all turns are reserved"), e.Wait.Round(time.Millisecond))
}
