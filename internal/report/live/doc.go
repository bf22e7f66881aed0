// Package live returns what Heed knows about live sites as data with a stable JSON form, and words for it. It sends no
// requests.
//
// For the rules of the JSON, see package report. Times in JSON are in UTC, in whole seconds.
//
// The words may contain text from a server, so escape them on a terminal.
package live
