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

// HTTP returns an http.Server with a handler and the limits of time and size.
func (g *Gate) HTTP(handler http.Handler) *http.Server {
	l := g.limitsOf()
	return &http.Server{
		Handler:           handler,
		ConnContext:       withPeer,
		ReadHeaderTimeout: l.HeaderTime,
		IdleTimeout:       l.IdleTime,
		MaxHeaderBytes:    l.header,
		// ReadTimeout and WriteTimeout are not set, because streams may be long. withBodyTime and
		// limitedConn limit the time instead.
		DisableGeneralOptionsHandler: true, // it would answer without the guards of the Gate
	}
}

// Limit returns a listener that limits how many connections are open, in all and for each client.
// A connection beyond the limits immediately gets status 503.
func (g *Gate) Limit(l net.Listener) net.Listener {
	return &limitedListener{Listener: l, gate: g, limits: g.limitsOf(), open: map[Client]int{}}
}

type limitedListener struct {
	net.Listener
	gate   *Gate
	limits *Limits

	mu   sync.Mutex
	all  int
	open map[Client]int // connections of each client
}

// Accept returns the next connection within the limits.
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
				tcp.SetWriteBuffer(l.limits.sendBuffer) // if it fails, slow readers lose the connection earlier
			}
			return &limitedConn{Conn: c, limits: l.limits, leave: sync.OnceFunc(func() { l.leave(who) })}, nil
		}
		refuse(c)
	}
}

// enter counts a new connection. It returns false, and counts nothing, if that connection is beyond a limit.
func (l *limitedListener) enter(who Client, a netip.Addr) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	isMany := l.open[who] >= l.limits.clientConnections && !a.IsLoopback() && !l.gate.isProxy(a)
	if isMany || l.all >= l.limits.Connections {
		return false
	}
	l.all++
	l.open[who]++
	return true
}

func (l *limitedListener) leave(who Client) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all--
	if l.open[who]--; l.open[who] == 0 {
		delete(l.open, who)
	}
}

const tooManyConnections = `{"error":"too many connections"}` + "\n"

// refuse answers a connection without reading from it. A new connection has room for a short
// answer, so this does not wait.
func refuse(c net.Conn) {
	c.SetWriteDeadline(time.Now().Add(100 * time.Millisecond))
	c.Write([]byte("HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 1\r\n" +
		"Content-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(tooManyConnections)) + "\r\n\r\n" + tooManyConnections))
	c.Close()
}

// limitedConn is a connection whose client must keep reading: it must receive each WritePiece bytes of
// an answer within WriteTime, or up to half more. A long stream continues as long as its client reads.
type limitedConn struct {
	net.Conn
	limits   *Limits
	leave    func()
	deadline atomic.Int64 // of writes, as sinceStart
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

// extend sets the deadline of the next write. Setting a deadline costs more than reading the clock, so
// extend sets it later than needed, and keeps it as long as WriteTime is left.
func (c *limitedConn) extend() error {
	now := time.Now()
	if time.Duration(c.deadline.Load())-sinceStart(now) >= c.limits.WriteTime {
		return nil
	}
	return c.SetWriteDeadline(now.Add(c.limits.WriteTime * 3 / 2))
}

// sinceStart returns how long after the start of the process a time is. It uses the monotonic clock, so
// it stays right when somebody sets the clock of the machine.
func sinceStart(t time.Time) time.Duration { return t.Sub(began) }

var began = time.Now()

// SetWriteDeadline sets the deadline of the next writes. A Write replaces it when less than WriteTime
// is left. A zero time, with which net/http would remove the deadline after each request, is ignored.
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
