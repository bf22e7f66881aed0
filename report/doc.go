// Package report returns what Heed knows about a robots.txt as data with a stable JSON
// form. It prints nothing and does no I/O: the command line, a server or a page decides
// about the layout. Package live has the data about live sites. Sentences about lines and
// decisions are in package robotstxt.
//
// # JSON
//
// The command prints these structs as JSON (live.… are those of package live):
//
//	heed check          Answer, or live.Answer for a live site
//	heed explain        Explanation, or live.Explanation
//	heed show           Sheet, or live.Sheet
//	heed parse          Line
//	heed test           Tested in "cases", Coverage in "coverage"
//	heed fetch          live.Retrieval
//	heed cache list     live.Site
//	heed cache history  live.Version
//
// Each field of a struct has a comment and, in quotes, its name in JSON. If the name is
// followed by "omitempty", the JSON has no such field if the value is false, 0, "" or empty.
// The fields of a struct that is embedded (without a field name of its own) are fields of
// the outer object.
//
// New fields and new words may be added, so ignore those that you do not know. As long as
// Schema is the same, no field is removed or renamed, and no value changes its meaning.
// Dialects, reasons and kinds of lines are words, such as "rfc9309", "rule" and "disallow".
//
// Text from a robots.txt or a URL may be no valid UTF-8. The JSON then has U+FFFD in place
// of the bytes that are not valid. Some of these fields have a second one, with the same
// name and "_b64" at its end, which has all bytes in base64. It is there only if the text
// is not valid UTF-8.
package report

// Schema is the version of the JSON form. It is not part of the JSON: it belongs to the
// version of this package, or of the command.
const Schema = 1
