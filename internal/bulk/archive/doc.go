// Package archive keeps captures of robots.txt files (package capture) in one file, which is never
// changed after it is written: a database of SQLite, which other programs can read too. Each distinct
// body is in it once. The tables of store/sqlite cannot serve for both: there an origin has one record and
// the history of it, here each URL has captures with facts that a record does not have, and redirects.
//
// A [Writer] needs memory that does not grow with the number of captures, apart from about 60 octets for
// each distinct body. SQLite sorts the captures in temporary files, in the folder SQLITE_TMPDIR or TMPDIR,
// or else /var/tmp.
//
// # Damage
//
// SQLite has no check sums, so each page of 4 KiB ends with one: in four octets that SQLite leaves free
// if the head of the file says so. A [Reader] gives SQLite only pages whose check sum is right, so a
// damaged page is an error for the queries that need it, and for no other. Check sums of rows would not
// be enough: they do not show that a row is missing, and an older capture would be taken for the last.
//
// # Files of strangers
//
// Check sums do not prevent forgery: who can write the file can write any captures. But no file makes a
// Reader run code of the file, hang, or take more memory than the largest body and the captures of one
// URL need. Before SQLite sees the file, its head and the page with its tables must be ours, octet by
// octet. A value that is too long is not read, and a page with a key that is too long is damaged. Each
// step of a query gives a row, and each row must have a higher id than the one before, so even pages that
// are used many times come to an end.
package archive
