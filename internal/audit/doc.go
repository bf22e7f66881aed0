// Package audit finds the requests in access logs that robots.txt forbids (AU-1 to AU-17). Such a request is proved if the
// crawler knew the rule, is genuine, and has no excuse. Doubts are decided for the crawler.
//
// # How data flows
//
// Several workers read the logs, and check each request (scan.go). One goroutine gets these requests in the order of time
// (order.go).
//
// This goroutine decides what depends on earlier requests (auditor.go). The memory does not grow with the logs.
package audit
