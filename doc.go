// Package heed makes a crawler obey robots.txt. Crawler.Check reports whether a URL may be fetched. Crawler.Client fetches
// only such URLs.
//
//	crawler := &heed.Crawler{UserAgent: "ExampleBot/1.0 (+https://example.com/bot)"}
//	defer crawler.Close()
//	answer, err := crawler.Check(ctx, "https://www.example.com/cart")
//	client := crawler.Client()
//
// The other packages are for programs that need more control. Package robotstxt parses a file and decides, in five dialects
// and without any I/O. Package fetch fetches one file.
//
// Package cache keeps files and refreshes them; its stores are store/sqlite (on disk) and store/redis (for many machines).
// Package polite has the http.RoundTripper. Package heedtest has sites for tests of crawlers.
package heed
