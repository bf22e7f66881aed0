// Package stream judges lists of URLs: it reads inputs, asks a bulk.Judge about each URL, and writes the
// answers in the order of the input. Inputs are lines (URLs, CSV, TSV, JSON, CDX), plain or compressed.
//
// A line that has no URL is counted and told, and never ends the run. A run that was interrupted can go
// on behind its last checkpoint: see Checkpoint.
package stream
