// Package audit reads access logs, and finds requests with which crawlers disobeyed robots.txt (AU-1 to AU-17).
//
// A forbidden request is proved if the crawler knew the rule, is genuine, and has no excuse. In doubt, the crawler is right.
//
// # How data flows
//
// Several workers read the logs, and check each request (scan.go). One goroutine gets these requests in the order of time
// (order.go).
//
// This goroutine decides about each request with the help of the earlier ones (auditor.go). The memory does not grow with the
// logs.
package audit
