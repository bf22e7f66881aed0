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
