// Package archive keeps captures of robots.txt files (package capture) in one file, which is never changed after it is
// written. The file is a database of SQLite, so other programs can read it too. Each distinct body is stored once. The
// tables are not those of package store/sqlite, which has one record and a history for each origin. An archive has
// captures for each URL, and a capture may be a redirect.
//
// A [Writer] writes with SQLite. Its memory does not grow with the number of captures, apart from
// about 60 bytes for each distinct body. SQLite sorts the captures in temporary files, in the folder
// SQLITE_TMPDIR or TMPDIR, or else /var/tmp.
//
// A [Reader] does not use SQLite: it reads the pages of the file by their documented format, for three reasons.
// First, each page ends with a check sum, which SQLite does not know. (SQLite leaves these four bytes
// free, because the head of the file says so.) Second, a damaged page spoils only the answers that need it, and
// [Reader.Captures] skips it; SQLite would stop there. Third, an answer takes less time than a query of SQLite.
//
// Check sums do not prevent forgery: whoever can write the file can write any captures. But no file makes a Reader
// hang, or take more memory than the largest body and the captures of one URL need. To ensure this, a Reader refuses a
// file whose table definitions differ in any byte from those that a Writer writes. It limits the length of a row and
// the depth of a tree. Captures that are not in order are an error, so a page that is linked twice is an error too.
package archive
