// Package lint finds mistakes in a robots.txt, says for which crawlers they matter, and offers fixes.
//
// The facts come from the packages robotstxt, record and compare. This package decides what is a mistake. Each finding has
// the code of a Rule, which says what is wrong, why this matters, and what to do. A finding about an unknown record is
// never a warning, because anyone may invent records.
//
// Check is about a file, CheckResponse about how a site sends the file, and CheckSitemaps about the URLs of the sitemaps
// that the file lists. The package does no I/O: its caller fetches files and sitemaps.
//
// A Fix is safe if package compare proves that the fix changes no verdict for any crawler, in RFC 9309 and in Google's
// parser. Today's crawlers use these dialects.
//
// The work for one file is limited, because a file may be hostile. Only the first 2,500 crawlers that a file names get a
// policy of their own, and each search ends after a number of steps. Beyond a limit, a lint rule reports nothing, and a fix
// counts as unsafe. Of 15,639 real files, 7 reach a limit.
package lint
