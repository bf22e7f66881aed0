package polite

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
)

// If a server has closed all idle connections of a Base, for example by a restart, a
// request succeeds, however many connections there were.
func TestClosedConnectionsAreNoDrops(t *testing.T) {
	const kept = 8
	type number struct{}
	var connections, arrived atomic.Int64
	all := make(chan struct{})
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/first":
			if arrived.Add(1) == kept {
				close(all)
			}
			<-all
		case r.Context().Value(number{}).(int64) <= kept:
			panic(http.ErrAbortHandler) // closes the connection
		}
		io.WriteString(w, "page")
	}))
	server.Config.ConnContext = func(ctx context.Context, _ net.Conn) context.Context {
		return context.WithValue(ctx, number{}, connections.Add(1))
	}
	server.Start()
	defer server.Close()
	rt, _ := transport("user-agent: *\n")
	rt.Base = &http.Transport{MaxIdleConnsPerHost: 2 * kept}
	var first sync.WaitGroup
	for range kept {
		first.Go(func() {
			if err := get(rt, server.URL+"/first"); err != nil {
				t.Error(err)
			}
		})
	}
	first.Wait()
	if err := get(rt, server.URL+"/page"); err != nil {
		t.Error(err)
	}
}

// The context of a request also ends when the body has been read to its end, or if there is
// no body: net/http does not need a Close then.
func TestContextOfSentRequestEndsWithTheBody(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "page")
	}))
	defer server.Close()
	for _, method := range []string{"GET", "HEAD"} {
		var sent context.Context
		rt, _ := transport("user-agent: *\n")
		rt.Base = roundTripper(func(r *http.Request) (*http.Response, error) {
			sent = r.Context()
			return http.DefaultTransport.RoundTrip(r)
		})
		request, err := http.NewRequest(method, server.URL+"/page", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("User-Agent", userAgent)
		response, err := rt.RoundTrip(request)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(response.Body); err != nil {
			t.Error(err)
		}
		if sent.Err() == nil {
			t.Errorf("%s: the context has not ended after the body was read", method)
		}
	}
}

// A Base may return no response, or one without a body. The result of http.Client is then
// the same as without a Transport.
func TestBaseWithoutBody(t *testing.T) {
	for _, response := range []*http.Response{nil, {StatusCode: 200, Header: http.Header{}}} {
		rt, _ := transport("user-agent: *\n")
		rt.UserAgent = userAgent
		rt.Base = roundTripper(func(*http.Request) (*http.Response, error) { return response, nil })
		got, err := (&http.Client{Transport: rt}).Get("http://a.example/page")
		if (err == nil) != (response != nil) {
			t.Errorf("%v: %v", response, err)
		}
		if err == nil {
			got.Body.Close()
		}
	}
}
