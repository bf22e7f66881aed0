// Package source reads robots.txt files, and what other URLs answered, from sources: web archives (WARC), JSON
// lines, CSV, TSV, Parquet, folders with a file for each host, the stores of Heed, the archives of heed compile.
// The kind of a file is recognised by its content. Each answer becomes a capture (package capture).
//
// Package fetch decides what a response means: whether it can be a robots.txt, which encoding it has,
// whether it is an HTML page. A record that cannot be used is a [Rejection], and reading continues
// after it.
//
// # WARC files
//
// Only records of the type response, over HTTP, are read. Records of all other types are only counted
// (Progress.Others). One of these types is revisit: it has no body, and says that an earlier capture is still valid.
//
// The answers of all URLs become captures, because any URL may be the target of a redirect of a
// robots.txt. To save memory, the body of a page is dropped: that is a URL whose path is not /robots.txt, or an HTML
// page. It is kept only if one of its lines may begin a group of a robots.txt, in any dialect.
package source
