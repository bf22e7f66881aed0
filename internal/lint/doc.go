// Package lint finds mistakes in a robots.txt, says for which crawlers they matter, and offers fixes. It does no I/O.
//
// This package decides what is a mistake. The facts come from the packages robotstxt, record and compare. A finding about
// an unknown record is never a warning, because anyone may invent records.
//
// A Fix is safe if package compare proves that no verdict changes for any crawler, in RFC 9309 and in Google's parser.
//
// The work for one file is limited, because a file may be hostile. Beyond a limit, a lint rule reports nothing, and a fix
// counts as unsafe. Of 15,639 real files, 7 reach a limit.
package lint
