// Package report returns what Heed knows about a robots.txt as data with a stable JSON form. It prints nothing and does no
// I/O. Package live has the data about live sites.
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
// A field with "omitempty" or "omitzero" is absent when its value is false, 0, "" or empty. The fields of an embedded struct
// are fields of the outer object.
//
// New fields and words may be added, so ignore unknown ones. While Schema is the same, no field is removed or renamed, and no
// value changes its meaning.
//
// Bytes that are not UTF-8 become U+FFFD. Some fields then have a second field, named with "_b64", which has all bytes in
// base64.
package report

// Schema is the version of the JSON form. The version is not in the JSON.
const Schema = 1
