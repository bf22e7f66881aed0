package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// Hosts is called for the host of each request, in redirects too, in its normal form. No request
// is sent to a host that it refuses.
func TestHosts(t *testing.T) {
	var asked atomic.Int32
	denied := serve(t, func(http.ResponseWriter, *http.Request) { asked.Add(1) })
	_, port, _ := strings.Cut(denied.String(), "127.0.0.1:")
	for _, host := range []string{
		"localhost", "LOCALHOST", "localhost.", "user:password@localhost", "127.0.0.1@localhost", "LocalHost.",
		"\uff4c\uff4f\uff43\uff41\uff4c\uff48\uff4f\uff53\uff54", "%ef%bd%8cocalhost",
	} {
		var saw []string
		f := &Fetcher{AllowPrivate: true, Timeout: 5 * time.Second, Hosts: func(host string) error {
			saw = append(saw, host)
			if host == "localhost" {
				return errors.New("localhost is not allowed")
			}
			return nil
		}}
		o := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", fmt.Sprintf("http://%s:%s/robots.txt", host, port))
			w.WriteHeader(http.StatusFound)
		})
		r, err := f.Fetch(context.Background(), o, Validators{})
		if err != nil || !errors.Is(r.Err, HostRefused) || r.Outcome(nil) != Unreachable {
			t.Errorf("%s: %s, %v, %v", host, r.Outcome(nil), r.Err, err)
		}
		if !slices.Equal(saw, []string{"127.0.0.1", "localhost"}) && len(saw) != 1 { // 1: the URL cannot be read
			t.Errorf("%s: Hosts was called with %q", host, saw)
		}
	}
	if n := asked.Load(); n > 0 {
		t.Errorf("%d requests were sent to the host that is refused", n)
	}
}

// Hosts is called for the host of the origin itself, of all schemes. A failure of it is ours.
func TestHostsOfOrigins(t *testing.T) {
	f := &Fetcher{AllowPrivate: true, Hosts: func(host string) error { return fmt.Errorf("the host %s is not allowed", host) }}
	for url, host := range map[string]string{
		"http://EXAMPLE.com.:81/": "example.com", "https://example.com": "example.com", "ftp://example.com": "example.com",
		"http://[2001:DB8::0:1]/": "[2001:db8::1]", "http://B\u00fccher.example/": "xn--bcher-kva.example",
	} {
		r, err := f.Fetch(context.Background(), parse(t, url), Validators{})
		want := fmt.Sprintf("no request was sent: the host %s is not allowed", host)
		if err != nil || !errors.Is(r.Err, HostRefused) || !HostRefused.Ours() || r.Err.Error() != want || r.Outcome(nil) != Unreachable {
			t.Errorf("%s: %v, %v", url, r.Err, err)
		}
	}
}
