package robotstxt_test

import (
	"fmt"

	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/robotstxt/record"
)

const shop = `User-agent: *
Disallow: /cart
Allow: /cart/help
Crawl-delay: 2

User-agent: GPTBot
Disallow: /

Sitemap: https://shop.example/sitemap.xml
`

func ExampleParse() {
	file := robotstxt.Parse([]byte(shop), nil) // nil: RFC 9309
	policy := file.Agent("ExampleBot")
	for _, url := range []string{"https://shop.example/cart?id=1", "/cart/help", "/"} {
		fmt.Println(policy.Check(url))
	}
	// Output:
	// disallowed by line 2: Disallow: /cart
	// allowed by line 3: Allow: /cart/help
	// allowed: no rule matches
}

func ExampleDecision_String() {
	file := robotstxt.Parse([]byte("User-agent: *\nDisallow: /\x1b[2J\n"), nil)
	d := file.Agent("ExampleBot").Check("/%1B[2J")
	fmt.Println(d) // safe to print on a terminal
	fmt.Println(d.Allowed, d.Rule.Line, d.Reason)
	fmt.Println(robotstxt.Decision{})
	// Output:
	// disallowed by line 2: Disallow: /\x1b[2J
	// false 2 a rule matches
	// disallowed: nothing was decided
}

func ExampleAllowAll() {
	file := robotstxt.AllowAll(robotstxt.Unavailable, nil) // the server answered 404
	fmt.Println(file.Agent("ExampleBot").Check("/cart"))
	// Output: allowed: robots.txt is unavailable
}

func ExampleDisallowAll() {
	file := robotstxt.DisallowAll(robotstxt.Unreachable, nil) // the server did not answer
	fmt.Println(file.Agent("ExampleBot").Check("/cart"))
	// Output: disallowed: robots.txt is unreachable
}

func ExampleFile_Agent() {
	file := robotstxt.Parse([]byte("User-agent: googlebot\nDisallow: /news/\n"), nil)
	// A crawler of several names gives the most specific one first.
	fmt.Println(file.Agent("googlebot-news", "googlebot").Check("/news/").Allowed)
	fmt.Println(file.Agent("bingbot").Check("/news/").Reason)
	// Output:
	// false
	// no group applies
}

func ExampleFile_Lines() {
	for line := range robotstxt.Parse([]byte("Disalow: /x\nUser-agent *\n"), nil).Lines() {
		fmt.Printf("%d %s: %s\n", line.Number, line.Kind, line.Notes)
	}
	// Output:
	// 1 disallow: misspelt key, read as meant; outside any group
	// 2 user-agent: missing colon
}

func ExampleFile_Groups() {
	for group := range robotstxt.Parse([]byte(shop), nil).Groups() {
		fmt.Println(group)
	}
	// Output:
	// User-agent: * (2 rules)
	// User-agent: GPTBot (1 rule)
}

func ExampleFile_Sitemaps() {
	for line := range robotstxt.Parse([]byte(shop), nil).Sitemaps() {
		fmt.Println(line)
	}
	// Output: line 9: Sitemap: https://shop.example/sitemap.xml
}

func ExamplePolicy_Explain() {
	trace := robotstxt.Parse([]byte(shop), nil).Agent("ExampleBot").Explain("/cart/help")
	for _, c := range trace.Candidates {
		fmt.Printf("line %d, %d bytes: %s\n", c.Rule.Line, c.Length, c.Beaten)
	}
	// Output:
	// line 3, 10 bytes: decides
	// line 2, 5 bytes: beaten by a longer pattern
}

func ExamplePolicy_CrawlDelay() {
	fmt.Println(robotstxt.Parse([]byte(shop), nil).Agent("ExampleBot").CrawlDelay())
	// Output: 2s true
}

func ExamplePolicy_Records() {
	for _, r := range robotstxt.Parse([]byte(shop), nil).Agent("ExampleBot").Records() {
		if delay, ok := r.(record.CrawlDelay); ok {
			fmt.Println("a crawl delay of", delay.Delay)
		}
	}
	// Output: a crawl delay of 2s
}

func ExampleContrast() {
	const url = "/cart/help"
	rfc := robotstxt.Parse([]byte(shop), robotstxt.RFC9309).Agent("ExampleBot").Explain(url)
	old := robotstxt.Parse([]byte(shop), robotstxt.Standard1994).Agent("ExampleBot").Explain(url)
	fmt.Println(robotstxt.Contrast(rfc, old))
	// Output: line 3 decides in RFC 9309, but not in the 1994 standard: that dialect has no Allow
}

func ExampleProductToken() {
	fmt.Println(robotstxt.ProductToken("Mozilla/5.0 (compatible; ExampleBot/0.1; https://www.example.com/bot.html)"))
	fmt.Println(robotstxt.ProductToken("Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0"))
	// Output:
	// ExampleBot true
	//  false
}

func ExampleDialect_WithLimit() {
	patient := robotstxt.RFC9309.WithLimit(1 << 20) // parse 1 MiB instead of 500 KiB
	fmt.Println(robotstxt.Parse([]byte(shop), patient).Dialect())
	// Output: rfc9309
}
