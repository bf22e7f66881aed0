package redis

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/redis/rueidis"

	"github.com/heed-robots/heed/cache"
)

// pause is how long it takes from one attempt to reach the server to the next.
const pause = 500 * time.Millisecond

// A link is the way to the server. Its calls end in time whatever becomes of
// the server, and are not tried while it is known to be away.
type link struct {
	option  rueidis.ClientOption
	timeout time.Duration // of a call
	ctx     context.Context
	cancel  context.CancelFunc

	client atomic.Pointer[rueidis.Client] // nil: there was no connection yet
	away   atomic.Pointer[outage]         // nil: calls are tried
	lost   chan *outage                   // what keep is to mend
	late   chan string                    // the key of a call that was not answered in time
	ended  chan struct{}                  // closed when keep has ended
}

// An outage is why calls are not tried.
type outage struct {
	err error
	key string // of the call that failed, so that the node that failed is the one probed
}

// newLink returns once the server was tried, or after some patience.
func newLink(option rueidis.ClientOption, timeout time.Duration) *link {
	option.ConnWriteTimeout = max(option.ConnWriteTimeout, 2*timeout) // or a call that is late would end the connection
	l := &link{option: option, timeout: timeout, lost: make(chan *outage, 1), late: make(chan string, 1), ended: make(chan struct{})}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	connecting := l.outage("", errors.New("still connecting"))
	l.away.Store(connecting)
	tried := make(chan struct{})
	go l.keep(connecting, tried)
	select {
	case <-tried:
	case <-time.After(patience):
	}
	return l
}

// keep connects, and again whenever the server was lost, until the link is
// closed.
func (l *link) keep(o *outage, tried chan<- struct{}) {
	defer close(l.ended)
	began := time.Now()
	o = l.mend(o)
	close(tried)
	for {
		for o != nil && sleep(l.ctx, pause-time.Since(began)) {
			began = time.Now()
			o = l.mend(o)
		}
		select {
		case o = <-l.lost:
			began = time.Now()
		case key := <-l.late:
			began = time.Time{} // the next attempt comes at once: the server may be late only
			o = l.checkLate(key)
		case <-l.ctx.Done():
			return
		}
	}
}

// checkLate asks the server after a call that was not answered in time: perhaps only
// that call was slow. It returns the outage that begins; nil: none.
func (l *link) checkLate(key string) *outage {
	if l.away.Load() != nil {
		return nil // the outage is known already
	}
	err := l.probe(key, l.timeout)
	if err == nil {
		return nil
	}
	o := l.outage(key, err)
	if !l.away.CompareAndSwap(nil, o) {
		return nil
	}
	return o
}

// mend tries the server once. It returns the outage that goes on; nil: it is
// over.
func (l *link) mend(o *outage) *outage {
	var next *outage
	if err := l.probe(o.key, patience); err != nil {
		next = l.outage(o.key, err)
	}
	l.away.CompareAndSwap(o, next) // it was swapped already where the link is closed
	return next
}

// probe returns nil where the server answers, whatever that is.
func (l *link) probe(key string, within time.Duration) error {
	if l.client.Load() == nil {
		client, err := connect(l.ctx, l.option)
		if err == nil {
			l.client.Store(&client)
		}
		return err
	}
	client := *l.client.Load()
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

func (l *link) outage(key string, err error) *outage {
	return &outage{key: key, err: fmt.Errorf("redis: %s: not reachable: %w", l.name(), l.hide(err))}
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
	l.away.Store(&outage{err: errClosed})
	<-l.ended
	if client := l.client.Load(); client != nil {
		(*client).Close()
	}
}

// ask calls the server for something that has to do with a key.
func ask[T any](ctx context.Context, l *link, key string, call func(context.Context, rueidis.Client) (T, error)) (T, error) {
	var none T
	if err := ctx.Err(); err != nil {
		return none, err
	}
	if o := l.away.Load(); o != nil {
		return none, o.err
	}
	client := *l.client.Load() // there is one since there is no outage
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

// failed returns the error of a call, and begins an outage where the server was not
// reached. A call that was not answered in time begins none: keep asks the server first.
func (l *link) failed(key string, err error) error {
	said, answered := rueidis.IsRedisErr(err)
	switch {
	case answered && strings.Contains(said.Error(), "WRONGTYPE"): // behind other words where a script had it
		return fmt.Errorf("%w: %s: %v", cache.ErrWrongRecord, key, err)
	case answered && !refused(said):
		return fmt.Errorf("redis: %s: %w", l.name(), l.hide(err))
	}
	o := l.outage(key, err)
	if errors.Is(err, context.DeadlineExceeded) {
		select {
		case l.late <- key:
		default: // keep is about to ask already
		}
	} else if l.away.CompareAndSwap(nil, o) {
		l.lost <- o // keep has taken the last one: only it ends outages
	}
	return o.err
}

// refused reports whether the server does not want this client at all.
func refused(err *rueidis.RedisError) bool {
	return strings.HasPrefix(err.Error(), "WRONGPASS") || strings.HasPrefix(err.Error(), "NOAUTH")
}

// sleep reports whether it slept to the end.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return ctx.Err() == nil // it may have ended at the same time
	case <-ctx.Done():
		return false
	}
}
