// Package bulk decides about many URLs, with the robots.txt files of archives.
//
// A [Decider] has the archives (package capture) and the columns: for which crawlers, in which dialects,
// at which times. It finds the robots.txt of each origin once, and keeps what it needs of it as long as
// there is memory. Each goroutine asks through a [Checker] of its own.
package bulk
