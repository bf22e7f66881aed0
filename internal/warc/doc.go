// Package warc reads WARC files (ISO 28500), in which web archives keep what servers sent. They may be compressed with
// gzip.
//
// Files may be damaged or hostile. An unreadable part is reported as a [Damage], and reading continues.
package warc
