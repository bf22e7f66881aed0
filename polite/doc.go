// Package polite makes an http.Client ask robots.txt before it sends: its
// Transport refuses what a site disallows, with an error that says why, and
// keeps the distance that a site asks for by Crawl-delay.
//
//	client := &http.Client{Transport: &polite.Transport{
//		UserAgent: "ExampleBot/1.0 (+https://example.com/bot)",
//	}}
//
// It is the part of heed.Crawler that sends, for who needs it alone.
//
// Every request is asked about, whatever its method (S96-6). A redirect is a
// request of its own, so a way to a disallowed URL ends in front of it, on other
// sites too.
package polite
