package heed

import (
	"context"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/robotstxt/record"
)

// A Site is one origin as it stood when Crawler.Site returned it, for that Crawler. It
// does not change, and is safe for concurrent use. The zero Site must not be used.
type Site struct {
	site   *cache.Site
	tokens []string
}

// Site returns the origin of a URL as it stands now: what its robots.txt says beside the
// rules, such as its sitemaps, and the reasons of a decision. The error is that of Check.
func (c *Crawler) Site(ctx context.Context, url string) (*Site, error) {
	if err := c.ready(); err != nil {
		return nil, err
	}
	site, err := c.cache.Site(ctx, url)
	if err != nil {
		return nil, err
	}
	return &Site{site, c.tokens}, nil
}

// Check answers whether the Crawler may fetch a URL of the origin, or a path with its
// query; see cache.Site.Check.
func (s *Site) Check(target string) (cache.Answer, error) { return s.site.Check(s.tokens, target) }

// Explain decides as Check does and returns all the reasons.
func (s *Site) Explain(target string) (robotstxt.Trace, error) {
	return s.site.Explain(s.tokens, target)
}

// Sitemaps returns the URLs of the sitemaps that the robots.txt names, in file order.
func (s *Site) Sitemaps() []string { return s.site.Sitemaps() }

// CrawlDelay returns how long the Crawler is asked to wait between requests; 0: the
// robots.txt does not ask for it.
func (s *Site) CrawlDelay() time.Duration {
	delay, _ := s.site.CrawlDelay(s.tokens) // there are tokens
	return delay
}

// Records returns the records that the robots.txt has for the Crawler beside the rules.
func (s *Site) Records() []record.Value {
	records, _ := s.site.Records(s.tokens) // there are tokens
	return records
}

// Result returns the retrieval that answers rest on; nil: nothing is known of the
// origin. It must not be changed.
func (s *Site) Result() *fetch.Result { return s.site.Result() }
