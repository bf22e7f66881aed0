// Package lint finds what a robots.txt gets wrong, says for which crawlers, and offers fixes.
//
// The facts come from packages robotstxt, record and compare; the opinions are here. Each
// finding has the code of a Rule, which says what is wrong, why it matters and what to do.
// An unknown record is information and never a warning: anyone may invent records.
//
// Check is about a file, CheckResponse about how a site sends it, and CheckSitemaps about the
// URLs of its sitemaps. The package does no I/O: its caller fetches them.
//
// A Fix is safe if compare proves that it changes no verdict for any crawler, in RFC 9309 and
// in Google's parser, which are the dialects that crawlers of today read.
//
// The work for one file is limited, because a file may be hostile. Beyond the limits, rules are
// silent and fixes count as unsafe: only the first 2,500 crawlers that a file names have a policy
// of their own, the search for the use of rules ends after a number of steps, and so do the proofs
// of fixes, and the search for rules to repeat. Of 15,639 real files, 7 reach a limit.
package lint
