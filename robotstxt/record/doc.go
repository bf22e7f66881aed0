// Package record reads the records of a robots.txt that are not of the protocol, that
// is all but User-agent, Allow and Disallow: Sitemap, Crawl-delay, Content-Signal and
// others. None of them changes what may be crawled.
//
// Parse reads what one says, Lookup and All return what is known of them: whom a record
// binds, who reads it, and what became of it. Lines and groups are those of package
// robotstxt, whose Policy.Records returns the records for one crawler.
//
//	value, err := record.Parse(line.Key, line.Value)
//	if delay, ok := value.(record.CrawlDelay); ok {
//		time.Sleep(delay.Delay)
//	}
//
// Nothing in this package does I/O, and everything is safe for concurrent use.
package record
