// Package bulk checks many URLs against the robots.txt files of archives.
//
// A [Decider] has the archives (package capture) and the columns: a column is a crawler, a dialect and a time. The Decider
// keeps the rules of each origin in memory, up to a limit. Each goroutine asks the Decider through a [Checker] of its own.
package bulk
