// Package stream checks lists of URLs: it reads inputs, asks a bulk.Decider about each URL, and writes the
// verdicts in the order of the input. Inputs are lines (URLs, CSV, TSV, JSON, CDX), plain or compressed.
//
// If a line has no URL, it is counted and reported, and the run continues. A run that was interrupted can
// continue after its last checkpoint: see Options.Resume.
//
// Run does all of this on one machine. A program that divides a list among several machines uses Lines to
// read it and Writer to write the verdicts.
package stream
