package heed_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/heed-robots/heed"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/heedtest"
	"github.com/heed-robots/heed/polite"
)

const userAgent = "ExampleBot/1.0 (+https://example.com/bot)"

// May a URL be fetched now?
func ExampleCrawler_Check() {
	site := heedtest.Start("User-agent: *\nDisallow: /cart\n")
	defer site.Close()
	crawler := &heed.Crawler{
		UserAgent:    userAgent,
		AllowPrivate: true, // the site is on this machine
	}
	defer crawler.Close()

	answer, err := crawler.Check(context.Background(), site.URL+"/cart")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Allowed, answer.Rule.Line, answer.Rule.Pattern)
	// Output: false 2 /cart
}

// A client that obeys robots.txt.
func ExampleCrawler_Client() {
	site := heedtest.Start("User-agent: ExampleBot\nDisallow: /private/\n")
	defer site.Close()
	client := site.Crawler(userAgent).Client()

	for _, path := range []string{"/", "/private/notes"} {
		response, err := client.Get(site.URL + path)
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

// What may the page be used for?
func ExampleUsageOf() {
	site := heedtest.Start("User-agent: *\nContent-Usage: train-ai=n\n")
	defer site.Close()
	response, err := site.Crawler(userAgent).Client().Get(site.URL + "/")
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()

	usage, _ := heed.UsageOf(response)
	fmt.Println(usage.Answer(nil)) // instead of nil, a crawler gives the bytes of the page
	// Output: train-ai=n
}

// The sitemaps of a site.
func Example_sitemaps() {
	site := heedtest.Start("Sitemap: https://www.example.com/sitemap.xml\nUser-agent: *\nDisallow: /cart\n")
	defer site.Close()

	crawler := &heed.Crawler{UserAgent: userAgent, AllowPrivate: true}
	defer crawler.Close()
	found, err := crawler.Site(context.Background(), site.URL)
	if err != nil {
		log.Fatal(err)
	}
	for _, sitemap := range found.Sitemaps() {
		fmt.Println(sitemap)
	}
	// Output: https://www.example.com/sitemap.xml
}

// A test of a crawler with a server of its own. Without AllowPrivate the Crawler makes no
// request to this machine, and the error names the field.
func Example_httptest() {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			fmt.Fprint(w, "User-agent: *\nDisallow: /cart\n")
		}
	}))
	defer site.Close()

	for _, allow := range []bool{false, true} {
		crawler := &heed.Crawler{UserAgent: userAgent, AllowPrivate: allow}
		answer, err := crawler.Check(context.Background(), site.URL+"/")
		fmt.Println(answer.Allowed, errors.Is(answer.Err, fetch.AddressRefused), err)
		crawler.Close()
	}
	// Output:
	// false true <nil>
	// true false <nil>
}
