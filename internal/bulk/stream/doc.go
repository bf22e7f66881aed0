// Package stream checks lists of URLs, and writes the verdicts in the order of the input. Inputs are lines (URLs, CSV, TSV,
// JSON, CDX), plain or compressed.
//
// A line without a URL is reported, and the run continues. An interrupted run can continue: see Options.Resume.
//
// Run does all of this on one machine. Lines and Writer are for programs that divide a list among several machines.
package stream
