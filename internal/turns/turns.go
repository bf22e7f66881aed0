// Package turns spaces requests so that they obey crawl delays. A turn is the time of one request to an origin.
package turns

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/origin"
)

// Turns is a cache.Pacer in memory. The zero value is ready. Turns is safe for concurrent use, and must not be copied.
type Turns struct {
	// Shared gives the turns to several processes. If it is nil or fails, Turns itself gives the turns. It must not
	// change after the first call.
	Shared cache.Pacer
	// SharedFailed is called after each failure of Shared. It may be nil. It must not change after the first call.
	SharedFailed func(origin.Origin, error)
	// Max limits the number of turns of all origins together. 0 means 100,000, which need about 30 MB. At the limit,
	// Reserve returns a *cache.BusyError. Max must not change after the first call.
	Max int
	// Client returns the client for whom a turn is reserved. This client is a comparable value. A client with many
	// turns gets another turn only if more turns are free than the client has. If the field Client is nil, clients
	// have no limits. It must not change after the first call.
	Client func(context.Context) any

	mu      sync.Mutex
	origins map[origin.Origin][]reserved // the turns of each origin, sorted by At
	limit   int                          // with more origins in the map, those without turns are deleted
	count   int
	clients map[any]int // how many turns each client has
	counted time.Time   // when turns that are over were last deleted because of Max
}

const defaultMax = 100_000

// A reserved is a turn that is not over.
type reserved struct {
	cache.Turn
	own bool // this process gave the turn, and not Shared
	who any  // the client, or nil if it is not known
}

func (r *reserved) end() time.Time { return r.At.Add(r.Delay) }

// With fewer origins than minOrigins, searching for origins without turns costs more than it saves.
const minOrigins = 64

// Two turns of Shared may seem to overlap by minSlack, because timers and replies are often late.
const minSlack = 10 * time.Millisecond

// sharedTries is how often Reserve asks Shared, because a turn of Shared may overlap with a known turn.
const sharedTries = 3

func (t *Turns) Reserve(ctx context.Context, o origin.Origin, earliest time.Time, delay time.Duration) (cache.Turn, error) {
	if err := ctx.Err(); err != nil {
		return cache.Turn{}, err
	}
	if delay <= 0 {
		return cache.Turn{}, errors.New("a turn needs a crawl delay of more than 0")
	}
	delay = min(delay, cache.MaxTurnDelay)
	var who any
	if t.Client != nil {
		who = t.Client(ctx)
	}
	if busy := t.full(o, who, delay); busy != nil {
		return cache.Turn{}, busy
	}
	for range sharedTries {
		if t.Shared == nil {
			break
		}
		turn, err := t.Shared.Reserve(ctx, o, t.after(o, earliest, true), delay)
		if busy := (*cache.BusyError)(nil); errors.As(err, &busy) || ctx.Err() != nil {
			return turn, err
		}
		if err != nil {
			if t.SharedFailed != nil {
				t.SharedFailed(o, err)
			}
			break
		}
		if t.keepTurn(turn, who) {
			return turn, nil
		}
		t.Shared.Return(ctx, turn)
		earliest = t.after(o, earliest, false)
	}
	return t.reserve(o, earliest, delay, who)
}

// fullPause is the shortest time between two searches for turns that are over, because each search reads all turns.
const fullPause = time.Second

// full returns an error if all clients together, or this one client, have too many turns. Calls at the
// same time may let one turn too many pass.
func (t *Turns) full(o origin.Origin, who any, delay time.Duration) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	most := cmp.Or(t.Max, defaultMax)
	now := time.Now()
	isFull := func() bool {
		return t.count >= most || who != nil && t.clients[who] >= most-t.count && t.clients[who] > 0
	}
	if isFull() && now.Sub(t.counted) >= fullPause {
		t.counted = now
		for o := range t.origins {
			t.deleteOver(o, now)
		}
	}
	switch {
	case t.count >= most:
		return &cache.BusyError{Origin: o, Wait: fullPause, Why: "too many turns of other sites are reserved"}
	case isFull():
		return &cache.BusyError{Origin: o, Wait: fullPause, Why: "this client has reserved its share of the turns of all sites"}
	case who == nil:
		return nil
	}
	return t.shareOf(o, who, delay, now)
}

func (t *Turns) shareOf(o origin.Origin, who any, delay time.Duration, now time.Time) error {
	turns := t.notOver(o, now)
	var own, first int
	var ownTime, allTime time.Duration
	for i := range turns {
		allTime += turns[i].Delay
		if turns[i].who == who {
			if own++; own == 1 {
				first = i
			}
			ownTime += turns[i].Delay
		}
	}
	if own > 0 && (own >= cache.MaxTurns-len(turns) || ownTime+delay > cache.MaxTurnWait-allTime) {
		return &cache.BusyError{Origin: o, Wait: turns[first].end().Sub(now), Why: "this client has reserved its share of the turns"}
	}
	return nil
}

func (t *Turns) reserve(o origin.Origin, earliest time.Time, delay time.Duration, who any) (cache.Turn, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	turns := t.notOver(o, now)
	if len(turns) >= cache.MaxTurns {
		return cache.Turn{}, &cache.BusyError{Origin: o, Wait: turns[0].end().Sub(now)}
	}
	at := now
	if earliest.After(now) {
		at = earliest
	}
	for i := range turns {
		if !turns[i].At.Before(at.Add(delay)) {
			break
		}
		if end := turns[i].end(); end.After(at) {
			at = end
		}
	}
	if wait := at.Sub(now); wait > cache.MaxTurnWait {
		return cache.Turn{}, &cache.BusyError{Origin: o, Wait: wait - cache.MaxTurnWait}
	}
	turn := cache.Turn{Origin: o, ID: rand.Text(), At: at, Delay: delay}
	t.insert(reserved{turn, true, who})
	return turn, nil
}

// after returns the end of the origin's last turn, or the time earliest if this is later.
func (t *Turns) after(o origin.Origin, earliest time.Time, onlyOwn bool) time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, r := range t.origins[o] {
		if (r.own || !onlyOwn) && r.end().After(earliest) {
			earliest = r.end()
		}
	}
	return earliest
}

// keepTurn returns false if a turn of Shared overlaps with a known turn.
func (t *Turns) keepTurn(turn cache.Turn, who any) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, r := range t.notOver(turn.Origin, time.Now()) {
		exact := time.Duration(0)
		if !r.own {
			exact = max(turn.Late+r.Late, minSlack)
		}
		if r.end().Add(-exact).After(turn.At) && turn.At.Add(turn.Delay-exact).After(r.At) {
			return false
		}
	}
	t.insert(reserved{turn, false, who})
	return true
}

// If Shared gives an origin too many turns, insert deletes the earliest ones.
func (t *Turns) insert(r reserved) {
	turns := t.origins[r.Origin]
	place, _ := slices.BinarySearchFunc(turns, r.At, func(r reserved, at time.Time) int { return r.At.Compare(at) })
	turns = slices.Insert(turns, place, r)
	t.add(r.who, 1)
	dropped := max(0, len(turns)-cache.MaxTurns)
	for _, each := range turns[:dropped] {
		t.add(each.who, -1)
	}
	t.origins[r.Origin] = turns[dropped:]
}

func (t *Turns) add(who any, n int) {
	t.count += n
	if who == nil {
		return
	}
	if t.clients == nil {
		t.clients = map[any]int{}
	}
	if t.clients[who] += n; t.clients[who] == 0 {
		delete(t.clients, who)
	}
}

// notOver returns the turns of an origin, without those that are over. If the map has too many origins, it also deletes the
// origins without turns.
func (t *Turns) notOver(o origin.Origin, now time.Time) []reserved {
	if t.origins == nil {
		t.origins, t.limit = map[origin.Origin][]reserved{}, minOrigins
	}
	if _, ok := t.origins[o]; !ok && len(t.origins) >= t.limit {
		for other := range t.origins {
			t.deleteOver(other, now)
		}
		t.limit = max(minOrigins, 2*len(t.origins))
	}
	return t.deleteOver(o, now)
}

func (t *Turns) deleteOver(o origin.Origin, now time.Time) []reserved {
	turns := slices.DeleteFunc(t.origins[o], func(r reserved) bool {
		over := !r.end().After(now)
		if over {
			t.add(r.who, -1)
		}
		return over
	})
	if len(turns) > 0 {
		t.origins[o] = turns
	} else {
		delete(t.origins, o)
	}
	return turns
}

func (t *Turns) Return(ctx context.Context, turn cache.Turn) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if t.remove(turn) || t.Shared == nil {
		return nil
	}
	return t.Shared.Return(ctx, turn)
}

func (t *Turns) remove(turn cache.Turn) (own bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	turns := t.origins[turn.Origin]
	i := slices.IndexFunc(turns, func(r reserved) bool { return r.ID == turn.ID })
	if i < 0 {
		return false
	}
	own = turns[i].own
	if turns[i].At.After(time.Now()) {
		t.add(turns[i].who, -1)
		t.origins[turn.Origin] = slices.Delete(turns, i, i+1)
	}
	return own
}
