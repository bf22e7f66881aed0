package heed

import (
	"context"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/robotstxt/record"
	"github.com/heed-robots/heed/usage"
)

// A Site is a snapshot of what a Crawler knows about one origin. It does not change, and is safe for concurrent use.
// The zero Site must not be used.
type Site struct {
	site   *cache.Site
	tokens []string
}

// Site returns the state of a URL's origin. A Site has more than an Answer: for example the sitemaps, and the reasons
// of a decision. The function returns the same errors as Check.
func (c *Crawler) Site(ctx context.Context, url string) (*Site, error) {
	if err := c.ready(); err != nil {
		return nil, err
	}
	o, err := origin.Parse(url)
	if err != nil {
		return nil, err
	}
	site, err := c.cache.Site(ctx, o)
	if err != nil {
		return nil, err
	}
	return &Site{site, c.tokens}, nil
}

// Check reports whether the Crawler may fetch a target: a URL of the origin, or its path and query. See cache.Site.Check.
func (s *Site) Check(target string) (cache.Answer, error) { return s.site.Check(s.tokens, target) }

// Explain makes the same decision as Check, and returns every step that led to it.
func (s *Site) Explain(target string) (robotstxt.Trace, error) {
	return s.site.Explain(s.tokens, target)
}

// Usage returns what the robots.txt says about the use of content by the Crawler; see package usage.
func (s *Site) Usage() *usage.Policy { return s.site.Usage(s.tokens) }

// Sitemaps returns the URLs of the sitemaps that the robots.txt names, in file order.
func (s *Site) Sitemaps() []string { return s.site.Sitemaps() }

// CrawlDelay returns the time that the robots.txt wants between two requests of the Crawler, or 0 if there is no
// Crawl-delay.
func (s *Site) CrawlDelay() time.Duration {
	delay, _ := s.site.CrawlDelay(s.tokens) // never fails, because a Crawler has a token
	return delay
}

// Records returns the lines of the robots.txt that apply to the Crawler and are not part of the protocol, such as
// Crawl-delay.
func (s *Site) Records() []record.Value {
	records, _ := s.site.Records(s.tokens) // never fails, because a Crawler has a token
	return records
}

// Result returns the retrieval that the answers come from, or nil if there was none. The Result must not be changed.
func (s *Site) Result() *fetch.Result { return s.site.Result() }
