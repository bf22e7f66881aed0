// Package record reads the records of a robots.txt: lines such as Sitemap, Crawl-delay and Content-Signal. No record
// changes what may be crawled.
//
// Parse returns the value of a record. The functions Lookup and All say for whom a record is, who reads it, and
// whether it is still in use. File.Lines and Policy.Records of package robotstxt find the records.
//
//	value, err := record.Parse(line.Key, line.Value)
//	if delay, ok := value.(record.CrawlDelay); ok {
//		time.Sleep(delay.Delay)
//	}
//
// The package does no I/O. It is safe for concurrent use.
package record
