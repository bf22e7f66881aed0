// Package heed is the root of the robots exclusion protocol, whole, in Go.
//
// It holds no code: package robotstxt decides what a robots.txt says, package
// conformance runs case files against it, and cmd/heed is the command line.
package heed
