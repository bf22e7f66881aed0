// Package robotstxt decides what a robots.txt says: bytes in, decisions out.
//
// Parse reads a file, File.Agent compiles what it says to one crawler, and
// Policy.Check answers whether that crawler may fetch a URL and which line
// decides. Policy.Explain gives all the reasons.
//
//	file := robotstxt.Parse(body, robotstxt.RFC9309)
//	policy := file.Agent("ExampleBot")
//	if d := policy.Check("https://example.com/cart"); !d.Allowed {
//		fmt.Println(d) // disallowed by line 3: Disallow: /cart
//	}
//
// The protocol was written down five times, and the five differ: Standard1994,
// Draft1996, Draft2019, RFC9309 (what a nil *Dialect means) and Google. Each is
// a table of choices in dialect.go. Identifiers such as R-5, S94-6 or K-6 in
// comments and tests are those of the project's list of requirements, which is
// drawn from the documents.
//
// Nothing in this package fails, reads a file, knows the time or allocates
// without bound: what cannot be understood stays visible in File.Lines, and a
// zero Decision denies. Texts of String methods are safe on a terminal. Files,
// policies and dialects do not change and are safe for concurrent use.
//
// Parsing and compiling are linear in the file, but for sorting its patterns.
// A decision about a URL of n octets under a file of m octets takes at most
// n(32 + √(2m)) + 5m + 10⁵ steps, whatever they are: 11 million for 8 KiB and
// 500 KiB. A step touches a pattern, or compares an octet or sixteen at once. The
// one exception are URLs with "%2F" under rules with a slash behind a literal "?"
// each of which may cost up to n times its length.
//
// The protocol asks crawlers for consideration. It keeps nobody out.
package robotstxt
