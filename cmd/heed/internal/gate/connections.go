package gate

import (
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// HTTP returns an http.Server with the handler, and with limits of time and size.
func (g *Gate) HTTP(handler http.Handler) *http.Server {
	l := g.limitsOf()
	return &http.Server{
		Handler:           handler,
		ConnContext:       withPeer,
		ReadHeaderTimeout: l.HeaderTime,
		IdleTimeout:       l.IdleTime,
		MaxHeaderBytes:    l.header,
		// ReadTimeout and WriteTimeout are not set, because a stream may take long. withBodyTime and limitedConn limit
		// the time.
		DisableGeneralOptionsHandler: true, // the general handler would answer without the checks of the Gate
	}
}

// Limit limits the open connections of l, for each client and in all. Further connections get status 503.
func (g *Gate) Limit(l net.Listener) net.Listener {
	return &limitedListener{Listener: l, gate: g, limits: g.limitsOf(), openCounts: map[Client]int{}}
}

type limitedListener struct {
	net.Listener
	gate   *Gate
	limits *Limits

	mu         sync.Mutex
	all        int
	openCounts map[Client]int // the number of open connections of each client
}

// Accept returns the next connection that does not exceed a limit.
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
				tcp.SetWriteBuffer(l.limits.sendBuffer) // ignore the error: the only effect is that slow readers lose the connection earlier
			}
			return &limitedConn{Conn: c, limits: l.limits, leave: sync.OnceFunc(func() { l.leave(who) })}, nil
		}
		refuse(c)
	}
}

// enter counts a new connection. It returns false, and does not count it, if the connection exceeds a limit.
func (l *limitedListener) enter(who Client, a netip.Addr) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	isMany := l.openCounts[who] >= l.limits.clientConnections && !a.IsLoopback() && !l.gate.isProxy(a)
	if isMany || l.all >= l.limits.Connections {
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

// refuse sends status 503 and reads nothing. It does not block, because the answer fits into the connection's buffer.
func refuse(c net.Conn) {
	c.SetWriteDeadline(time.Now().Add(100 * time.Millisecond))
	c.Write([]byte("HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 1\r\n" +
		"Content-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(tooManyConnections)) + "\r\n\r\n" + tooManyConnections))
	c.Close()
}

// limitedConn is a connection that fails if the client needs more than WriteTime for WritePiece bytes.
type limitedConn struct {
	net.Conn
	limits   *Limits
	leave    func()
	deadline atomic.Int64 // when writes must be finished, as the time since the start of the process
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

// extend makes sure that the client has at least WriteTime for the next write. Setting a deadline is slow, so extend sets a
// deadline that is enough for several writes.
func (c *limitedConn) extend() error {
	now := time.Now()
	if time.Duration(c.deadline.Load())-sinceStart(now) >= c.limits.WriteTime {
		return nil
	}
	return c.SetWriteDeadline(now.Add(c.limits.WriteTime * 3 / 2))
}

// sinceStart returns the time from the start of the process until t. The result stays right if somebody sets the clock.
func sinceStart(t time.Time) time.Duration { return t.Sub(began) }

var began = time.Now()

// SetWriteDeadline ignores the zero time, with which net/http removes the deadline after each request.
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
