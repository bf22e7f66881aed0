package fetch

import (
	"context"
	"fmt"
	"sync"
)

// turns bounds how much goes on with each host at the same time. The zero turns
// are ready.
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
		return nil, &BusyError{host}
	}
}

// A BusyError says that a host was not asked in time, since others had their turn
// with it: see Fetcher.MaxPerHost.
type BusyError struct{ Host string }

func (e *BusyError) Error() string {
	return fmt.Sprintf("%s is busy with other retrievals of ours", e.Host)
}

func (t *turns) leave(host string, h *turn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if h.users--; h.users == 0 {
		delete(t.hosts, host)
	}
}
