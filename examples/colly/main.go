// Command colly crawls one site with the library colly, and obeys the robots.txt of the site.
//
//	go run . https://example.com/
//
// The HTTP transport obeys the robots.txt. Colly itself does not read it, because IgnoreRobotsTxt is true by default.
package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/gocolly/colly/v2"

	"github.com/heed-robots/heed/polite"
)

const userAgent = "ExampleBot/1.0 (+https://example.com/bot)"

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: colly https://example.com/")
		os.Exit(2)
	}
	if err := crawl(os.Args[1], &polite.Transport{UserAgent: userAgent}, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func crawl(start string, transport http.RoundTripper, out io.Writer) error {
	u, err := url.Parse(start)
	if err != nil {
		return err
	}
	c := colly.NewCollector(
		colly.UserAgent(userAgent), // without this, colly would send its own User-Agent
		colly.AllowedDomains(u.Hostname()),
		colly.MaxDepth(3),
	)
	c.WithTransport(transport)
	// The timeout includes the wait for the crawl delay, which can be longer than colly's default of 10 seconds.
	c.SetRequestTimeout(2 * time.Minute)

	c.OnResponse(func(r *colly.Response) {
		fmt.Fprintln(out, "visited", r.Request.URL)
	})
	c.OnHTML("a[href]", func(e *colly.HTMLElement) {
		e.Request.Visit(e.Attr("href")) // the error is ignored, because OnError gets it too
	})
	c.OnError(func(r *colly.Response, err error) {
		var disallowed *polite.DisallowedError
		var unreachable *polite.UnreachableError
		switch {
		case errors.As(err, &disallowed): // after a redirect, robots.txt disallows disallowed.URL, not r.Request.URL
			fmt.Fprintf(out, "refused %s: line %d\n", disallowed.URL, disallowed.Answer.Rule.Line)
		case errors.As(err, &unreachable):
			fmt.Fprintf(out, "refused %s: robots.txt is unreachable\n", unreachable.URL)
		default:
			fmt.Fprintf(out, "failed %s: %v\n", r.Request.URL, err)
		}
	})
	return c.Visit(start)
}
