// Package source reads robots.txt files, and what other URLs answered, from sources: web archives (WARC), JSON lines, CSV,
// TSV, Parquet, folders with a file for each host, the stores of Heed, the archives of heed compile. The kind of a file is
// recognised by its content. Each answer becomes a capture (package capture).
//
// Package fetch decides what a response means, for example whether it can be a robots.txt or is an HTML page. A record that
// cannot be used is a [Rejection], and reading continues after it.
//
// # WARC files
//
// Only HTTP records of the type response are read. All other records are only counted (Progress.Others), even those of the
// type revisit, which say that an earlier capture is still valid.
//
// The answers of all URLs become captures, because any URL may be the target of a redirect of a robots.txt. To save memory,
// the body is dropped if the path is not /robots.txt or the body is an HTML page. But a body is kept if one of its lines may
// begin a group of a robots.txt, in any dialect.
package source
