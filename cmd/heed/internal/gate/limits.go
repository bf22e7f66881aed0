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

// Limits are the numbers that keep one client, or all together, from taking what the others need.
// Beyond a limit, a client gets an error at once: nothing grows, and nothing waits without an end.
type Limits struct {
	Connections       int // open at the same time
	clientConnections int // of one client, unless it is this machine or a trusted proxy
	Requests          int // in work at the same time
	Retrievals        int // under way at the same time, with those that wait for a turn of the Fetcher
	clients           int // of which the daemon knows how much they asked

	header int   // bytes of the first line and the headers of a request
	url    int   // bytes of the URL of a request
	Body   int64 // bytes of the body of a request, except that of a stream
	Memory int64 // bytes that all requests hold, see memory

	HeaderTime time.Duration // to send the headers of a request
	BodyTime   time.Duration // to send the body of a request, except that of a stream
	IdleTime   time.Duration // between two requests of a connection
	WriteTime  time.Duration // to receive WritePiece bytes of an answer
	WritePiece int
	sendBuffer int // bytes of the answers of a connection that the system keeps until the client receives them
}

var DefaultLimits = Limits{
	// 10,000 crawlers that keep a connection each, and some more. An idle one takes about 20 KiB.
	Connections: 16_384,
	// A sixteenth of all: one address cannot lock out the others, and is enough for many
	// crawlers behind one address.
	clientConnections: 1_024,
	// Half of the connections. A request that waits takes about 30 KiB, so all take 256 MiB.
	Requests: 8_192,
	// The Fetcher makes 256 requests at a time. These are four times as many: with a timeout of
	// 30 seconds none waits for long.
	Retrievals: 1_024,
	// An entry takes about 100 bytes.
	clients: 65_536,

	header: 32 << 10, // room for the largest URL, and for what proxies add
	url:    16 << 10, // a URL of 5 KiB with every byte escaped; a longer one can be sent in a body
	Body:   8 << 20,  // two files of 500 KiB in which each byte became six: "\u0001"
	// A quarter of what packaging/heed.service permits. The rest is for cached sites, for what the
	// garbage collector has not yet freed, and for what is not counted.
	Memory: 512 << 20,

	HeaderTime: 10 * time.Second, // a client that sends them slower does so on purpose
	BodyTime:   30 * time.Second, // 8 MiB in 30 seconds are 2 Mbit/s
	IdleTime:   2 * time.Minute,  // longer than clients usually keep a connection (90 seconds in Go)
	// The system takes the next piece when about a third of the buffer is free, so a reader of 16
	// KiB a second is fast enough. Without this size it is up to 4 MiB: 16,384 slow readers would
	// take 64 GiB, and a third of it takes a slow reader long.
	WriteTime:  30 * time.Second,
	WritePiece: 64 << 10,
	sendBuffer: 256 << 10,
}

var ErrOverloaded = &asked.Problem{Status: http.StatusServiceUnavailable, RetryAfter: time.Second, Err: errors.New("too many requests are in work")}

// checkURL returns an error if the URL of a request is too long.
func (l *Limits) checkURL(r *http.Request) error {
	if len(r.RequestURI) > l.url {
		return &asked.Problem{Status: http.StatusRequestURITooLong, Err: fmt.Errorf("the URL of the request has more than %d bytes", l.url)}
	}
	return nil
}

// withBodyTime returns the request with a limit of time until its body has arrived. It is the first
// limit of a body, because net/http reads one even after an error.
//
// After a body in chunks the connection ends (RFC 9112, 6.1). net/http does not tell if such a
// request also has a Content-Length. A proxy could have used that to find its end, so what follows
// could be a request that passed no check of the proxy (request smuggling).
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

// refuseBody is called before an error is written for a request whose body was not read. Without
// it, net/http would wait for the body first.
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
