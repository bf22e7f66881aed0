// Package record reads the records of a robots.txt: all lines with a key other than User-agent, Allow and Disallow, such as
// Sitemap, Crawl-delay and Content-Signal. No record changes what may be crawled.
//
// Parse returns the value of a record. Lookup and All return what Heed knows about a record: to whom it applies, who reads it,
// and whether it is still in use. Package robotstxt finds the records of a file: File.Lines yields all records, and
// Policy.Records returns the records for one crawler.
//
//	value, err := record.Parse(line.Key, line.Value)
//	if delay, ok := value.(record.CrawlDelay); ok {
//		time.Sleep(delay.Delay)
//	}
//
// The package does no I/O. It is safe for concurrent use.
package record
