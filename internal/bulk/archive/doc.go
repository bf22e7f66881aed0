// Package archive keeps captures of robots.txt files (package capture) in one file, which is never
// changed after it is written. Each distinct body is in it once.
//
// A [Writer] needs memory that does not grow with the number of captures, apart from about 60 octets for
// each distinct body. A [Reader] reads only 100 octets when it opens a file, and a few blocks of about
// 4 KiB for an answer.
//
// A Reader does not map the file into memory: if somebody cuts a file that is mapped, the next access
// ends the process, but a read returns an error. All processes of a machine share what they read,
// because the operating system keeps it in its page cache, as it does with mapped files.
//
// Checksums find damage, and it costs only the captures that it touches. They do not prevent forgery:
// who can write the file can write any captures. But no file makes a Reader panic, or take more memory
// than the largest body and the captures of one URL need.
package archive
