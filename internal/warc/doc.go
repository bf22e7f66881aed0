// Package warc reads WARC files (ISO 28500), in which web archives keep what servers sent. It reads
// what real archives have: plain files, files with one gzip member for each record, and files that
// are one gzip member as a whole.
//
// The files may be damaged, cut or hostile. What cannot be read is a [Damage], which says where it
// is, and reading goes on behind it.
package warc
