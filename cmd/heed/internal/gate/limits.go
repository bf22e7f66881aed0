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

// Limits bound what one client, and all clients together, may use. Beyond a limit, a client immediately
// gets an error, so that neither memory nor waiting times grow without end.
type Limits struct {
	Connections       int // open at the same time
	clientConnections int // of one client, unless it is this machine or a trusted proxy
	Requests          int // in progress at the same time
	Retrievals        int // in progress at the same time, with those that wait for the Fetcher
	clients           int // whose rates of requests the daemon remembers

	header int   // bytes of the first line and the headers of a request
	url    int   // bytes of the URL of a request
	Body   int64 // bytes of the body of a request, except that of a stream
	Memory int64 // bytes that all requests hold; see the type memory

	HeaderTime time.Duration // to send the headers of a request
	BodyTime   time.Duration // to send the body of a request, except that of a stream
	IdleTime   time.Duration // between two requests of a connection
	WriteTime  time.Duration // to receive WritePiece bytes of an answer
	WritePiece int
	sendBuffer int // bytes that the system keeps for each connection until the client receives them
}

var DefaultLimits = Limits{
	// 10,000 crawlers that keep a connection each, and some more. An idle one takes about 20 KiB.
	Connections: 16_384,
	// A sixteenth of all connections. One address cannot lock out the others, but many crawlers can
	// share an address.
	clientConnections: 1_024,
	// Half of the connections. A request that waits takes about 30 KiB, so all take 256 MiB.
	Requests: 8_192,
	// The Fetcher makes 256 requests at a time. Four times as many may wait or run: with a timeout
	// of 30 seconds none waits for long.
	Retrievals: 1_024,
	// How many clients each meter remembers. An entry takes about 100 bytes.
	clients: 65_536,

	header: 32 << 10, // room for the largest URL, and for what proxies add
	url:    16 << 10, // a URL of 5 KiB with every byte escaped; a longer one can be sent in a body
	Body:   8 << 20,  // two files of 500 KiB, if JSON needs six bytes for each of theirs, as in "\u0001"
	// A quarter of the memory that packaging/heed.service allows. The rest is for cached sites, for
	// memory that the garbage collector has not yet freed, and for what is not counted.
	Memory: 512 << 20,

	HeaderTime: 10 * time.Second, // a client that sends them slower does so on purpose
	BodyTime:   30 * time.Second, // 8 MiB in 30 seconds are 2 Mbit/s
	IdleTime:   2 * time.Minute,  // longer than clients usually keep a connection (90 seconds in Go)
	// A client must read about 16 KiB a second: a write returns when the client has read about a third of sendBuffer.
	// Without sendBuffer, the system would buffer up to 4 MiB for each connection. For 16,384 slow clients that would be
	// 64 GiB, and a slow client would need too long to read a third of its buffer.
	WriteTime:  30 * time.Second,
	WritePiece: 64 << 10,
	sendBuffer: 256 << 10,
}

var ErrOverloaded = &asked.Problem{Status: http.StatusServiceUnavailable, RetryAfter: time.Second, Err: errors.New("too many requests are in progress; try again later")}

// checkURL returns an error if the URL of a request is too long.
func (l *Limits) checkURL(r *http.Request) error {
	if len(r.RequestURI) > l.url {
		return &asked.Problem{Status: http.StatusRequestURITooLong, Err: fmt.Errorf("the URL of this HTTP request has more than %d bytes", l.url)}
	}
	return nil
}

// withBodyTime returns the request with a limit of time for reading its body. It is called before all
// guards that may fail, because net/http reads the body even after an error.
//
// After a body in chunks the connection is closed (RFC 9112, 6.1). Such a request may also have a
// Content-Length, which net/http removes. A proxy could have used it to find the end of the body. Then
// the next request on the connection could be one that the proxy never checked (request smuggling).
func (l *Limits) withBodyTime(w http.ResponseWriter, r *http.Request) (*http.Request, error) {
	if r.ContentLength == 0 {
		return r, nil
	}
	if len(r.TransferEncoding) > 0 {
		w.Header()["Connection"] = message.Closes
	}
	c := http.NewResponseController(w)
	limited := *r // net/http must find its own body in r
	limited.Body = &limitedBody{ReadCloser: r.Body, connection: c}
	return &limited, c.SetReadDeadline(time.Now().Add(l.BodyTime))
}

// refuseBody must be called before an error is written for a request whose body was not read. It closes
// the connection after the error: net/http would otherwise read the body first.
func refuseBody(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength != 0 {
		w.Header()["Connection"] = message.Closes
	}
}

// limitBodySize limits the size of the body of a request. A stream has its own limits.
func (l *Limits) limitBodySize(w http.ResponseWriter, r *http.Request, isStream bool) error {
	b, ok := r.Body.(*limitedBody)
	switch {
	case !ok: // there is none
	case isStream:
		r.Body = b.ReadCloser
	case r.ContentLength > l.Body:
		return &asked.Problem{Status: http.StatusRequestEntityTooLarge, Err: fmt.Errorf("the body is larger than %d bytes", l.Body)}
	default:
		b.ReadCloser = http.MaxBytesReader(w, b.ReadCloser, l.Body)
	}
	return nil
}

// limitedBody is a body with a limit of time, and of memory.
type limitedBody struct {
	io.ReadCloser
	connection *http.ResponseController
	held       *Held
}

// Read removes the deadline at the end of the body: after that net/http reads from the
// connection to learn when the client closes it, and an error would end the request.
func (b *limitedBody) Read(p []byte) (n int, err error) {
	if n, err = b.ReadCloser.Read(p); err == io.EOF {
		b.connection.SetReadDeadline(time.Time{})
	}
	if full := b.held.Take(n * PerBodyByte); full != nil {
		return 0, full
	}
	return n, err
}
