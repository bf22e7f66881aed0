// Package live has what Heed says about live sites as data with a stable JSON form, and
// the words for it: what an answer rests on, what came of a retrieval, why dialects
// differ by the answer of a server. It prints nothing and asks nobody. What package
// report says of JSON holds here.
//
// Words may hold what a server sent: who prints them escapes them.
package live
