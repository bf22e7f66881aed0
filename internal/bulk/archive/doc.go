// Package archive keeps captures of robots.txt files (package capture) in one file, which never changes after it is written.
// The file is an SQLite database, so other programs can read it too. Each distinct body is stored once. The tables are not
// those of package store/sqlite: an archive has captures for each URL, and a capture may be a redirect.
//
// A [Writer] writes with SQLite. It needs about 60 bytes of memory for each distinct body. SQLite sorts the captures in
// temporary files, in the folder SQLITE_TMPDIR or TMPDIR, or else /var/tmp.
//
// A [Reader] does not use SQLite. It reads the pages of the file by their documented format, for three reasons. Each page ends
// with a check sum, which SQLite does not check. A damaged page spoils only the answers that need it, and [Reader.Captures]
// skips it; SQLite would stop there. And an answer takes less time than a query of SQLite.
//
// Check sums do not prevent forgery: whoever can write the file can write any captures. But no file makes a Reader hang, or
// take more memory than the largest body and the captures of one URL need. Therefore a Reader refuses a file with other tables
// than those of a Writer. It limits the length of a row and the depth of a tree. Captures that are not in order are an error,
// so a page that is linked twice is an error too.
package archive
