package lint

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/heed-robots/heed/internal/authority"
	"github.com/heed-robots/heed/internal/printable"
)

// A Response is what a site answers to the request for its robots.txt, over http or https.
type Response struct {
	URLs        []string      // the URLs that were requested: first /robots.txt, then the targets of redirects
	Status      int           // the status of the last response; 0 if it did not arrive completely
	ContentType string        // the value of the header Content-Type; "" if there is none
	MediaType   string        // the type in Content-Type, as mime.ParseMediaType returns it; "" if it cannot be read
	Charset     string        // the parameter "charset" in Content-Type; "" if there is none
	Lifetime    time.Duration // how long crawlers may keep the response, according to its headers; 0 means not at all, or unknown
	Body        []byte
	Truncated   bool // true if Body is only the first part of the file; this part ends at the end of a line
}

const (
	maxRedirects = 5              // the number of redirects that crawlers should at least follow (RFC 9309, 2.3.1.2)
	maxLifetime  = 24 * time.Hour // the longest time for which crawlers should keep a robots.txt (RFC 9309, 2.4)
)

func (r *Response) redirects() int { return len(r.URLs) - 1 }

func (r *Response) isFile() bool { return r.Status >= 200 && r.Status <= 299 }

// The statuses 404 and 410 are no errors: the site has no robots.txt.
func (r *Response) isError() bool {
	return r.Status != 0 && !r.isFile() && r.Status != 404 && r.Status != 410
}

// blockingPage returns what kind of page the body is, for example "a login page", or "" if it is not such a page.
func (r *Response) blockingPage() string {
	what, ok := strings.CutPrefix(documentOf(string(r.Body)), "an HTML page, ")
	if !ok || strings.HasSuffix(what, "about an error") {
		return ""
	}
	return what
}

func (r *Response) effect() string {
	if r.Status >= 400 && r.Status <= 499 && r.Status != 429 {
		return "crawlers take the site as one without robots.txt, and may fetch everything"
	}
	return "careful crawlers fetch nothing of the site"
}

func wrongStatus(r *Response, report func(Finding)) {
	if isRedirect := r.Status >= 300 && r.Status <= 399; isRedirect && r.redirects() > maxRedirects {
		return // the lint rule "redirected" reports such a response
	}
	if r.isError() && r.blockingPage() == "" {
		report(Finding{Message: fmt.Sprintf("status %d: %s", r.Status, r.effect())})
	}
}

func challengePage(r *Response, report func(Finding)) {
	if what := r.blockingPage(); what != "" && r.isError() {
		report(Finding{Message: fmt.Sprintf("status %d with %s: %s", r.Status, what, r.effect())})
	}
}

func wrongType(r *Response, report func(Finding)) {
	if !r.isFile() || documentOf(string(r.Body)) != "" {
		return // the lint rules "html-body" and "challenge-page" report an HTML page
	}
	switch {
	case r.ContentType == "":
		report(Finding{Message: "no Content-Type: expected text/plain"})
	case r.MediaType == "":
		report(Finding{Message: fmt.Sprintf("cannot read the Content-Type %s: expected text/plain", printable.Quote(r.ContentType))})
	case r.MediaType != "text/plain":
		report(Finding{Message: fmt.Sprintf("the Content-Type is %s: expected text/plain", printable.Text(r.MediaType))})
	case r.Charset != "" && !slices.Contains([]string{"utf-8", "utf8", "us-ascii"}, strings.ToLower(r.Charset)):
		report(Finding{Message: fmt.Sprintf("the charset is %s: expected utf-8", printable.Quote(r.Charset))})
	}
}

func redirected(r *Response, report func(Finding)) {
	if n := r.redirects(); n > maxRedirects {
		report(Finding{Message: fmt.Sprintf("%d redirects: crawlers need to follow only %d, and then may take the site as one without robots.txt", n, maxRedirects)})
		return
	}
	for i := 1; i < len(r.URLs); i++ {
		fromScheme, fromHost := splitURL(r.URLs[i-1])
		toScheme, toHost := splitURL(r.URLs[i])
		switch {
		case fromHost == "" || toHost == "":
			continue // cannot happen, because both URLs were requested
		case fromHost != toHost:
			report(Finding{Message: fmt.Sprintf("redirected to another host, %s: the rules of its file apply to this site", printable.Text(r.URLs[i]))})
			return
		case fromScheme == "https" && toScheme == "http":
			report(Finding{Message: fmt.Sprintf("redirected to %s, without encryption: whoever is between can change the rules", printable.Text(r.URLs[i]))})
			return
		}
	}
}

func splitURL(url string) (scheme, host string) {
	scheme, rest, _ := strings.Cut(strings.ToLower(url), "://")
	at := authority.At(rest)
	host, _ = authority.Split(at[strings.LastIndexByte(at, '@')+1:])
	return scheme, strings.TrimPrefix(host, "www.")
}

func keptTooLong(r *Response, report func(Finding)) {
	if r.isFile() && r.Lifetime > maxLifetime {
		hours := int(r.Lifetime.Hours())
		kept := fmt.Sprintf("%d hours", hours)
		if hours >= 48 {
			kept = fmt.Sprintf("%d days", hours/24)
		}
		report(Finding{Message: fmt.Sprintf("the headers let crawlers keep the file for %s: a change may have no effect for so long", kept)})
	}
}
