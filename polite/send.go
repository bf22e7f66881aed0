package polite

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
)

// maxSent is how often net/http may send a request over HTTP/2, if the server closes the connection each time.
const maxSent = 3

var errSentOften = fmt.Errorf("polite: the request was sent %d times, and each time the server closed the connection without a response: try again later", maxSent)

// sendLimited sends a request at most maxSent times. Without this limit, net/http would send the request again and again
// until its context ends (golang/go#52459). HTTP/1.1 needs no limit.
func sendLimited(base http.RoundTripper, req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	var sent atomic.Int32
	giveUp := func() {
		if sent.Load() >= maxSent {
			cancel(errSentOften)
		}
	}
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { giveUp() },
		GotConn: func(httptrace.GotConnInfo) { giveUp() },
		WroteHeaderField: func(name string, _ []string) {
			if name == ":method" { // HTTP/2 writes this field once each time that it sends the request; HTTP/1.1 has no such field
				sent.Add(1)
			}
		},
	})
	response, err := base.RoundTrip(req.WithContext(traced))
	if err != nil && context.Cause(ctx) == errSentOften {
		err = errSentOften
	}
	if err != nil || response == nil { // for a nil response, http.Client itself returns an error
		cancel(nil)
		return nil, err
	}
	response.Request = req
	response.Body = withEnd(response.Body, func() { cancel(nil) })
	return response, nil
}

func withEnd(body io.ReadCloser, end func()) io.ReadCloser {
	if body == nil || body == http.NoBody {
		end()
		return body
	}
	b := &endingBody{body, end}
	if w, ok := body.(io.Writer); ok { // after status 101, the connection continues with another protocol
		return &endingConn{b, w}
	}
	return b
}

type endingBody struct {
	io.ReadCloser
	end func()
}

func (b *endingBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		b.end()
	}
	return n, err
}

func (b *endingBody) Close() error {
	err := b.ReadCloser.Close()
	b.end()
	return err
}

type endingConn struct {
	*endingBody
	io.Writer
}

// Read does not call end, because the connection may still be written to after it has been read to its end.
func (c *endingConn) Read(p []byte) (int, error) { return c.ReadCloser.Read(p) }
