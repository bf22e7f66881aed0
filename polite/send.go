package polite

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
)

// maxSent is how often a request may be sent over HTTP/2. net/http sends one again
// where a server ends the connection, or refuses the stream.
const maxSent = 3

// errSentOften is why a request is given up.
var errSentOften = fmt.Errorf("polite: the server dropped the request %d times", maxSent)

// sendBounded sends a request, and gives up where the server drops it again and
// again: over HTTP/2 net/http would go on for as long as the request may take
// (golang/go#52459). A transport says through httptrace how often it sends. Over
// HTTP/1.1 it sends again only where a connection that it kept turns out to be
// closed, so there is an end to it, and the next may be as good as new.
func sendBounded(base http.RoundTripper, req *http.Request) (*http.Response, error) {
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
			if name == ":method" { // of HTTP/2 only, once in a request
				sent.Add(1)
			}
		},
	})
	response, err := base.RoundTrip(req.WithContext(traced))
	if err != nil && context.Cause(ctx) == errSentOften {
		err = errSentOften
	}
	if err != nil || response == nil { // http.Client says what is wrong with none
		cancel(nil)
		return nil, err
	}
	response.Request = req
	response.Body = ending(response.Body, func() { cancel(nil) })
	return response, nil
}

// ending returns a body that calls end when it is closed, or read to its end.
func ending(body io.ReadCloser, end func()) io.ReadCloser {
	if body == nil || body == http.NoBody {
		end()
		return body
	}
	b := &endingBody{body, end}
	if w, ok := body.(io.Writer); ok { // of a connection that goes on as another protocol
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

// Read: who can be read no more may still be written to.
func (c *endingConn) Read(p []byte) (int, error) { return c.ReadCloser.Read(p) }
