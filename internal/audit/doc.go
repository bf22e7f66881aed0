// Package audit finds the requests in access logs with which crawlers disobeyed the robots.txt of the site (AU-1 to AU-17).
// A request is forbidden if the version of the robots.txt in force disallows it. A forbidden request is proved if the
// crawler must have known the rule, really was the crawler that the request names, and has no excuse. If a standard can be
// read in several ways, the package uses the way that is best for the crawler.
//
// # How data flows
//
// Several workers read the lines of all logs. For each request, they find the crawler, its identity and the version in
// force, and check the URL (scan.go). One goroutine gets these requests in the order of time (order.go). It decides what
// depends on earlier requests, for example which copy of the robots.txt the crawler had (auditor.go). The memory does not
// grow with the logs: the results are counters and a few examples for each crawler. Options.Evidence gets each forbidden
// request.
package audit
