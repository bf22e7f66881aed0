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

// A client that exceeds a limit immediately gets an error.
type Limits struct {
	Connections       int // open connections of all clients
	clientConnections int // open connections of one client; no limit for this machine and for trusted proxies
	Requests          int
	Retrievals        int // in progress, including those that wait for the Fetcher
	clients           int // clients whose request rates the daemon remembers

	header int // bytes of the first line and the headers of a request
	url    int
	Body   int64 // bytes of a body, but not of a stream
	Memory int64 // bytes of all requests together; see the type memory

	HeaderTime time.Duration // for sending the headers
	BodyTime   time.Duration // for sending the body, but not for a stream
	IdleTime   time.Duration // between two requests on the same connection
	WriteTime  time.Duration // for receiving WritePiece bytes of an answer
	WritePiece int
	sendBuffer int // bytes of an answer that the operating system keeps until the client reads them
}

var DefaultLimits = Limits{
	// Enough for 10,000 crawlers with one connection each. An idle connection takes about 20 KiB.
	Connections: 16_384,
	// One client cannot use all connections. But many crawlers with the same address can work.
	clientConnections: 1_024,
	// Waiting requests take about 256 MiB together.
	Requests: 8_192,
	// The Fetcher runs a quarter of these retrievals at the same time. The other retrievals wait. With a larger
	// number, some retrievals would wait too long.
	Retrievals: 1_024,
	// A client takes about 100 bytes in each meter.
	clients: 65_536,

	header: 32 << 10, // for the longest URL and the headers that proxies add
	url:    16 << 10, // for a URL of 5 KiB with every byte escaped; a longer URL can come in a body
	Body:   8 << 20,  // for two files of 500 KiB, even if JSON needs six bytes for each byte, as in "\u0001"
	// packaging/heed.service allows four times as much. The rest is for cached sites and uncounted memory.
	Memory: 512 << 20,

	HeaderTime: 10 * time.Second, // a client that needs longer does so on purpose
	BodyTime:   30 * time.Second, // 8 MiB in 30 seconds are about 2 Mbit/s
	IdleTime:   2 * time.Minute,  // clients usually end a connection earlier (Go after 90 seconds)
	// A client must read about 16 KiB a second. Without sendBuffer, 16,384 slow clients could take 64 GiB.
	WriteTime:  30 * time.Second,
	WritePiece: 64 << 10,
	sendBuffer: 256 << 10,
}

var ErrOverloaded = &asked.Problem{Status: http.StatusServiceUnavailable, RetryAfter: time.Second, Err: errors.New("too many requests are in progress; try again later")}

func (l *Limits) checkURL(r *http.Request) error {
	if len(r.RequestURI) > l.url {
		return &asked.Problem{Status: http.StatusRequestURITooLong, Err: fmt.Errorf("the URL of this HTTP request has more than %d bytes: expected a shorter URL", l.url)}
	}
	return nil
}

// withBodyTime limits the time for reading the body. net/http reads the body even after an error, so this limit must
// come before all checks. No answer waits for the rest of the body.
//
// If a part of the body was not read, this part could look like another request. So the connection is closed. A
// chunked body or a body of HTTP/1.0 may hide a second request (RFC 9112, 6.1). After such a body, the connection is
// always closed.
func (l *Limits) withBodyTime(w http.ResponseWriter, r *http.Request) (*http.Request, error) {
	if r.ContentLength == 0 {
		return r, nil
	}
	w.Header()["Connection"] = message.ConnectionClose
	c := http.NewResponseController(w)
	limited := *r // a copy, because net/http must find its own body in r
	limited.Body = &limitedBody{ReadCloser: r.Body, response: w, connection: c, mayReuse: r.ProtoAtLeast(1, 1) && len(r.TransferEncoding) == 0}
	return &limited, errors.Join(c.EnableFullDuplex(), c.SetReadDeadline(time.Now().Add(l.BodyTime)))
}

// limitBodySize does not limit the body of a stream, because a stream has its own limits.
func (l *Limits) limitBodySize(w http.ResponseWriter, r *http.Request, isStream bool) error {
	b, ok := r.Body.(*limitedBody)
	switch {
	case !ok || isStream:
	case r.ContentLength > l.Body:
		return message.TooLarge(l.Body)
	default:
		b.ReadCloser = http.MaxBytesReader(w, b.ReadCloser, l.Body)
	}
	return nil
}

// StreamBody returns the body of a stream, without a limit. The caller must read it to its end, or close the connection.
func StreamBody(r *http.Request) io.Reader {
	b, ok := r.Body.(*limitedBody)
	if !ok {
		return r.Body
	}
	b.end()
	return b.ReadCloser
}

type limitedBody struct {
	io.ReadCloser
	response   http.ResponseWriter
	connection *http.ResponseController
	mayReuse   bool // the connection, after the end of the body
	hasEnded   bool
	held       *HeldBytes
}

func (b *limitedBody) Read(p []byte) (n int, err error) {
	if n, err = b.ReadCloser.Read(p); err == io.EOF {
		b.end()
	}
	if full := b.held.Take(n * PerBodyByte); full != nil {
		return 0, full
	}
	return n, err
}

// At the end of the body, end removes the deadline. net/http still reads from the connection after the body. With the
// deadline, net/http would end the request.
func (b *limitedBody) end() {
	b.hasEnded = true
	b.connection.SetReadDeadline(time.Time{})
	if b.mayReuse {
		b.response.Header().Del("Connection")
	}
}

// After the answer, a client may send the rest of a body for this time. If the connection were closed at once, the
// client might not get the answer.
const restTime = time.Second

// After the answer, net/http reads the rest of the body. endBody limits the time for this.
func endBody(r *http.Request) {
	if b, ok := r.Body.(*limitedBody); ok && !b.hasEnded {
		b.connection.SetReadDeadline(time.Now().Add(restTime))
	}
}
