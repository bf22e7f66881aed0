package lint

import (
	"slices"
	"strings"
	"testing"

	"github.com/heed-robots/heed/crawlers"
)

var keyCases = []ruleCase{
	{"read by lenient crawlers", "User-agent: *\nDissallow: /a\n", "key-misspelt",
		[]string{`2:1 [] "Dissallow" is a misspelling of Disallow: Google and other lenient crawlers read it, strict ones ignore the line`}},
	{"read by Google", "User-agents: *\nAllows: /b\nDisallows: /a\nSitemaps: https://a.example/\n", "key-misspelt",
		[]string{
			`1:1 [] "User-agents" is no key: only Google's parser reads it as User-agent`,
			`2:1 [] "Allows" is no key: only Google's parser reads it as Allow`,
			`3:1 [] "Disallows" is no key: only Google's parser reads it as Disallow`,
			`4:1 [] "Sitemaps" is no key: only Google's parser reads it as Sitemap`,
		}},
	{"read by nobody", "User-agent: *\nDsiallow: /a\nAl\x1bow: /\n", "key-misspelt",
		[]string{
			`2:1 [] "Dsiallow" is no key, so crawlers ignore the line; probably it means Disallow`,
			`3:1 [] "Al\x1bow" is no key, so crawlers ignore the line; probably it means Allow`,
		}},
	{"without a colon, too", "User-agent: *\nDissallow /a\nUsr-agent *\n", "key-misspelt",
		[]string{
			`2:1 [] "Dissallow" is a misspelling of Disallow: Google and other lenient crawlers read it, strict ones ignore the line`,
			`3:1 [] "Usr-agent" is no key, so crawlers ignore the line; probably it means User-agent`,
		}},
	{"text with a word like a key", "User-agent: *\nSitmap hello\n", "key-misspelt", nil},
	{"an invisible character in the key", "User-agent: *\nDisal\u200dlow: /a\n", "key-misspelt", nil}, // encoding
	{"a long key", "User-agent: *\nA-record-with-a-very-long-name: /a\n", "key-misspelt", nil},

	{"read by lenient crawlers", "User-agent: *\nDisallow private\n", "missing-colon",
		[]string{`2:1 [] no colon behind "Disallow": Google and other lenient crawlers read the line, strict ones ignore it`}},
	{"one word", "User-agent: *\nDisallow\n", "missing-colon", []string{`2:1 [] no colon behind "Disallow", so crawlers ignore the line`}},
	{"another sign", "User-agent: *\nDisallow：/a\nDisallow = /b\n", "missing-colon",
		[]string{
			`2:9 [] "：" behind "Disallow" is no colon, so crawlers ignore the line`,
			`3:10 [] "=" behind "Disallow" is no colon, so crawlers ignore the line`,
		}},
	{"another sign that Google reads", "User-agent: *\nDisallow; /a\n", "missing-colon",
		[]string{`2:9 [] ";" behind "Disallow" is no colon: only Google's parser reads the line`}},
	{"another sign, and the colon of a URL", "Sitemap; https://a.example/s.xml\n", "missing-colon",
		[]string{`1:8 [] ";" behind "Sitemap" is no colon, so crawlers ignore the line`}},
	{"the colon of a URL", "License https://a.example/l.xml\n", "missing-colon",
		[]string{`1:1 [] no colon behind "License": the first colon of the line is taken, and the key is read as "License https"`}},
	{"a misspelt key", "User-agent: *\nDissallow /a\nDsiallow /a\nUsr-agent *\nCrawl_delay 5\nCrawl-delay 5\n", "missing-colon",
		[]string{
			`2:1 [] no colon behind "Dissallow": Google and other lenient crawlers read the line, strict ones ignore it`,
			`3:1 [] no colon behind "Dsiallow", so crawlers ignore the line`,
			`4:1 [] no colon behind "Usr-agent", so crawlers ignore the line`,
			`5:1 [] no colon behind "Crawl_delay", so crawlers ignore the line`,
			`6:1 [] no colon behind "Crawl-delay": Google and other lenient crawlers read the line, strict ones ignore it`,
		}},
	{"a colon", "User-agent: *\nCrawl-delay: 5\nHost: a\nLicense : https://a.example/l.xml\n", "missing-colon", nil},
	{"prose", "User-agent: *\nHost example\nSitmap hello\n", "missing-colon", nil},
	{"no key", "User-agent: *\n= /a\n=======\n=Disallow\nDisallow/a\nDisallow\u0161 /a\n", "missing-colon", nil},

	{"a rule", "User-agent: Googlebot\nAllowAI: /a\nDisallow-AI: \"\n", "key-prefix-swallowed",
		[]string{
			`2:1 [Googlebot Googlebot-Image Googlebot-News Googlebot-Video] Google's parser reads this line as "Allow: /a"; for RFC 9309, "AllowAI" is an unknown record`,
			`3:1 [Googlebot Googlebot-Image Googlebot-News Googlebot-Video] Google's parser reads this line as "Disallow: \""; for RFC 9309, "Disallow-AI" is an unknown record`,
		}},
	{"a User-agent line", "User-agent: Googlebot\nDisallow: /\nUser-agent-AI: x\n", "key-prefix-swallowed",
		[]string{`3:1 [x] Google's parser reads this line as "User-agent: x"; for RFC 9309, "User-agent-AI" is an unknown record`}},
	{"missing-colon speaks of it", "User-agent: *\nDisallow;;; /a\n", "key-prefix-swallowed", nil},
	{"a crawler of Google that does not follow *", "User-agent: AdsBot-Google\nUser-agent: Googlebot-News\nDisallowAI: /\n", "key-prefix-swallowed",
		[]string{`3:1 [AdsBot-Google Googlebot-News] Google's parser reads this line as "Disallow: /"; for RFC 9309, "DisallowAI" is an unknown record`}},
	{"nobody and another crawler", "User-agent:\nUser-agent: OtherBot\nDisallowAI: /\n", "key-prefix-swallowed",
		[]string{`3:1 [OtherBot] Google's parser reads this line as "Disallow: /"; for RFC 9309, "DisallowAI" is an unknown record`}},
}

func TestKeyRules(t *testing.T) { checkCases(t, keyCases) }

func TestRightKey(t *testing.T) {
	for key, want := range map[string]string{
		"User-agent": "", "Allow": "", "disallow": "", "SITEMAP": "", "Crawl-delay": "", "": "",
		"Usr-agnt": "User-agent", "Usr-agn": "",
		"Alow": "Allow", "Alw": "", "Follow": "",
		"Dislow": "Disallow", "Dislw": "", "DisallowX": "Disallow", "DisallowAI": "",
		"Sitmp": "Sitemap", "Stmp": "",
		"Crawldely": "Crawl-delay", "Crwldely": "",
	} {
		if got := rightKey(key); got != want {
			t.Errorf("%q: %q, want %q", key, got, want)
		}
	}
}

// TestGoogleCrawlers checks for whom Google's way to read a key matters.
func TestGoogleCrawlers(t *testing.T) {
	crawlers := func(body string) []string {
		t.Helper()
		findings := findingsOf(body, "key-prefix-swallowed")
		if len(findings) != 1 {
			t.Fatalf("%q: %d findings", body, len(findings))
		}
		return findings[0].Crawlers
	}
	all := crawlers("User-agent: *\nDisallowAI: /\n")
	if !slices.Contains(all, "Googlebot") || slices.Contains(all, "AdsBot-Google") || slices.Contains(all, "GPTBot") {
		t.Errorf("*: %v", all)
	}
	if named := crawlers("User-agent: googlebot-image\nDisallowAI: /\n\nUser-agent: *\n"); !slices.Equal(named, []string{"Googlebot-Image"}) {
		t.Errorf("googlebot-image: %v", named)
	}
	if others := crawlers("User-agent: OtherBot\nDisallowAI: /\n"); !slices.Equal(others, []string{"OtherBot"}) {
		t.Errorf("OtherBot: %v", others)
	}
	if some := crawlers("User-agent: FeedFetcher-Google\nUser-agent: Googlebot-News\nDisallowAI: /\n"); !slices.Equal(some, []string{"Googlebot-News"}) {
		t.Errorf("one of two follows robots.txt: %v", some)
	}
}

// If every crawler of Google has a group, "*" is for none of them.
func TestGoogleCrawlersElsewhere(t *testing.T) {
	var b strings.Builder
	for c := range crawlers.Known().All() {
		if c.Operator == "Google" {
			for _, name := range c.Agents() {
				b.WriteString("User-agent: " + name + "\n")
			}
		}
	}
	findings := findingsOf(b.String()+"Disallow: /a\nUser-agent: *\nUser-agent: OtherBot\nDisallowAI: /\n", "key-prefix-swallowed")
	if len(findings) != 1 || !slices.Equal(findings[0].Crawlers, []string{"OtherBot"}) {
		t.Errorf("%v", findings)
	}
}
