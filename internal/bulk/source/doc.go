// Package source reads robots.txt files, and what other URLs answered, from sources. A source is a web archive (WARC), JSON
// lines, CSV, TSV, Parquet, a folder, a store of Heed, or an archive of heed compile. Its content shows its kind.
//
// Package fetch decides what a response means. A record that cannot be used is a [Rejection], and reading continues.
//
// # WARC files
//
// Only HTTP records of the types response and revisit are read. All others are only counted (Progress.Others). A revisit is
// a capture that refers to another capture, its original. The original may be in any source. Package capture finds it when
// it is needed.
//
// The answers of all URLs become captures, because any URL may be the target of a redirect. To save memory, a body is
// dropped unless it may be a robots.txt.
package source
