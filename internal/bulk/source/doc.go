// Package source reads robots.txt files, and what other URLs answered, from files that other
// programs wrote: web archives (WARC), JSON lines, CSV, TSV, Parquet, folders with the files of hosts, the stores
// of Heed, the archives of heed compile. What they are is recognised by their content. Each answer
// becomes a capture (package capture).
//
// What a response means is decided by the rules of package fetch: whether it can be a robots.txt,
// in which encoding it is, whether it is an HTML page. A record that cannot be used is a
// [Rejection], and reading goes on behind it.
//
// # WARC files
//
// Records of the type response over HTTP are read, and counted as others are all other types. So
// is revisit: it has no body of its own, and says that an earlier capture is still right.
//
// The answers of all URLs become captures, because any URL may be the target of a redirect of a
// robots.txt. Of a URL whose path is not /robots.txt, and of an HTML page, the body is dropped if
// no line of it is a record of robots.txt in any dialect: it decides nothing then. So pages take
// little memory.
package source
