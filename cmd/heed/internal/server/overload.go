package server

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// inWork counts the requests that are in work, up to a limit.
type inWork struct {
	now atomic.Int64
	max int64
}

var errOverloaded = &problem{status: http.StatusServiceUnavailable, retryAfter: time.Second, err: errors.New("too many requests are in work")}

// enter counts a request, which must then call leave.
func (n *inWork) enter() error {
	if n.now.Add(1) > n.max {
		n.now.Add(-1)
		return errOverloaded
	}
	return nil
}

func (n *inWork) leave() { n.now.Add(-1) }

// checkURL returns an error if the URL of a request is too long.
func (l *limits) checkURL(r *http.Request) error {
	if len(r.RequestURI) > l.url {
		return &problem{status: http.StatusRequestURITooLong, err: fmt.Errorf("the URL of the request has more than %d bytes", l.url)}
	}
	return nil
}

// limitBodyTime limits the time until the body of a request has arrived. It is the first limit
// of a body, because net/http reads one even after an error.
func (l *limits) limitBodyTime(w http.ResponseWriter, r *http.Request) error {
	if r.ContentLength == 0 {
		return nil
	}
	b := &limitedBody{ReadCloser: r.Body, connection: http.NewResponseController(w)}
	r.Body = b
	return b.connection.SetReadDeadline(time.Now().Add(l.bodyTime))
}

// limitBodySize limits the size of the body of a request. The body of a stream may have any size,
// and take any time, as long as parts of it arrive.
func (l *limits) limitBodySize(w http.ResponseWriter, r *http.Request, isStream bool) error {
	b, ok := r.Body.(*limitedBody)
	switch {
	case !ok: // there is none
	case isStream:
		b.between = l.streamTime
	case r.ContentLength > l.body:
		return &problem{status: http.StatusRequestEntityTooLarge, err: fmt.Errorf("the body is larger than %d bytes", l.body)}
	default:
		b.ReadCloser = http.MaxBytesReader(w, b.ReadCloser, l.body)
	}
	return nil
}

// limitedBody is a body with a limit of time.
type limitedBody struct {
	io.ReadCloser
	connection *http.ResponseController
	between    time.Duration // time for each Read; 0: the deadline stays as it is
}

// Read removes the deadline at the end of the body: after that net/http reads from the
// connection to learn when the client closes it, and an error would end the request.
func (b *limitedBody) Read(p []byte) (n int, err error) {
	if b.between > 0 {
		b.connection.SetReadDeadline(time.Now().Add(b.between))
	}
	if n, err = b.ReadCloser.Read(p); err != nil {
		b.connection.SetReadDeadline(time.Time{})
	}
	return n, err
}
