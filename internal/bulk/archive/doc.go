// Package archive keeps captures of robots.txt files (package capture) in one file. The file is an SQLite database, which
// other programs can read. Each distinct body is stored once.
//
// A [Writer] writes with SQLite. It needs about 60 bytes of memory for each distinct body. SQLite sorts the captures in
// temporary files, in the folder SQLITE_TMPDIR or TMPDIR, or else /var/tmp.
//
// A [Reader] reads the pages of the file without SQLite. This is faster, and finds damage: each page ends with a check sum,
// which SQLite does not check. [Reader.Captures] skips damaged pages, where SQLite would stop.
//
// No file can make a Reader hang or take much memory. A Reader refuses tables other than those of a Writer, captures that
// are not in order, and pages that are linked twice. A Reader also limits rows and the depth of trees.
package archive
