package gate

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

func (g *Gate) HTTP(handler http.Handler) *http.Server {
	l := g.Limits
	return &http.Server{
		Handler:           handler,
		ConnContext:       withPeer,
		ConnState:         g.open.follow,
		ReadHeaderTimeout: l.HeaderTime,
		IdleTimeout:       l.IdleTime,
		MaxHeaderBytes:    l.header,
		// A stream may take long, so ReadTimeout and WriteTimeout are not set. Instead, withBodyTime and limitedConn
		// limit the time.
		DisableGeneralOptionsHandler: true, // its handler would answer without the checks of the Gate
	}
}

// Shutdown ends a server that the method HTTP made. The method Serve of the server must have returned. Until the end
// of ctx, all connections get an answer to their request. After silentTime, Shutdown closes the connections that have
// sent no whole request.
//
// The method Shutdown of the server is not enough. The server may have just read a request from a connection. Its
// Shutdown would close this connection without an answer.
func (g *Gate) Shutdown(ctx context.Context, h *http.Server, silentTime time.Duration) error {
	h.SetKeepAlivesEnabled(false)
	defer time.AfterFunc(silentTime, g.open.closeSilent).Stop()
	g.open.waitForNone(ctx)
	return h.Shutdown(ctx)
}

// openConnections are all connections of a server.
type openConnections struct {
	mu     sync.Mutex
	states map[net.Conn]http.ConnState // StateNew: the connection has sent no whole request yet
	closed chan struct{}               // has an element after a connection was closed
}

func (o *openConnections) follow(c net.Conn, state http.ConnState) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch state {
	default:
		o.states[c] = state
	case http.StateClosed, http.StateHijacked:
		delete(o.states, c)
		select {
		case o.closed <- struct{}{}:
		default:
		}
	}
}

func (o *openConnections) closeSilent() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for c, state := range o.states {
		if state == http.StateNew {
			c.Close()
		}
	}
}

func (o *openConnections) waitForNone(ctx context.Context) {
	for o.count() > 0 {
		select {
		case <-o.closed:
		case <-ctx.Done():
			return
		}
	}
}

// OpenRequests is the number of requests that have no whole answer yet.
func (g *Gate) OpenRequests() (n int) {
	g.open.mu.Lock()
	defer g.open.mu.Unlock()
	for _, state := range g.open.states {
		if state == http.StateActive {
			n++
		}
	}
	return n
}

func (o *openConnections) count() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.states)
}

// Limit limits the open connections of l, for each client and in all. Other connections get status 503.
func (g *Gate) Limit(l net.Listener) net.Listener {
	return &limitedListener{Listener: l, gate: g, openCounts: map[Client]int{}}
}

type limitedListener struct {
	net.Listener
	gate *Gate

	mu         sync.Mutex
	all        int
	openCounts map[Client]int
}

func (l *limitedListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		address := addressOf(c.RemoteAddr())
		who := clientAt(address)
		if l.enter(who, address) {
			if tcp, ok := c.(*net.TCPConn); ok {
				tcp.SetWriteBuffer(l.gate.Limits.sendBuffer) // an error does not matter: slow readers only lose the connection earlier
			}
			return &limitedConn{Conn: c, limits: l.gate.Limits, leave: sync.OnceFunc(func() { l.leave(who) })}, nil
		}
		refuse(c)
	}
}

func (l *limitedListener) enter(who Client, a netip.Addr) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	isMany := l.openCounts[who] >= l.gate.Limits.clientConnections && !a.IsLoopback() && !l.gate.Proxies.Has(a)
	if isMany || l.all >= l.gate.Limits.Connections {
		return false
	}
	l.all++
	l.openCounts[who]++
	return true
}

func (l *limitedListener) leave(who Client) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all--
	if l.openCounts[who]--; l.openCounts[who] == 0 {
		delete(l.openCounts, who)
	}
}

const tooManyConnections = `{"error":"too many connections"}` + "\n"

// The answer fits into the connection's buffer, so refuse does not wait for the client.
func refuse(c net.Conn) {
	c.SetWriteDeadline(time.Now().Add(100 * time.Millisecond))
	c.Write([]byte("HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 1\r\n" +
		"Content-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(tooManyConnections)) + "\r\n\r\n" + tooManyConnections))
	c.Close()
}

// A limitedConn fails if the client needs more time than WriteTime to receive WritePiece bytes.
type limitedConn struct {
	net.Conn
	limits   *Limits
	leave    func()
	deadline atomic.Int64 // for writes, as the time since the start of the process
}

func (c *limitedConn) Write(p []byte) (n int, err error) {
	for {
		if err := c.extend(); err != nil {
			return n, err
		}
		m, err := c.Conn.Write(p[n:min(len(p), n+c.limits.WritePiece)])
		if n += m; err != nil || n == len(p) {
			return n, err
		}
	}
}

// Setting a deadline is slow, so extend sets one that is enough for several writes.
func (c *limitedConn) extend() error {
	now := time.Now()
	if time.Duration(c.deadline.Load())-sinceStart(now) >= c.limits.WriteTime {
		return nil
	}
	return c.SetWriteDeadline(now.Add(c.limits.WriteTime * 3 / 2))
}

// Unlike the time of the clock, this time stays right if somebody sets the clock.
func sinceStart(t time.Time) time.Duration { return t.Sub(began) }

var began = time.Now()

// net/http sets the zero time after each request, to remove the deadline. This must have no effect.
func (c *limitedConn) SetWriteDeadline(t time.Time) error {
	if t.IsZero() {
		return nil
	}
	c.deadline.Store(int64(sinceStart(t)))
	return c.Conn.SetWriteDeadline(t)
}

func (c *limitedConn) Close() error {
	c.leave()
	return c.Conn.Close()
}
