package fetch

import (
	"context"
	"fmt"
	"net"
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
		return sync.OnceFunc(func() { <-h.free; t.leave(host, h) }), nil
	case <-ctx.Done():
		t.leave(host, h)
		return nil, fmt.Errorf("waiting for other connections to %s: %w", host, ctx.Err())
	}
}

func (t *turns) leave(host string, h *turn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if h.users--; h.users == 0 {
		delete(t.hosts, host)
	}
}

// dialInTurn connects to a host once there are few enough connections to it.
func (f *Fetcher) dialInTurn(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	done, err := f.hosts.take(ctx, host, orDefault(f.MaxPerHost, defaultMaxPerHost))
	if err != nil {
		return nil, err
	}
	c, err := f.dialer().DialContext(ctx, network, address)
	if err != nil {
		done()
		return nil, err
	}
	return &endingConn{c, done}, nil
}
