// Package live returns what Heed knows about live sites as data with a stable JSON form, and words for it: the retrieval
// that an answer comes from, and why dialects read the response of a server differently. It sends no requests. For the
// rules of the JSON, see package report. Times in JSON are in UTC, in whole seconds, such as "2026-05-03T13:00:00Z".
//
// The words may contain text from a server. Escape them before you print them on a terminal.
package live
