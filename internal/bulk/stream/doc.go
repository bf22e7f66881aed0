// Package stream checks lists of URLs: it reads inputs, asks a bulk.Decider about each URL, and writes the verdicts in the
// order of the input. Inputs are lines (URLs, CSV, TSV, JSON, CDX), plain or compressed.
//
// A line without a URL is counted and reported, and the run continues. An interrupted run can continue after its last
// checkpoint: see Options.Resume.
//
// Run does all of this on one machine. A program that divides a list among several machines reads it with Lines, and writes
// the verdicts with a Writer.
package stream
