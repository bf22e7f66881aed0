// Package lint finds what a robots.txt gets wrong, says for which crawlers, and offers fixes.
//
// The facts come from packages robotstxt, record and compare; the opinions are here. Each
// finding has the code of a Rule, which says what is wrong, why it matters and what to do.
// An unknown record is information and never a warning: anyone may invent records.
//
// Check is about a file, CheckResponse about how a site sends the file, and CheckSitemaps about the
// URLs of the sitemaps that the file lists. The package does no I/O: its caller fetches files and sitemaps.
//
// A Fix is safe if compare proves that it changes no verdict for any crawler, in RFC 9309 and
// in Google's parser, which are the dialects that crawlers of today read.
//
// The work for one file is limited, because a file may be hostile: only the first 2,500 crawlers that a file names get a policy
// of their own. Three kinds of questions are answered only up to a number of steps: whether a rule of the file has an effect,
// whether a fix is safe, and which rules of the "*" group a fix copies into another group. Beyond a limit, a lint rule reports
// nothing, and a fix counts as unsafe. Of 15,639 real files, 7 reach a limit.
package lint
