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

// timeLeft is what is left to a retrieval.
type timeLeft struct {
	waiting, asking time.Duration
	asked           bool // it has had its turn once
}

func (f *Fetcher) newTime() *timeLeft {
	all := defaults.Positive(f.Timeout, defaultTimeout)
	return &timeLeft{waiting: all, asking: all}
}

// inTurn asks a host once a retrieval has its turn with the host, then one with the
// domain, then a place among all, always in this order: while it waits for a busy
// host, it must not hold the place of others.
func (f *Fetcher) inTurn(ctx context.Context, left *timeLeft, host string, ask func(context.Context) error) error {
	done, err := f.wait(ctx, left, host)
	if err != nil {
		return err
	}
	defer done()
	start := time.Now()
	asking, cancel := context.WithTimeout(ctx, left.asking)
	defer cancel()
	err = ask(asking)
	left.asked, left.asking = true, left.asking-time.Since(start)
	if err != nil && ctx.Err() == nil && asking.Err() != nil {
		return &timeoutError{defaults.Positive(f.Timeout, defaultTimeout), err}
	}
	return err
}

// shareOfDomain is the part of all places that the hosts of one domain may take:
// whoever owns a name can make as many below it as he likes.
const shareOfDomain = 8

// wait waits for its turns and a place, and returns what gives all of them back.
func (f *Fetcher) wait(ctx context.Context, left *timeLeft, host string) (done func(), err error) {
	start := time.Now()
	defer func() { left.waiting -= time.Since(start) }()
	host = strings.ToLower(strings.TrimSuffix(host, ".")) // a redirect may write it in other ways
	ctx, cancel := context.WithTimeout(ctx, left.waiting)
	defer cancel()
	ofHost, inAll := defaults.Positive(f.MaxPerHost, defaultMaxPerHost), defaults.Positive(f.MaxInFlight, defaultMaxInFlight)
	leave, err := f.hosts.take(ctx, host, ofHost)
	if err != nil {
		return nil, err
	}
	leaveDomain, err := f.domains.take(ctx, domainOf(host), max(ofHost, inAll/shareOfDomain))
	if err != nil {
		leave()
		return nil, err
	}
	if !f.places.take(ctx, inAll, left.asked) {
		leaveDomain()
		leave()
		return nil, &busyError{Host: host, InAll: true}
	}
	return func() { f.places.leave(); leaveDomain(); leave() }, nil
}

// domainOf returns the domain that a host belongs to, as it is registered:
// example.co.uk of www.example.co.uk. An address is its own.
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

// A timeoutError says that a site was asked and did not answer in time.
type timeoutError struct {
	after time.Duration
	cut   error // how the retrieval failed when the time was over
}

func (e *timeoutError) Error() string { return fmt.Sprintf("no answer within %s", e.after) }
func (e *timeoutError) Unwrap() error { return e.cut }

// Is makes errors.Is find context.DeadlineExceeded: what was under way when the
// time was over fails with many errors.
func (e *timeoutError) Is(target error) bool { return target == context.DeadlineExceeded }

// A busyError says that a host was not asked in time, since others had their turn:
// see Fetcher.MaxPerHost and MaxInFlight.
type busyError struct {
	Host  string // or its domain
	InAll bool   // what was missing is one of Fetcher.MaxInFlight, and not a turn with the host
}

func (e *busyError) Error() string {
	if e.InAll {
		return fmt.Sprintf("%s was not asked: too many other retrievals of ours are under way", e.Host)
	}
	return fmt.Sprintf("%s is busy with other retrievals of ours", e.Host)
}

// turns bounds how much goes on with each host, or domain, at the same time. The
// zero turns are ready.
type turns struct {
	mu    sync.Mutex
	hosts map[string]*turn // that somebody has to do with
}

type turn struct {
	free  chan struct{} // holds a token for each that has its turn
	users int           // that have it or wait for it
}

// take waits for a turn with a host and returns what ends it.
func (t *turns) take(ctx context.Context, host string, most int) (done func(), err error) {
	t.mu.Lock()
	if t.hosts == nil {
		t.hosts = map[string]*turn{}
	}
	h := t.hosts[host]
	if h == nil {
		h = &turn{free: make(chan struct{}, most)}
		t.hosts[host] = h
	}
	h.users++
	t.mu.Unlock()
	select {
	case h.free <- struct{}{}:
		return func() { <-h.free; t.leave(host, h) }, nil
	case <-ctx.Done():
		t.leave(host, h)
		return nil, &busyError{Host: host}
	}
}

func (t *turns) leave(host string, h *turn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if h.users--; h.users == 0 {
		delete(t.hosts, host)
	}
}

// places bounds how much goes on in all. The zero places are ready.
type places struct {
	mu    sync.Mutex
	taken int
	// The requests that wait: those that follow a redirect (goOn), and the first of a
	// retrieval (begin). Each is a chan struct{} that is closed when it has its place.
	// goOn is first, or a chain of redirects would wait at every hop behind all
	// others and run out of time.
	goOn, begin list.List
}

// take waits for a place, and reports whether there was one before the context
// ended.
func (p *places) take(ctx context.Context, most int, goesOn bool) bool {
	p.mu.Lock()
	if p.taken < most {
		p.taken++
		p.mu.Unlock()
		return true
	}
	queue := &p.begin
	if goesOn {
		queue = &p.goOn
	}
	ready := make(chan struct{})
	waiting := queue.PushBack(ready)
	p.mu.Unlock()
	select {
	case <-ready:
		return true
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-ready: // at the same moment
		return true
	default:
		queue.Remove(waiting)
		return false
	}
}

// leave gives a place to the next, if there is one.
func (p *places) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	next := cmp.Or(p.goOn.Front(), p.begin.Front())
	if next == nil {
		p.taken--
		return
	}
	p.goOn.Remove(next) // from the queue that holds it: another one ignores it
	p.begin.Remove(next)
	close(next.Value.(chan struct{}))
}
