// Package policyfile reads policies. A policy says what a site wants of crawlers, by their purpose. The package writes the
// robots.txt that means the same as a policy, and proves that it does.
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
// A line has one or more names, a colon, and a statement about them. Indented lines below are about the same names. "#"
// begins a comment at the start of a line or after white space. A line that ends with a comma continues in the next line.
//
// A name is "everyone"; a purpose of package crawlers, such as ai-training; a set of purposes (ai, ai-input); or the
// product token of a crawler. A name in quotes is a product token, even if a purpose has the same name.
//
//	allow [PATH…]          patterns as in a robots.txt; without one: the whole site
//	disallow [PATH…]
//	only …                 before allow or disallow: nothing is inherited
//	inherit                only what it inherits: this gives a crawler that does not follow "*" the rules of everyone
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
// A crawler has the rules of four levels, from wide to narrow: those of everyone, of its purposes, of the crawlers whose
// groups it follows, and its own. A narrower rule replaces a wider one with the same path. Of the rules that are left, the
// longest path that matches decides, as in a robots.txt. "disallow" without a path takes back all wider allow rules: only
// what the narrower lines allow is allowed. If a crawler has several purposes, "disallow" wins, and a purpose that is
// disallowed takes back what the other purposes allow.
//
// A crawler that does not follow the group for "*" has the rules of everyone only if another line is about it.
//
// Product tokens that a User-agent line cannot tell apart, such as AI2Bot and Ai2Bot-Dolma, are one crawler here.
package policyfile
