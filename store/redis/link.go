package redis

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/rueidis"

	"github.com/heed-robots/heed/cache"
)

const probePause = 500 * time.Millisecond

// A link is the connection to the server, with a circuit breaker. A probe is a short request that finds out if the
// server is down. The link has three states:
//
//   - down: calls fail immediately. A probe begins every probePause. If a probe succeeds, the link is up.
//   - up: calls are sent. If a call times out, the link is suspected. If a call fails in any other way, the link is down.
//   - suspected: calls are sent. A probe begins immediately, and decides between up and down.
type link struct {
	option  rueidis.ClientOption
	timeout time.Duration
	ctx     context.Context
	cancel  context.CancelFunc
	wake    chan struct{} // wakes keepProbing, because the state has changed
	ended   chan struct{}

	mu     sync.RWMutex
	state  state
	err    error          // the error of all calls while the server is down; nil if calls are sent
	key    string         // the key of the last call that failed; in a cluster, the node that has this key is probed
	next   time.Time      // when the next probe begins; has no meaning while the link is up
	client rueidis.Client // nil until the first connection is made
}

type state uint8

const (
	down      state = iota // the server does not answer; every link begins in this state
	suspected              // a call timed out, so a probe must find out whether the server is down
	up
)

func newLink(option rueidis.ClientOption, timeout time.Duration) *link {
	option.ConnWriteTimeout = max(option.ConnWriteTimeout, 2*timeout) // with a shorter timeout, a late reply would end the connection
	l := &link{option: option, timeout: timeout, wake: make(chan struct{}, 1), ended: make(chan struct{})}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	l.err = l.unreachable(errors.New("heed is not connected to Redis yet, and tries again by itself"))
	probed := make(chan struct{})
	go l.keepProbing(probed)
	select {
	case <-probed:
	case <-time.After(connectTimeout):
	}
	return l
}

func (l *link) keepProbing(firstProbe chan<- struct{}) {
	defer close(l.ended)
	l.check()
	close(firstProbe)
	for l.waitUntilDue() {
		l.check()
	}
}

func (l *link) waitUntilDue() bool {
	for l.ctx.Err() == nil {
		var due <-chan time.Time // nil while the link is up, because no probe is due then
		l.mu.Lock()
		wait := time.Until(l.next)
		if l.state != up {
			if wait <= 0 {
				l.mu.Unlock()
				return true
			}
			due = time.After(wait)
		}
		l.mu.Unlock()
		select {
		case <-due:
		case <-l.wake:
		case <-l.ctx.Done():
		}
	}
	return false
}

func (l *link) check() {
	l.mu.Lock()
	began, before, key := time.Now(), l.state, l.key
	l.mu.Unlock()
	timeout := connectTimeout
	if before == suspected {
		timeout = l.timeout
	}
	err := l.probe(key, timeout)
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.ctx.Err() != nil:
	case l.state != before: // a call failed during the probe and changed the state, which stays
	case err == nil:
		l.state, l.err = up, nil
	case before == suspected: // the next probe begins immediately, with a longer timeout
		l.state, l.err, l.next = down, l.unreachable(err), began
	default:
		l.err, l.next = l.unreachable(err), began.Add(probePause)
	}
}

// Any reply to a probe is a success, unless the server refuses the password.
func (l *link) probe(key string, timeout time.Duration) error {
	l.mu.Lock()
	client := l.client
	l.mu.Unlock()
	if client == nil {
		client, err := connect(l.ctx, l.option)
		if err == nil {
			l.mu.Lock()
			l.client = client
			l.mu.Unlock()
		}
		return err
	}
	_, err := await(l.ctx, timeout, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, client.Do(ctx, client.B().Pttl().Key(key).Build()).Error()
	}, nil)
	if reply, replied := rueidis.IsRedisErr(err); replied && !refused(reply) {
		return nil
	}
	return err
}

// rueidis.NewClient has no context, and may take seconds.
func connect(ctx context.Context, option rueidis.ClientOption) (rueidis.Client, error) {
	return await(ctx, math.MaxInt64, func(context.Context) (rueidis.Client, error) { return rueidis.NewClient(option) }, func(late rueidis.Client, err error) {
		if err == nil {
			late.Close()
		}
	})
}

func (l *link) unreachable(err error) error {
	what := "not reachable"
	if errors.Is(err, context.DeadlineExceeded) {
		what = "no reply in time"
	}
	return fmt.Errorf("redis: %s: %s: %w", l.name(), what, l.hide(err))
}

func (l *link) name() string { return strings.Join(l.option.InitAddress, ",") }

// Some servers repeat an unknown command with its arguments in the error, so the error may contain the password.
func (l *link) hide(err error) error {
	if p := l.option.Password; p != "" && strings.Contains(err.Error(), p) {
		return errors.New(strings.ReplaceAll(err.Error(), p, "…"))
	}
	return err
}

func (l *link) close() {
	l.cancel()
	l.mu.Lock()
	l.state, l.err = down, errClosed
	l.mu.Unlock()
	<-l.ended
	if l.client != nil { // keepProbing has ended, and only it sets client, so no lock is needed
		l.client.Close()
	}
}

func (l *link) ready() (rueidis.Client, error) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.client, l.err
}

// The key is one that the call uses. If the call fails, the link probes the node that has this key.
func ask[T any](ctx context.Context, l *link, key string, call func(context.Context, rueidis.Client) (T, error)) (T, error) {
	return askWithin(ctx, l, l.timeout, key, call, nil)
}

func do(ctx context.Context, l *link, key string, call func(context.Context, rueidis.Client) error) error {
	_, err := ask(ctx, l, key, func(ctx context.Context, c rueidis.Client) (struct{}, error) { return struct{}{}, call(ctx, c) })
	return err
}

// If the result comes after the timeout, the function late is called with it.
func askWithin[T any](ctx context.Context, l *link, timeout time.Duration, key string, call func(context.Context, rueidis.Client) (T, error), late func(T, error)) (T, error) {
	var none T
	if err := ctx.Err(); err != nil {
		return none, err
	}
	client, err := l.ready()
	if err != nil {
		return none, err
	}
	value, err := await(ctx, timeout, func(ctx context.Context) (T, error) { return call(ctx, client) }, late)
	if err == nil || ctx.Err() != nil && err == ctx.Err() {
		return value, err
	}
	return value, l.failureOf(key, err)
}

// If ctx ends or the timeout passes, await returns an error. But the call continues on the shared connection, and later the
// function late is called with its result.
func await[T any](ctx context.Context, timeout time.Duration, call func(context.Context) (T, error), late func(T, error)) (value T, err error) {
	// settled becomes true when the reply comes or the time is over, whichever is first.
	var settled atomic.Bool
	replied := make(chan struct{})
	go func() {
		v, failed := call(context.Background())
		if settled.CompareAndSwap(false, true) {
			value, err = v, failed
			close(replied)
		} else if late != nil {
			late(v, failed)
		}
	}()
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	why := context.DeadlineExceeded
	select {
	case <-replied:
		return value, err
	case <-ctx.Done():
		why = ctx.Err()
	case <-timer.C:
	}
	if settled.CompareAndSwap(false, true) {
		return value, why
	}
	<-replied // the reply came in the same moment, and will be complete soon
	return value, err
}

func (l *link) failureOf(key string, err error) error {
	reply, replied := rueidis.IsRedisErr(err)
	switch {
	case replied && strings.Contains(reply.Error(), "WRONGTYPE"): // the error of a script does not begin with this word, so Contains is used
		return fmt.Errorf("the key %s in Redis has another type than heed gives it, so give heed a database of its own: %w: %v", key, cache.ErrWrongRecord, err)
	case replied && !refused(reply):
		return fmt.Errorf("redis: %s: %w", l.name(), l.hide(err))
	}
	timedOut := errors.Is(err, context.DeadlineExceeded)
	err = l.unreachable(err)
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.state == down:
		return err
	case !timedOut:
		l.state, l.err, l.key, l.next = down, err, key, time.Now().Add(probePause)
	case l.state == up:
		l.state, l.key, l.next = suspected, key, time.Now()
	}
	select {
	case l.wake <- struct{}{}:
	default: // wake is full already, so keepProbing will see this state too
	}
	return err
}

func refused(err *rueidis.RedisError) bool {
	return strings.HasPrefix(err.Error(), "WRONGPASS") || strings.HasPrefix(err.Error(), "NOAUTH")
}
