// Package audit finds in access logs which crawlers requested what their robots.txt disallows, and how surely that is known
// (AU-1 to AU-17). A request is forbidden if the version in force disallows it. It is proved only if also the crawler could know
// that, was who it said, and no reading of the documents that is kinder to it excuses it.
//
// # How data flows
//
// Blocks of lines are read from all logs, in the order of their times as far as possible. Several workers read the lines, find
// the crawler, its identity and the version in force, and decide (scan.go). What depends on earlier requests, such as the
// crawler's own copy, is decided by one goroutine that gets the requests in the order of time (order.go, auditor.go). So memory does not
// grow with the logs: there are counters for each crawler, and a few lines as examples; all evidence is given away as it is found.
package audit
