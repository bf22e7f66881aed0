// Package policyfile reads policies: what a site wants of crawlers, by their purposes. It writes a robots.txt from a policy,
// and proves that both have the same meaning.
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
// A line has names, a colon, and a statement about these names. More statements may follow in indented lines. A comma at the
// end of a line continues the list of names.
//
// "#" begins a comment at the start of a line or after white space.
//
// A name is "everyone", a purpose such as ai-training, a set of purposes (ai, ai-input), an operator such as @OpenAI, or a
// product token. In quotes it is always a product token. "@" before a purpose or the name of a crawler changes nothing.
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
// Five levels of rules apply to a crawler, from wide to narrow: everyone, its purposes, its operator, the crawlers whose groups
// it follows, and the crawler itself.
//
// For the same path, the narrower level has priority. Of the remaining rules, the longest match decides. "disallow" without a
// path removes all allow rules of wider levels.
//
// If the purposes of a crawler disagree about a path, "disallow" wins: an allow rule of one purpose opens no path that the rules
// of another purpose disallow.
//
// Some crawlers do not follow the group for "*". The rules of everyone apply to them only if the policy has a line for
// the crawler, for its operator or for one of its purposes.
//
// Crawlers read a name in a User-agent line only up to the first character that is not a letter, "_" or "-", so AI2Bot and
// Ai2Bot-Dolma are read as the same name. Crawlers with such names have the same rules: the strictest. This is also true of names
// that no known crawler has, such as AI2Bot-Foo. Two lines with different names that are read as the same name are an error;
// capital letters make no difference. The name as it is read, "AI", is about all these crawlers.
package policyfile
