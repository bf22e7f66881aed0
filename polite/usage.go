package polite

import (
	"context"
	"net/http"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/usage"
)

// A Usage says what the content of a response may be used for, according to the robots.txt and the response. In the zero
// Usage everything is unknown.
type Usage struct {
	site   *cache.Site
	agents []string
	url    string
	header http.Header

	answer  cache.Answer
	decided time.Time
}

type usageKey struct{}

// UsageOf returns what the content of a response may be used for. It makes no request. ok is false if the response is not
// from a Transport. Then u answers only from what the headers and the page say to all crawlers.
func UsageOf(response *http.Response) (u Usage, ok bool) {
	if response == nil {
		return Usage{}, false
	}
	if response.Request != nil {
		u, ok = response.Request.Context().Value(usageKey{}).(Usage)
	}
	u.header = response.Header
	return u, ok
}

func (u Usage) storeIn(response *http.Response) {
	sent := response.Request
	response.Request = sent.WithContext(context.WithValue(sent.Context(), usageKey{}, u))
}

// Answer returns the preferences in the robots.txt, the headers and the page (AI-4, AI-9). html is the start of the page,
// whose meta elements are read. It must be nil if the response is not an HTML page, because Answer does not check its
// Content-Type.
func (u Usage) Answer(html []byte) usage.Answer {
	return u.policy().Check(u.url, true, usage.ReadResponse(u.header, html))
}

// Explain returns the preferences for the given purposes, with their evidence. For html, see Answer.
func (u Usage) Explain(html []byte, purposes ...usage.Purpose) []usage.Verdict {
	return u.policy().Explain(u.url, true, usage.ReadResponse(u.header, html), purposes...)
}

func (u Usage) policy() *usage.Policy {
	if u.site == nil {
		return usage.New(nil, usage.Options{}, u.agents...)
	}
	return u.site.Usage(u.agents)
}
