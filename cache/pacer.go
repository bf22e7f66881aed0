package cache

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/heed-robots/heed/origin"
)

// A Pacer is a Store that several processes share, so that their requests together keep the crawl delay of an origin.
// storetest.RunPacer tests a Pacer.
type Pacer interface {
	// Reserve reserves a turn: the right to start one request. It takes the first free turn from now on. If the time
	// earliest is in the future, Reserve takes the first free turn from earliest on. The next turn begins later, by
	// at least the duration delay. The delay must be more than 0. A delay above MaxTurnDelay is cut to MaxTurnDelay.
	//
	// If too many turns are reserved, the error is a *BusyError. After any other error, this process must keep the crawl
	// delay without the Pacer.
	Reserve(ctx context.Context, o origin.Origin, earliest time.Time, delay time.Duration) (Turn, error)

	// Return gives back a turn that will not be used. It reads only Origin and ID. It does nothing if the turn is unknown,
	// or has begun.
	Return(ctx context.Context, t Turn) error
}

// A Turn is the right to start one request to an origin.
type Turn struct {
	Origin origin.Origin
	ID     string // identifies the turn among the turns of this origin; only the Pacer knows what it means

	// At is when the turn begins, by the clock of this process.
	At time.Time
	// Late is how long the store took to reply to Reserve. By the clock of the store, the turn may begin before At,
	// earlier by at most this time.
	Late time.Duration
	// Delay is the time from this turn to the next turn.
	Delay time.Duration
}

// Timers and replies of a store are often some milliseconds late.
const minSlack = 10 * time.Millisecond

// Until returns until when the turn can be used: At, plus a slack of 2.5 % of Delay (at least 10 ms), minus Late. A later
// request could be too close to the next turn. If Until is before At, the store replied too late.
func (t Turn) Until() time.Time { return t.At.Add(max(t.Delay/40, minSlack) - t.Late) }

const (
	// MaxTurns is how many turns of an origin can be reserved at the same time.
	MaxTurns = 1000
	// MaxTurnWait is how far in the future a reserved turn can begin.
	MaxTurnWait = time.Hour
	// MaxTurnDelay is the longest delay of a turn.
	MaxTurnDelay = 24 * time.Hour
)

// A BusyError is the error of Pacer.Reserve if MaxTurnWait, MaxTurns or another limit is reached.
type BusyError struct {
	Origin origin.Origin
	Wait   time.Duration // how long to wait before Reserve may succeed
	// Why names another limit that is reached, such as the turns of one client. Otherwise it is "".
	Why string
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("no free turn for a request to %s: %s; try again in %s", e.Origin, cmp.Or(e.Why, "all turns are reserved"), e.Wait.Round(time.Millisecond))
}
