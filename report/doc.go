// Package report has what Heed says about a robots.txt as data with a stable JSON form,
// and the words for it that are no sentence about a file: those are robotstxt's. It
// prints nothing and does no I/O: the command line, a server and a page are layouts over
// it. Package live has what is said of a live site.
//
// # JSON
//
// The fields of these structs are the JSON that the command prints. Within a Schema
// fields are only added: no field is removed or renamed, and no value means something
// else. Dialects, reasons and kinds of lines are words, such as "rfc9309", "rule" and
// "disallow"; words may be added too. Text of others that is not UTF-8 has U+FFFD where
// it cannot be read; where there is a field of the same name with "_b64", that has its
// bytes in base64.
package report

// Schema is the version of the JSON form. The JSON does not hold it: the version of the
// package or of the command tells.
const Schema = 1
