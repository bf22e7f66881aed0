package redis

import (
	"context"
	"crypto/rand"
	_ "embed"
	"errors"
	"strconv"
	"time"

	"github.com/redis/rueidis"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/origin"
)

var (
	//go:embed turn.lua
	turnText   string
	turnScript = script(turnText)

	returnScript = script(`
local time, at = redis.call('TIME'), redis.call('ZSCORE', KEYS[1], ARGV[1])
if at and tonumber(at) > time[1] * 1000000 + time[2] then
  redis.call('ZREM', KEYS[1], ARGV[1])
end`)
)

// turnTimeout is long, because a process that gets no turn ignores the turns of other processes. turnTimeout must stay
// below connectTimeout.
const turnTimeout = connectTimeout / 2

// Reserve implements cache.Pacer. It uses only the clock of the server. If the reply comes too late, the store gives the
// turn back. If there is no reply, the turn may be lost.
func (s *Store) Reserve(ctx context.Context, o origin.Origin, earliest time.Time, delay time.Duration) (cache.Turn, error) {
	if delay <= 0 {
		return cache.Turn{}, errors.New("redis: a turn needs a crawl delay of more than 0")
	}
	delay = min(delay, cache.MaxTurnDelay)
	word, called := rand.Text(), time.Now()
	turn := cache.Turn{Origin: o, ID: microseconds(delay) + " " + word, Delay: delay}
	after := max(earliest.Sub(called), 0)
	args := []string{microseconds(after), microseconds(delay), microseconds(cache.MaxTurnWait), microseconds(cache.MaxTurnDelay), strconv.Itoa(cache.MaxTurns), word}
	var client rueidis.Client // the client of this call, which can also give the turn back
	reply, err := askWithin(ctx, s.link, max(s.options.Timeout, turnTimeout), s.turnsKey(o), func(ctx context.Context, c rueidis.Client) ([]int64, error) {
		client = c
		return turnScript().Exec(ctx, c, []string{s.turnsKey(o)}, args).AsIntSlice()
	}, func(_ []int64, err error) {
		if err == nil {
			s.returnTurn(context.Background(), client, turn)
		}
	})
	if err == nil && len(reply) != 2 {
		err = errReply
	}
	if err != nil {
		return cache.Turn{}, err
	}
	wait := time.Duration(reply[1]) * time.Microsecond
	if reply[0] == 0 {
		return cache.Turn{}, &cache.BusyError{Origin: o, Wait: wait}
	}
	now := time.Now()
	turn.At, turn.Late = now.Add(wait), now.Sub(called)
	return turn, nil
}

func microseconds(d time.Duration) string {
	n := d.Microseconds()
	if d%time.Microsecond > 0 {
		n++
	}
	return strconv.FormatInt(n, 10)
}

// Return implements cache.Pacer.
func (s *Store) Return(ctx context.Context, t cache.Turn) error {
	return do(ctx, s.link, s.turnsKey(t.Origin), func(ctx context.Context, c rueidis.Client) error { return s.returnTurn(ctx, c, t) })
}

func (s *Store) returnTurn(ctx context.Context, c rueidis.Client, t cache.Turn) error {
	return unlessNil(returnScript().Exec(ctx, c, []string{s.turnsKey(t.Origin)}, []string{t.ID}).Error())
}
