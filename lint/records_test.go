package lint

import (
	"fmt"
	"strings"
	"testing"
)

// recordCases have a file, a code, and what is found with this code: line, column, crawlers and
// message.
var recordCases = []struct {
	name, body, code string
	want             []string
}{
	{"an empty Sitemap", "Sitemap:\n", "sitemap-invalid", []string{"1:1 [] Sitemap has no value"}},
	{"a path", "sitemap :  /s.xml # here\n", "sitemap-invalid",
		[]string{`1:12 [] cannot read "/s.xml": expected an absolute URL such as https://example.com/x`}},
	{"another scheme, misspelt key", "Site-map: mailto://a\nSitemap: https://a.example/s.xml", "sitemap-invalid",
		[]string{`1:11 [] cannot read "mailto://a": expected the scheme http, https or ftp, found "mailto"`}},
	{"two Sitemap lines in one", "Sitemap: http://a.example/1.xmlSitemap: http://a.example/2.xml\n", "sitemap-invalid",
		[]string{`1:41 [] a second URL, "http://a.example/2.xml": one line has one URL, so the value is read as a single wrong one`}},
	{"a space in a URL is no second one", "Sitemap: http://a.example/my map.xml\n", "sitemap-invalid", nil},
	{"control characters are escaped", "Sitemap: /\x1b[31m\n", "sitemap-invalid",
		[]string{`1:10 [] cannot read "/\x1b[31m": expected no control character, found 0x1b at offset 1`}},

	{"a delay with a unit, for two crawlers", "User-agent: bingbot\nUser-agent: a\nUser-agent: Googlebot\nCrawl-delay: 5s\n", "crawl-delay-invalid",
		[]string{`4:14 [bingbot a] cannot read "5s": expected seconds as a decimal number such as 10 or 0.5`}},
	{"nobody reads the wrong delay", "User-agent: Googlebot\nCrawl-delay: 5s\n", "crawl-delay-invalid", nil},
	{"a delay in no group", "Crawl-delay: 5\nUser-agent: *\nDisallow:\n", "crawl-delay-invalid",
		[]string{"1:1 [] no User-agent line is before this Crawl-delay, so it is for no crawler"}},
	{"a minute is not huge", "User-agent: *\nCrawl-delay: 60\n", "crawl-delay-huge", nil},
	{"more than a minute", "User-agent: *\nUser-agent: bingbot\nCrawl-delay: 61\n", "crawl-delay-huge", []string{"3:14 [] this leaves at most 1416 pages a day"}},
	{"a day", "User-agent: bingbot\nCrawl-delay: 86400\n", "crawl-delay-huge", []string{"2:14 [bingbot] this leaves one page a day"}},
	{"longer than a day", "User-agent: bingbot\nCrawl-delay: 129600\n", "crawl-delay-huge", []string{"2:14 [bingbot] this leaves one page in 1.5 days"}},

	{"no names", "Clean-param: && /x\n", "clean-param-invalid",
		[]string{`1:14 [] cannot read "&& /x": expected parameter names separated by &, found none`}},
	{"one name of two", "Clean-param: a&b\x01 /x\n", "clean-param-invalid",
		[]string{`1:16 [] cannot read "b\x01", so this part is ignored`}},
	{"a License in a group", "User-agent: a\nLicense: terms.xml\n", "license-not-absolute",
		[]string{`2:10 [] cannot read "terms.xml": expected an absolute URL such as https://example.com/x`}},

	{"unknown records, each once", "User-agent: *\nUnicorns: 7\nunicorns: 8\nUNICORNS: 9\nX_Y.z: 1\nhttps://a.example/\n<b>: 1\n", "unknown-record",
		[]string{`2:1 [] Heed does not know the record "Unicorns" (also on 2 later lines)`, `5:1 [] Heed does not know the record "X_Y.z"`}},
	{"lines of other rules", "User-agent: *\nDisalow-: /\nSitemap https://a.example/s.xml\nAdded 17.6.2019\n", "unknown-record", nil},
	{"no robots.txt", "color: red\n", "unknown-record", nil},
	{"two names for one crawler", "User-agent: googlebot\nUser-agent: Googlebot\nUser-agent: bingbot\nCrawl-delay: 1\n", "ignored-by",
		[]string{"4:1 [Googlebot] Googlebot does not read Crawl-delay"}},
	{"it is unknown what GPTBot reads", "User-agent: GPTBot\nUser-agent: *\nCrawl-delay: 1\nNo-such: 2\n", "ignored-by", nil},
	{"many crawlers", "User-agent: Googlebot\nUser-agent: Yandex\nUser-agent: Applebot\nUser-agent: Amazonbot\nCrawl-delay: 1\n", "ignored-by",
		[]string{"5:1 [Googlebot Yandex Applebot Amazonbot] Googlebot, Yandex and 2 others do not read Crawl-delay"}},
	{"dead records", "User-agent: *\nHost: a.example\nNoindex: /a\nnoindex: /b\n", "dead-record",
		[]string{"2:1 [] no known crawler reads Host", "3:1 [] no known crawler reads Noindex (also on 1 later line)"}},

	{"an unknown value of a known signal", "User-agent: *\nContent-Signal: Search = yes, ai-input=n\n", "signal-invalid",
		[]string{`2:31 [] cannot read "ai-input=n", so this part is ignored`}},
	{"unknown signals are no mistake", "User-agent: *\nContent-Signal: unicorns=7, use=full\n", "signal-invalid", nil},
	{"the member is not searched in the key", "User-agent: *\nContent-Signal: Signal, search=no\n", "signal-invalid",
		[]string{`2:17 [] cannot read "Signal", so this part is ignored`}},
	{"no dictionary", "User-agent: *\nContent-Usage: Train=n\n", "usage-unparseable",
		[]string{`2:16 [] cannot read "Train=n": expected a key that begins with a lower-case letter or * at offset 0`}},
	{"no value", "User-agent: *\nContent-Usage: /bots bots\n", "usage-unparseable",
		[]string{`2:17 [] bots has the value "?1", expected y or n`}},
	{"both in no group", "Content-Usage: train-ai=n\nContent-Signal: search=yes\nUser-agent: *\nContent-Signal: search=yes\n", "signal-outside-group",
		[]string{"1:1 [] no User-agent line is before this Content-Usage, so it is for no crawler", "2:1 [] no User-agent line is before this Content-Signal, so it is for no crawler"}},

	{"a signal against a usage", "User-agent: *\nContent-Signal: search=yes, ai-train=yes\nContent-Usage: search=y, train-ai=n\n", "signal-contradicts",
		[]string{"3:26 [] train-ai=n contradicts ai-train=yes in line 2"}},
	{"the same group in two parts", "User-agent: A\nUser-agent: b\nContent-Signal: search=yes\nDisallow:\nUser-agent: c\nUser-agent: a\nContent-Signal: SEARCH = no\n", "signal-contradicts",
		[]string{"7:17 [a] search=no contradicts search=yes in line 3"}},
	{"in one line", "User-agent: a\nContent-Signal: search=yes, search=no\n", "signal-contradicts",
		[]string{"2:29 [a] search=no contradicts search=yes in line 2"}},
	{"for different paths or crawlers", "User-agent: a\nContent-Usage: /x train-ai=n\nContent-Usage: / train-ai=y\nDisallow:\nUser-agent: b\nContent-Usage: train-ai=n\n", "signal-contradicts", nil},
	{"everyone is shut out", "User-agent: *\nContent-Signal: search=yes, ai-train=no\nDisallow: /\n", "signal-contradicts",
		[]string{"2:17 [] search=yes grants a use, but the crawlers for it may fetch no page (line 3: Disallow: /)"}},
	{"only crawlers for the use count", "User-agent: AhrefsBot\nUser-agent: GPTBot\nUser-agent: CCBot\nContent-Usage: train-ai=y\nDisallow: *\n", "signal-contradicts",
		[]string{"4:16 [GPTBot CCBot] train-ai=y grants a use, but the crawlers for it may fetch no page (line 5: Disallow: *)"}},
	{"one page is enough", "User-agent: *\nContent-Signal: search=yes\nDisallow: /\nAllow: /about\n", "signal-contradicts", nil},
	{"other groups do not count", "User-agent: *\nContent-Signal: ai-train=yes\nDisallow:\nUser-agent: GPTBot\nDisallow: /\n", "signal-contradicts", nil},
	{"a refusal contradicts no rule", "User-agent: *\nContent-Signal: ai-train=no\nDisallow: /\n", "signal-contradicts", nil},
}

func TestRecordRules(t *testing.T) {
	for _, c := range recordCases {
		var got []string
		for _, found := range Check([]byte(c.body)) {
			if found.Code == c.code {
				got = append(got, fmt.Sprintf("%d:%d %v %s", found.Line, found.Column, found.Crawlers, found.Message))
			}
		}
		if g, w := strings.Join(got, "\n"), strings.Join(c.want, "\n"); g != w {
			t.Errorf("%s: %s in %q:\n%s\nwant\n%s", c.name, c.code, c.body, g, w)
		}
	}
}
