// Package warc reads WARC files (ISO 28500), in which web archives keep what servers sent. The files may be plain,
// have one gzip member for each record, or be one gzip member as a whole.
//
// The files may be damaged, cut or hostile. A part that cannot be read is reported as a [Damage], and reading
// continues after it.
package warc
