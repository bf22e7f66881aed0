// Package report returns what Heed knows about a robots.txt as data with a stable JSON form. The package prints nothing and
// does no I/O: the command line, a server or a page decides about the layout. Package live has the data about live sites.
// Package robotstxt has the sentences about lines and decisions.
//
// # JSON
//
// The command prints these structs as JSON (live.… are those of package live):
//
//	heed check          Answer, or live.Answer for a live site
//	heed explain        Explanation, or live.Explanation
//	heed show           Sheet, or live.Sheet
//	heed diff           Comparison
//	heed prove          Proof
//	heed parse          Line
//	heed test           Tested in "cases", Coverage in "coverage"
//	heed fetch          live.Retrieval
//	heed lint           Finding
//	heed cache list     live.Site
//	heed cache history  live.Version
//
// Grid and Crawlers are only in answers of "heed serve".
//
// A field with "omitempty" or "omitzero" after its name is absent when its value is false, 0, "" or empty. The fields of an
// embedded struct, such as Answer in Tested, are fields of the outer object.
//
// New fields and new words may be added, so ignore those that you do not know. As long as Schema is the same, no field is
// removed or renamed, and no value changes its meaning. Dialects, reasons and kinds of lines are words, such as "rfc9309",
// "rule" and "disallow".
//
// A robots.txt or a URL may have bytes that are not UTF-8. The JSON then has U+FFFD in their place. Some fields have a
// second field, with "_b64" at the end of its name, which contains all bytes in base64. It is absent if all bytes are
// UTF-8.
package report

// Schema is the version of the JSON form. It is not in the JSON.
const Schema = 1
