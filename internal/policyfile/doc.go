// Package policyfile reads policies. A policy says what a site wants of crawlers, for each purpose of crawlers. The package
// writes a robots.txt from a policy, and proves that both have the same meaning.
//
// # The form
//
//	# robots.policy of a shop
//	everyone:
//	    disallow /cart /checkout
//	    allow /cart/help
//
//	ai-training, seo: disallow
//	ai-search: disallow /members/
//	Googlebot-Image: allow /cart/pictures/
//
//	sitemap: https://shop.example/sitemap.xml
//	expect: disallow GPTBot /products/
//
// A line has one or more names, a colon, and a statement about these names. Indented lines that follow have more statements
// about the same names. If a list of names ends with a comma, it continues in the next line. "#" begins a comment at the
// start of a line or after white space.
//
// A name is "everyone"; a purpose of package crawlers, such as ai-training; a set of purposes (ai, ai-input); or the
// product token of a crawler. A name in quotes is a product token, even if a purpose has the same name.
//
//	allow [PATH…]          patterns as in a robots.txt; without one: the whole site
//	disallow [PATH…]
//	only …                 before allow or disallow: nothing is inherited
//	inherit                only inherited rules; with this line, a crawler that does not follow "*" inherits from everyone
//	crawl-delay SECONDS    or "none"
//	usage PREFERENCES [PATH…]  such as train-ai=n,search=y, for the whole site or for paths
//	record KEY: VALUE      any other line of a group
//
// Lines that are about no crawler:
//
//	sitemap: URL
//	record: KEY: VALUE     a line for the whole file, such as "Host: example.com"
//	carriers: NAME…        how preferences are written: content-usage, content-signal, purpose-token
//	expect: CASE           a case as in "heed test"
//
// # What it means
//
// A crawler has the rules of four levels. From wide to narrow, these are the rules for everyone, for the purposes of the
// crawler, for the crawlers whose groups it follows, and for the crawler itself. A rule of a narrower level replaces a rule
// of a wider level with the same path. Of the remaining rules, the longest one that matches decides, as in a robots.txt.
// "disallow" without a path removes all allow rules of wider levels. If the purposes of a crawler disagree about a path,
// "disallow" wins. If one of its purposes is disallowed as a whole, the allow rules of its other purposes have no effect.
//
// A crawler that does not follow the group for "*" has the rules of everyone only if the policy also has a line for
// the crawler, or for one of its purposes.
//
// Product tokens that are equal in a User-agent line, such as AI2Bot and Ai2Bot-Dolma, are one crawler.
package policyfile
