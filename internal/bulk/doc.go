// Package bulk checks many URLs against the robots.txt files of archives.
//
// A [Decider] has the archives (package capture) and the columns. A column is a crawler, a dialect and a time. The Decider
// looks up the robots.txt of each origin once, and keeps the rules as long as they fit into the limit of memory. Each
// goroutine asks the Decider through a [Checker] of its own.
package bulk
