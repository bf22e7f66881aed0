package gate

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/heed-robots/heed/cmd/heed/internal/message"
	"github.com/heed-robots/heed/internal/asked"
)

// Limits has the limits for one client, and for all clients together. A client that exceeds a limit immediately gets an
// error.
type Limits struct {
	Connections       int // open connections of all clients
	clientConnections int // open connections of one client; no limit for this machine and for trusted proxies
	Requests          int // requests in progress
	Retrievals        int // retrievals in progress, including those that wait for the Fetcher
	clients           int // clients whose request rates the daemon remembers

	header int   // bytes of the first line and the headers of a request
	url    int   // bytes of the URL of a request
	Body   int64 // bytes of the body of a request, except that of a stream
	Memory int64 // bytes that all requests together may use; see the type memory

	HeaderTime time.Duration // the longest time for sending the headers of a request
	BodyTime   time.Duration // the longest time for sending the body of a request, except the body of a stream
	IdleTime   time.Duration // the longest time between two requests on the same connection
	WriteTime  time.Duration // the longest time for receiving WritePiece bytes of an answer
	WritePiece int
	sendBuffer int // bytes that the operating system keeps for each connection until the client receives them
}

var DefaultLimits = Limits{
	// Enough for 10,000 crawlers with one connection each. An idle connection takes about 20 KiB.
	Connections: 16_384,
	// One client can have a sixteenth of all connections. So no client can use all connections, but many crawlers with the
	// same address can work.
	clientConnections: 1_024,
	// Half of the connections can have a request in progress. Waiting requests take about 256 MiB together.
	Requests: 8_192,
	// The Fetcher sends a quarter of this number of requests at the same time. With a larger number, retrievals would wait
	// too long.
	Retrievals: 1_024,
	// The number of clients that each meter remembers. A client takes about 100 bytes.
	clients: 65_536,

	header: 32 << 10, // enough for the largest URL and the headers that proxies add
	url:    16 << 10, // enough for a URL of 5 KiB with every byte escaped; a client can send a longer URL in a body
	Body:   8 << 20,  // enough for two files of 500 KiB, even if JSON needs six bytes for each byte, as in "\u0001"
	// A quarter of the memory in packaging/heed.service. The rest is for cached sites and uncounted memory.
	Memory: 512 << 20,

	HeaderTime: 10 * time.Second, // a client that needs longer does so on purpose
	BodyTime:   30 * time.Second, // 8 MiB in 30 seconds are about 2 Mbit/s
	IdleTime:   2 * time.Minute,  // clients usually keep a connection for a shorter time (90 seconds in Go)
	// A client must read about 16 KiB a second. Without sendBuffer, 16,384 slow clients could take 64 GiB.
	WriteTime:  30 * time.Second,
	WritePiece: 64 << 10,
	sendBuffer: 256 << 10,
}

var ErrOverloaded = &asked.Problem{Status: http.StatusServiceUnavailable, RetryAfter: time.Second, Err: errors.New("too many requests are in progress; try again later")}

func (l *Limits) checkURL(r *http.Request) error {
	if len(r.RequestURI) > l.url {
		return &asked.Problem{Status: http.StatusRequestURITooLong, Err: fmt.Errorf("the URL of this HTTP request has more than %d bytes", l.url)}
	}
	return nil
}

// withBodyTime limits the time for reading a body. It comes first, because net/http reads the body even after an error.
//
// After a chunked body, the connection is closed, against request smuggling (RFC 9112, 6.1).
func (l *Limits) withBodyTime(w http.ResponseWriter, r *http.Request) (*http.Request, error) {
	if r.ContentLength == 0 {
		return r, nil
	}
	if len(r.TransferEncoding) > 0 {
		w.Header()["Connection"] = message.ConnectionClose
	}
	c := http.NewResponseController(w)
	limited := *r // a copy, because net/http must find its own body in r
	limited.Body = &limitedBody{ReadCloser: r.Body, connection: c}
	return &limited, c.SetReadDeadline(time.Now().Add(l.BodyTime))
}

// refuseBody closes the connection after an error. Otherwise net/http would read the unread body first.
func refuseBody(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength != 0 {
		w.Header()["Connection"] = message.ConnectionClose
	}
}

// limitBodySize limits the size of a request body. A stream has its own limits.
func (l *Limits) limitBodySize(w http.ResponseWriter, r *http.Request, isStream bool) error {
	b, ok := r.Body.(*limitedBody)
	switch {
	case !ok: // the request has no body
	case isStream:
		r.Body = b.ReadCloser
	case r.ContentLength > l.Body:
		return &asked.Problem{Status: http.StatusRequestEntityTooLarge, Err: fmt.Errorf("the body is larger than %d bytes", l.Body)}
	default:
		b.ReadCloser = http.MaxBytesReader(w, b.ReadCloser, l.Body)
	}
	return nil
}

type limitedBody struct {
	io.ReadCloser
	connection *http.ResponseController
	held       *HeldBytes
}

// When Read reaches the end of the body, it removes the read deadline. Otherwise this deadline would end the request,
// because net/http still reads from the connection.
func (b *limitedBody) Read(p []byte) (n int, err error) {
	if n, err = b.ReadCloser.Read(p); err == io.EOF {
		b.connection.SetReadDeadline(time.Time{})
	}
	if full := b.held.Take(n * PerBodyByte); full != nil {
		return 0, full
	}
	return n, err
}
