package polite

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
)

// maxSent is how often a request may be sent. net/http sends one again where the
// connection that it kept for it turns out to be closed, and it keeps two for
// each host.
const maxSent = 3

// errSentOften is why a request is given up.
var errSentOften = fmt.Errorf("polite: the server dropped the request %d times", maxSent)

// sendBounded sends a request, and gives up where the server drops it again and
// again: over HTTP/2 net/http would go on for as long as the request may take
// (golang/go#52459). A transport says through httptrace how often it sends.
func sendBounded(base http.RoundTripper, req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	var sent atomic.Int32
	giveUp := func() {
		if sent.Load() >= maxSent {
			cancel(errSentOften)
		}
	}
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn:      func(string) { giveUp() },
		GotConn:      func(httptrace.GotConnInfo) { giveUp() },
		WroteHeaders: func() { sent.Add(1) },
	})
	response, err := base.RoundTrip(req.WithContext(traced))
	if err != nil {
		if context.Cause(ctx) == errSentOften {
			err = errSentOften
		}
		cancel(nil)
		return nil, err
	}
	response.Request = req
	response.Body = ending(response.Body, func() { cancel(nil) })
	return response, nil
}

// ending returns a body that calls end when it is closed.
func ending(body io.ReadCloser, end func()) io.ReadCloser {
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

func (b *endingBody) Close() error {
	err := b.ReadCloser.Close()
	b.end()
	return err
}

type endingConn struct {
	*endingBody
	io.Writer
}
