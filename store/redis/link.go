package redis

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/redis/rueidis"

	"github.com/heed-robots/heed/cache"
)

// probePause is the time from one attempt to reach a server that is down to the next.
const probePause = 500 * time.Millisecond

// A link is the connection to the server, with a circuit breaker. A call ends in time
// whatever the server does, and while the server is down no call is sent: it fails at
// once, and only one goroutine, keep, probes the server until it answers.
//
//	state      calls         becomes
//	up         are sent      suspected when a call times out, down when one fails otherwise
//	suspected  are sent      up or down, by a probe that begins at once
//	down       fail at once  up when a probe succeeds; one begins every probePause
type link struct {
	option  rueidis.ClientOption
	timeout time.Duration // of a call
	ctx     context.Context
	cancel  context.CancelFunc
	wake    chan struct{} // tells keep that the state has changed
	ended   chan struct{} // closed when keep has ended

	mu     sync.Mutex
	state  state
	err    error          // why no call is sent; nil: calls are sent
	key    string         // of the call that failed last: its node of a cluster is probed
	next   time.Time      // when the server is probed next, unless it is up
	client rueidis.Client // nil: there was no connection yet
}

// state says whether calls are sent, and whether the server is probed.
type state uint8

const (
	down      state = iota // no call is sent, and the server is probed; a link begins so
	suspected              // a call timed out: calls are sent, and the server is probed
	up                     // calls are sent
)

// newLink returns once the server was probed, or after connectTimeout.
func newLink(option rueidis.ClientOption, timeout time.Duration) *link {
	option.ConnWriteTimeout = max(option.ConnWriteTimeout, 2*timeout) // or a call that is late would end the connection
	l := &link{option: option, timeout: timeout, wake: make(chan struct{}, 1), ended: make(chan struct{})}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	l.err = l.unreachable(errors.New("still connecting"))
	probed := make(chan struct{})
	go l.keep(probed)
	select {
	case <-probed:
	case <-time.After(connectTimeout):
	}
	return l
}

// keep probes the server whenever that is due, until the link is closed. It closes
// probed after the first time.
func (l *link) keep(probed chan<- struct{}) {
	defer close(l.ended)
	l.check()
	close(probed)
	for l.waitUntilDue() {
		l.check()
	}
}

// waitUntilDue returns when the server is to be probed; false: the link is closed.
func (l *link) waitUntilDue() bool {
	for l.ctx.Err() == nil {
		var due <-chan time.Time // nil, which never comes, while the server is up
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

// check probes the server, and sets the state by what comes of that.
func (l *link) check() {
	l.mu.Lock()
	began, before, key := time.Now(), l.state, l.key
	l.mu.Unlock()
	within := connectTimeout
	if before == suspected {
		within = l.timeout
	}
	err := l.probe(key, within)
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.ctx.Err() != nil: // closed
	case l.state != before: // a call failed meanwhile, which says more
	case err == nil:
		l.state, l.err = up, nil
	case before == suspected: // it may only be slow: the next probe comes at once, and waits longer
		l.state, l.err, l.next = down, l.unreachable(err), began
	default:
		l.err, l.next = l.unreachable(err), began.Add(probePause)
	}
}

// probe returns nil where the server answers, whatever that is.
func (l *link) probe(key string, within time.Duration) error {
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
	_, err := await(l.ctx, within, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, client.Do(ctx, client.B().Pttl().Key(key).Build()).Error()
	})
	if said, answered := rueidis.IsRedisErr(err); answered && !refused(said) {
		return nil
	}
	return err
}

// connect returns a client, unless ctx ends before: it takes seconds where a server
// says nothing.
func connect(ctx context.Context, option rueidis.ClientOption) (rueidis.Client, error) {
	type connected struct {
		client rueidis.Client
		err    error
	}
	tried := make(chan connected, 1)
	go func() {
		client, err := rueidis.NewClient(option)
		tried <- connected{client, err}
	}()
	select {
	case c := <-tried:
		return c.client, c.err
	case <-ctx.Done():
		go func() {
			if c := <-tried; c.err == nil {
				c.client.Close()
			}
		}()
		return nil, ctx.Err()
	}
}

func (l *link) unreachable(err error) error {
	return fmt.Errorf("redis: %s: not reachable: %w", l.name(), l.hide(err))
}

func (l *link) name() string { return strings.Join(l.option.InitAddress, ",") }

// hide takes the password out of an error: there are servers that repeat what
// they do not understand.
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
	if l.client != nil { // keep, which has ended, was the only one to set it
		l.client.Close()
	}
}

// ready returns the client; an error: no call is sent.
func (l *link) ready() (rueidis.Client, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.client, l.err
}

// ask calls the server for something that has to do with a key.
func ask[T any](ctx context.Context, l *link, key string, call func(context.Context, rueidis.Client) (T, error)) (T, error) {
	var none T
	if err := ctx.Err(); err != nil {
		return none, err
	}
	client, err := l.ready()
	if err != nil {
		return none, err
	}
	value, err := await(ctx, l.timeout, func(ctx context.Context) (T, error) { return call(ctx, client) })
	if err == nil || ctx.Err() != nil && err == ctx.Err() {
		return value, err
	}
	return value, l.failed(key, err)
}

// await returns what a call brings, or an error where ctx ends or the time is over
// before (context.DeadlineExceeded). The call then goes on, and its own context does not
// end: that would close the connection, which the other calls use too.
func await[T any](ctx context.Context, within time.Duration, call func(context.Context) (T, error)) (T, error) {
	type reply struct {
		value T
		err   error
	}
	replies := make(chan reply, 1)
	go func() {
		value, err := call(context.Background())
		replies <- reply{value, err}
	}()
	timer := time.NewTimer(within)
	defer timer.Stop()
	var none T
	select {
	case r := <-replies:
		return r.value, r.err
	case <-ctx.Done():
		return none, ctx.Err()
	case <-timer.C:
	}
	select {
	case r := <-replies: // it came before, or just in time
		return r.value, r.err
	default:
		return none, context.DeadlineExceeded
	}
}

// failed returns the error of a call, after which the server is down if it was not
// reached. A call that timed out may only have been slow: the server is probed first.
func (l *link) failed(key string, err error) error {
	said, answered := rueidis.IsRedisErr(err)
	switch {
	case answered && strings.Contains(said.Error(), "WRONGTYPE"): // behind other words where a script had it
		return fmt.Errorf("%w: %s: %v", cache.ErrWrongRecord, key, err)
	case answered && !refused(said):
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
	default: // keep has not looked since it was told last
	}
	return err
}

// refused reports whether the server does not want this client at all.
func refused(err *rueidis.RedisError) bool {
	return strings.HasPrefix(err.Error(), "WRONGPASS") || strings.HasPrefix(err.Error(), "NOAUTH")
}
