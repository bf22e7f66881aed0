// Package polite makes an http.Client obey robots.txt. Its Transport checks each request before it is sent. A request that
// robots.txt disallows fails with an error that names the reason.
//
// Requests to one origin wait for its Crawl-delay. Processes that share a cache.Pacer, such as the store in Redis, keep
// one crawl delay together. With any other store, such as SQLite, each process keeps its own delay, and begins without a
// wait. See Transport.MaxDelay.
//
//	client := &http.Client{Transport: &polite.Transport{
//		UserAgent: "ExampleBot/1.0 (+https://example.com/bot)",
//	}}
//
// A heed.Crawler sends its requests through a Transport. Every method of HTTP is checked (S96-6), and so is every redirect.
package polite
