package fetch

import (
	"cmp"
	"container/list"
	"context"
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/publicsuffix"

	"github.com/heed-robots/heed/internal/defaults"
)

type timeLeft struct {
	waiting    time.Duration // how long this retrieval may still wait because of MaxPerHost and MaxInFlight
	requesting time.Duration // how long its requests may still take
	requested  bool          // the next request follows a redirect
}

func (f *Fetcher) newTimeLeft() *timeLeft {
	timeout := defaults.Positive(f.Timeout, defaultTimeout)
	return &timeLeft{waiting: timeout, requesting: timeout}
}

func (f *Fetcher) withinLimits(ctx context.Context, left *timeLeft, host string, request func(context.Context) error) error {
	release, err := f.acquire(ctx, left, host)
	if err != nil {
		return err
	}
	defer release()
	start := time.Now()
	limited, cancel := context.WithTimeout(ctx, left.requesting)
	defer cancel()
	err = request(limited)
	left.requested, left.requesting = true, left.requesting-time.Since(start)
	if err != nil && ctx.Err() == nil && limited.Err() != nil {
		return &timeoutError{defaults.Positive(f.Timeout, defaultTimeout), err}
	}
	return err
}

// All hosts of one domain together get 1/shareOfDomain of MaxInFlight, because the owner of a domain can create any
// number of hosts.
const shareOfDomain = 8

// acquire waits for three limits: of the host, of its domain, and of all requests. The caller must call release when
// the request has ended.
func (f *Fetcher) acquire(ctx context.Context, left *timeLeft, host string) (release func(), err error) {
	start := time.Now()
	defer func() { left.waiting -= time.Since(start) }()
	host = strings.ToLower(strings.TrimSuffix(host, ".")) // a redirect may lead to "Example.com.", which is the same host as "example.com"
	ctx, cancel := context.WithTimeout(ctx, left.waiting)
	defer cancel()
	perHost, inFlight := defaults.Positive(f.MaxPerHost, defaultMaxPerHost), defaults.Positive(f.MaxInFlight, defaultMaxInFlight)
	releaseHost, err := f.hosts.acquire(ctx, host, perHost)
	if err != nil {
		return nil, err
	}
	releaseDomain, err := f.domains.acquire(ctx, domainOf(host), max(perHost, inFlight/shareOfDomain))
	if err != nil {
		releaseHost()
		return nil, err
	}
	if !f.all.acquire(ctx, inFlight, left.requested) {
		releaseDomain()
		releaseHost()
		return nil, busyFailure(host, "other requests of this program")
	}
	return func() { f.all.release(); releaseDomain(); releaseHost() }, nil
}

func domainOf(host string) string {
	if _, err := netip.ParseAddr(host); err == nil {
		return host
	}
	domain, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil {
		return host
	}
	return domain
}

type timeoutError struct {
	after time.Duration
	cause error // the error of the request when its time ended
}

func (e *timeoutError) Error() string { return fmt.Sprintf("no answer within %s", e.after) }
func (e *timeoutError) Unwrap() error { return e.cause }

func (e *timeoutError) Is(target error) bool { return target == context.DeadlineExceeded }

func busyFailure(host, others string) error {
	return &Failure{HostBusy, fmt.Sprintf("no request was sent to %s: too many %s are under way", host, others)}
}

type keyedLimiter struct {
	mu   sync.Mutex
	keys map[string]*keyLimit // contains a key only while requests use it
}

type keyLimit struct {
	running chan struct{} // one element for each running request; the capacity is the limit
	users   int
}

func (l *keyedLimiter) acquire(ctx context.Context, key string, limit int) (release func(), err error) {
	l.mu.Lock()
	if l.keys == nil {
		l.keys = map[string]*keyLimit{}
	}
	k := l.keys[key]
	if k == nil {
		k = &keyLimit{running: make(chan struct{}, limit)}
		l.keys[key] = k
	}
	k.users++
	l.mu.Unlock()
	select {
	case k.running <- struct{}{}:
		return func() { <-k.running; l.leave(key, k) }, nil
	case <-ctx.Done():
		l.leave(key, k)
		return nil, busyFailure(key, "other requests of this program to it")
	}
}

func (l *keyedLimiter) leave(key string, k *keyLimit) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if k.users--; k.users == 0 {
		delete(l.keys, key)
	}
}

type limiter struct {
	mu      sync.Mutex
	running int

	// The lists of waiting requests. Redirects go first: otherwise a retrieval would wait at each redirect.
	redirects, firsts list.List
}

func (l *limiter) acquire(ctx context.Context, limit int, isRedirect bool) bool {
	l.mu.Lock()
	if l.running < limit {
		l.running++
		l.mu.Unlock()
		return true
	}
	queue := &l.firsts
	if isRedirect {
		queue = &l.redirects
	}
	ready := make(chan struct{})
	waiting := queue.PushBack(ready)
	l.mu.Unlock()
	select {
	case <-ready:
		return true
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-ready: // ready was closed in the same moment in which the context ended
		return true
	default:
		queue.Remove(waiting)
		return false
	}
}

func (l *limiter) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	next := cmp.Or(l.redirects.Front(), l.firsts.Front())
	if next == nil {
		l.running--
		return
	}
	l.redirects.Remove(next) // does nothing if next is in the other list
	l.firsts.Remove(next)
	close(next.Value.(chan struct{}))
}
