package polite_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/polite"
)

const userAgent = "ExampleBot/1.0 (+https://example.com/bot)"

// site starts a site for the examples.
func site() *httptest.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("/robots.txt", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "User-agent: *\nDisallow: /private/\n")
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "Hello, %s", r.UserAgent())
	})
	return httptest.NewServer(mux)
}

func Example() {
	server := site()
	defer server.Close()
	client := &http.Client{Transport: &polite.Transport{
		UserAgent: userAgent,
		// Needed since this site is on this machine: without Cache only public addresses are used.
		Cache: &cache.Cache{Fetcher: &fetch.Fetcher{UserAgent: userAgent, AllowPrivate: true}},
	}}

	for _, path := range []string{"/", "/private/notes"} {
		response, err := client.Get(server.URL + path)
		var disallowed *polite.DisallowedError
		switch {
		case errors.As(err, &disallowed):
			fmt.Printf("%s: disallowed by line %d\n", path, disallowed.Answer.Rule.Line)
		case err != nil:
			fmt.Println(err)
		default:
			response.Body.Close()
			fmt.Printf("%s: %s\n", path, response.Status)
		}
	}
	// Output:
	// /: 200 OK
	// /private/notes: disallowed by line 2
}

// Pages of a site whose robots.txt is unreachable are not fetched for now.
func ExampleUnreachableError() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer server.Close()
	client := &http.Client{Transport: &polite.Transport{
		UserAgent: userAgent,
		Cache:     &cache.Cache{Fetcher: &fetch.Fetcher{UserAgent: userAgent, AllowPrivate: true}},
	}}

	_, err := client.Get(server.URL)
	var unreachable *polite.UnreachableError
	if errors.As(err, &unreachable) {
		a := unreachable.Answer
		fmt.Printf("status %d, try again in %s\n", a.Status, a.NextRetrieval.Sub(a.Fetched))
	}
	// Output: status 503, try again in 1h0m0s
}
