// Package stream checks lists of URLs: it reads inputs, asks a bulk.Decider about each URL, and writes the
// answers in the order of the input. Inputs are lines (URLs, CSV, TSV, JSON, CDX), plain or compressed.
//
// A line that has no URL is counted and reported, and never ends the run. A run that was interrupted can
// go on behind its last checkpoint: see Options.Resume.
//
// Run does all of this on one machine. Lines and Writer are its two ends, for programs that share the
// lines of a list among machines.
package stream
