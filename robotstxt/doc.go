// Package robotstxt decides what a robots.txt allows: bytes in, decisions out.
//
// Parse reads a file, and File.Agent finds the rules for one crawler. Policy.Check returns whether that crawler may fetch a
// URL, and which line decides. Policy.Explain returns all the reasons.
//
//	file := robotstxt.Parse(body, robotstxt.RFC9309)
//	policy := file.Agent("ExampleBot")
//	if d := policy.Check("https://example.com/cart"); !d.Allowed {
//		fmt.Println(d) // disallowed by line 3: Disallow: /cart
//	}
//
// Five documents describe the protocol, and they differ. Each is a Dialect: Standard1994, Draft1996, Draft2019, RFC9309
// (the default) and Google. Ids such as R-5, S94-6 or K-6 in comments and tests are explained in docs/requirements.md.
//
// Parsing never fails: File.Lines also yields the lines that cannot be understood. The zero Decision means disallowed. The
// package does no I/O and uses no clock.
//
// Memory is limited. Results of String methods are safe to print on a terminal. Files, policies and dialects are safe for
// concurrent use.
//
// Parsing takes linear time. The first decisions read the rules from the text; later decisions use compiled rules.
// Compiling takes linear time, except for sorting the patterns.
//
// A decision about a URL of n bytes under a file of m bytes takes at most n(32 + √(2m)) + 5m + 10⁵ steps. For a URL of
// 8 KiB and a file of 500 KiB, this limit is 11 million steps. A step looks at a pattern, or compares one to sixteen
// bytes.
//
// A URL with "%2F" may take more: n·k steps for each rule of k bytes with a slash after a literal "?".
//
// The protocol is a request to crawlers, and not access control.
package robotstxt
