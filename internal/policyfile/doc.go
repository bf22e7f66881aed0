// Package policyfile reads what a site wants of crawlers, written once and by purpose, writes the robots.txt that means
// it, and proves that it does.
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
// A line says of whom it speaks, and what holds for them. Indented lines below a name speak of that name too. "#" begins a
// comment at the beginning of a line or after white space. A line that ends with a comma goes on in the next one.
//
// Of whom: "everyone"; a purpose of package crawlers, such as ai-training, or a set of purposes (ai, ai-input); or the
// product token of a crawler. A name in quotes is a product token, even if it is also that of a purpose.
//
//	allow [PATH…]          patterns as in a robots.txt; without one: the whole site
//	disallow [PATH…]
//	only …                 before one of the two: nothing is inherited
//	inherit                nothing of its own, for a crawler that does not follow "*"
//	crawl-delay SECONDS    or "none"
//	usage PREFERENCES [PATH…]  such as train-ai=n,search=y, for the whole site or for paths
//	record KEY: VALUE      any other line of a group
//
// Lines that speak of no crawler:
//
//	sitemap: URL
//	record: KEY: VALUE     a line for the whole file, such as "Host: example.com"
//	carriers: NAME…        how preferences are written: content-usage, content-signal, purpose-token
//	expect: CASE           a case as in "heed test"
//
// # What it means
//
// A crawler has the rules of everyone, then those of its purposes, of the crawlers whose groups it follows, and its own.
// A narrower rule replaces a wider one with the same path. Of the rules that are left, the longest path that matches decides,
// as in a robots.txt. "disallow" without a path takes back all wider allow rules: only what the narrower lines allow is
// allowed. If a crawler has several purposes, "disallow" wins, and a purpose that is disallowed takes back what the
// others allow.
//
// A crawler that does not follow the group for "*" has the rules of everyone only if another line speaks of it.
//
// Product tokens that a User-agent line cannot tell apart, such as AI2Bot and Ai2Bot-Dolma, are one crawler here.
package policyfile
