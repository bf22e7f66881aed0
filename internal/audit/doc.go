// Package audit finds in access logs which crawlers requested what the robots.txt of the site disallows, and whether this is
// proved (AU-1 to AU-17). A request is forbidden if the version of the robots.txt in force disallows it. It is proved only if the
// crawler could also know that version, was really the crawler that it named, and has no excuse. If the documents can be read in
// several ways, the way that is better for the crawler is used.
//
// # How data flows
//
// Blocks of lines are read from all logs, in the order of their times as far as possible. Several workers read the lines, find
// the crawler, its identity and the version in force, and check the request (scan.go). One goroutine decides what depends on
// earlier requests, for example which copy of the robots.txt the crawler had. It gets the requests in the order of time
// (order.go, auditor.go). Memory does not grow with the logs, because each crawler has only counters and a few examples, and
// Options.Evidence gets all other evidence as it is found.
package audit
