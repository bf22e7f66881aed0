// Package archive keeps captures of robots.txt files (package capture) in one file, which is never
// changed after it is written: a database of SQLite, which other programs can read too. Each distinct
// body is in it once. The tables of store/sqlite cannot serve for both: there an origin has one record and
// the history of it, here each URL has captures with facts that a record does not have, and redirects.
//
// A [Writer] is SQLite's own. It needs memory that does not grow with the number of captures, apart from
// about 60 bytes for each distinct body. SQLite sorts the captures in temporary files, in the folder
// SQLITE_TMPDIR or TMPDIR, or else /var/tmp.
//
// A [Reader] reads the pages itself, which SQLite documents, for three reasons. SQLite has no check sums:
// here each page ends with one, in four bytes that SQLite leaves free if the head of the file says so. A
// damaged page is an error for the answers that need it, and for no other, and [Reader.Captures] reads
// around it, while SQLite stops there. And an answer takes less time than a query.
//
// Check sums do not prevent forgery: who can write the file can write any captures. But no file makes a
// Reader hang, or take more memory than the largest body and the captures of one URL need: its tables must
// be ours, byte by byte; rows have a limit; trees have a limit of depth, and captures must be in order,
// so that pages that are used again come to an end.
package archive
