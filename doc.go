// Package heed makes a crawler heed robots.txt: a Crawler is told once who it is,
// says what it may fetch, and has an http.Client that fetches nothing else.
//
//	crawler := &heed.Crawler{UserAgent: "ExampleBot/1.0 (+https://example.com/bot)"}
//	defer crawler.Close()
//	answer, err := crawler.Check(ctx, "https://www.example.com/cart")
//	client := crawler.Client()
//
// The parts of it are there for who needs more: package robotstxt says what a file
// means, in five dialects and without any I/O; fetch retrieves one file; cache
// remembers files and knows when to ask again, with a choice of stores (store/sqlite
// on disk, store/redis for a fleet); polite is the http.RoundTripper. Package heedtest
// has sites for the tests of crawlers.
package heed
