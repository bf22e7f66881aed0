// Package warc reads WARC files (ISO 28500), in which web archives keep what servers sent. It reads
// what real archives have: plain files, files with one gzip member for each record, and files that
// are one gzip member as a whole.
//
// The files may be damaged, cut or hostile. A part that cannot be read is reported as a [Damage], with its
// place, and reading continues after it.
package warc
