package lint

import (
	"slices"
	"strings"
	"testing"

	"github.com/heed-robots/heed/crawlers"
)

// findingsOf returns the findings of one rule.
func findingsOf(body, code string) []Finding {
	return slices.DeleteFunc(Check([]byte(body)), func(f Finding) bool { return f.Code != code })
}

var lineCases = []ruleCase{
	{"the colon is beyond the limit of crawlers", "#" + strings.Repeat("x", maxSize) + "\nDisallow /a\n", "missing-colon", nil},

	{"one rule", "Disallow: /a\nUser-agent: *\n", "rule-before-agent",
		[]string{"1:1 [] no User-agent line is before this rule, so every crawler ignores it"}},
	{"two rules", "Allow: /\nHost: a\nDisallow: /a\n", "rule-before-agent",
		[]string{"1:1 [] no User-agent line is before this rule and the next one, so every crawler ignores them"}},
	{"four rules", "\nAllow: /\nDisallow: /a\nDisallow: /b\n# a\nDisallow: /c\nUser-agent: *\nDisallow: /d\n", "rule-before-agent",
		[]string{"2:1 [] no User-agent line is before this rule and the next 3, so every crawler ignores them"}},
	{"no rule", "Host: a\nUser-agent: *\nDisallow: /\n", "rule-before-agent", nil},

	{"a conflict", "<<<<<<< HEAD\nUser-agent: a\n||||||| 1234567\nUser-agent: b\n=======\nUser-agent: *\n>>>>>>> topic\n=======\n", "merge-conflict-marker",
		[]string{
			"1:1 [] a merge conflict of git was not resolved: one version begins here",
			"3:1 [] a merge conflict of git was not resolved: the common ancestor of both versions begins here",
			"5:1 [] a merge conflict of git was not resolved: the other version begins here",
			"7:1 [] a merge conflict of git was not resolved: the other version ends here",
		}},
	{"only the end", ">>>>>>>\n=======\n|||||||\n", "merge-conflict-marker",
		[]string{"1:1 [] a merge conflict of git was not resolved: the other version ends here"}},
	{"no marker", "<<<<<<<a\n>>>>>>>>\n=======\n <<<<<<<\n", "merge-conflict-marker", nil},

	{"one line", "hello \x1b[1m\nUser-agent: *\n", "stray-text",
		[]string{`1:1 [] "hello \x1b[1m" is neither a record nor a comment, so crawlers ignore it`}},
	{"two lines", "one\ntwo\nUser-agent: *\nDisallow: /\n", "stray-text",
		[]string{`1:1 [] "one" is neither a record nor a comment, so crawlers ignore it, and the next line`}},
	{"two runs", "one\ntwo\nthree\nUser-agent: *\nfour\n# five\nsix", "stray-text",
		[]string{
			`1:1 [] "one" is neither a record nor a comment, so crawlers ignore it, and the next 2 lines`,
			`5:1 [] "four" is neither a record nor a comment, so crawlers ignore it`,
			`7:1 [] "six" is neither a record nor a comment, so crawlers ignore it`,
		}},
	{"a path among them", "User-agent: *\n  one\n /two\n", "stray-text",
		[]string{`2:3 [] "one" is neither a record nor a comment, so crawlers ignore it, and the next line; a path needs a key, such as "Disallow:", in front`}},
	{"URLs", "https://a.example/x\nHTTP://a.example/\nUser-agent: *\nhttp: x\n", "stray-text",
		[]string{`1:1 [] "https://a.example/x" is neither a record nor a comment, so crawlers ignore it, and the next line; a URL needs a key, such as "Sitemap:", in front`}},
	{"a key and prose", "User-agent: *\nHost example\nSitmap hello\n", "stray-text",
		[]string{`2:1 [] "Host example" is neither a record nor a comment, so crawlers ignore it, and the next line`}},
	{"beyond the limit of crawlers", "User-agent: *\n#" + strings.Repeat("x", maxSize) + "\nhello\n", "stray-text", nil},
	{"a wrong byte-order mark", "ï»¿\nUser-agent: *\n", "stray-text", nil},

	{"a comment", "# " + strings.Repeat("x", 16662) + "\n", "line-too-long",
		[]string{"1:16664 [] the line has 16664 bytes; Google's parser uses the first 16663, so it loses nothing but a part of a comment, or blanks"}},
	{"as long as Google reads", "# " + strings.Repeat("x", 16661) + "\r\n", "line-too-long", nil},
	{"a long comment behind a byte-order mark", "\ufeff# " + strings.Repeat("x", 16662) + "\n", "line-too-long",
		[]string{"1:16667 [] the line has 16664 bytes; Google's parser uses the first 16663, so it loses nothing but a part of a comment, or blanks"}},
	{"a pattern", "User-agent: *\nDisallow: /" + strings.Repeat("0123456789", 1700) + "\n", "line-too-long",
		[]string{`2:16664 [] the line has 17011 bytes; Google's parser uses the first 16663, so the pattern ends in "23456789012345678901" and matches more URLs`}},
	{"a pattern as long as Google reads", "User-agent: *\nDisallow: /" + strings.Repeat("x", 16652) + " \t# a\n", "line-too-long", []string{
		"2:16664 [] the line has 16668 bytes; Google's parser uses the first 16663, so it loses nothing but a part of a comment, or blanks"}},
	{"one byte longer", "User-agent: *\nDisallow: /" + strings.Repeat("x", 16653) + "# a\n", "line-too-long", []string{
		`2:16664 [] the line has 16667 bytes; Google's parser uses the first 16663, so the pattern ends in "xxxxxxxxxxxxxxxxxxxx" and matches more URLs`}},
	{"another record", "Host: " + strings.Repeat("x", 16663) + "\n", "line-too-long",
		[]string{"1:16664 [] the line has 16669 bytes; Google's parser uses the first 16663"}},
	{"a pattern for Yandex", "User-agent: *\nDisallow: /" + strings.Repeat("é", 1024) + "\n", "line-too-long",
		[]string{"2:11 [Yandex YandexAdditional YandexAdditionalBot YandexBlogs YandexBot YandexDirect YandexFavicons YandexImages YandexMedia YandexMobileBot YandexVideo] the pattern has 1025 characters; for Yandex, more than 1024 are an error"}},
	{"a long value that is no rule", "Host: " + strings.Repeat("x", 1025) + "\n", "line-too-long", nil},
}

func TestLineRules(t *testing.T) { checkCases(t, lineCases) }

// TestPlaces checks what a finding points to, and what its fix makes of the file.
func TestPlaces(t *testing.T) {
	const group = "User-agent: *\n"
	long := strings.Repeat("x", googleLineLimit)
	for _, c := range []struct {
		code, body   string
		line, column int
		part         string // the text at that place
		fixed        string // "": there is no fix
		safe         bool
	}{
		{"missing-colon", group + "Disallow /a\n", 2, 1, "Disallow", group + "Disallow: /a\n", true},
		{"missing-colon", group + "\tDisallow /a b\n", 2, 2, "Disallow", group + "\tDisallow: /a b\n", false},
		{"missing-colon", group + "Disallow\n", 2, 1, "Disallow", group + "Disallow:\n", true},
		{"missing-colon", group + "Disallow：/a\n", 2, 9, "：", group + "Disallow:/a\n", false},
		{"missing-colon", group + "Disallow = /a\n", 2, 10, "=", group + "Disallow : /a\n", false},
		{"missing-colon", group + "Sitemap https://www.example.com/s.xml\n", 2, 1, "Sitemap", group + "Sitemap: https://www.example.com/s.xml\n", true},
		{"missing-colon", group + "Crawl-delay 10\n", 2, 1, "Crawl-delay", group + "Crawl-delay: 10\n", true},
		{"missing-colon", group + "useragent bot\n", 2, 1, "useragent", group + "useragent: bot\n", true},

		{"key-misspelt", group + "DISSALLOW: /a\n", 2, 1, "DISSALLOW", group + "DISALLOW: /a\n", true},
		{"key-misspelt", group + "Dsiallow : /a\n", 2, 1, "Dsiallow", group + "Disallow : /a\n", false},
		{"key-misspelt", "useragnet: *\nDisallow: /\n", 1, 1, "useragnet", "user-agent: *\nDisallow: /\n", false},
		{"key-misspelt", group + "Sitemaps: https://www.example.com/\n", 2, 1, "Sitemaps", group + "Sitemap: https://www.example.com/\n", true},
		{"key-misspelt", group + "crawldelay: 5\n", 2, 1, "crawldelay", group + "crawl-delay: 5\n", true},

		{"key-prefix-swallowed", group + "AllowAI: /\n", 2, 1, "AllowAI", "", false},
		{"rule-before-agent", "Allow: /\nDisallow: /a\r\n" + group, 1, 1, "Allow", "User-agent: *\r\nAllow: /\nDisallow: /a\r\n" + group, false},
		{"rule-before-agent", "User-agnet: a\nDisallow: /a\n", 2, 1, "Disallow", "", false},
		{"rule-before-agent", "Robots-USER-AGENT: a\nDisallow: /a\n", 2, 1, "Disallow", "", false},
		{"stray-text", group + "plugins/\n", 2, 1, "plugins/", group + "# plugins/\n", true},
		{"stray-text", group + "/a\n", 2, 1, "/a", "", false},
		{"stray-text", group + "http://a.example/\n", 2, 1, "http://a.example/", "", false},
		{"stray-text", "\ufeffour rules\n for all\n" + group, 1, 4, "our rules", "\ufeff# our rules\n#  for all\n" + group, true},

		{"byte-order-mark", "\ufeff\ufeff" + group + "Disallow: /\n", 1, 1, "\ufeff\ufeff", group + "Disallow: /\n", false},
		{"byte-order-mark", "ï»¿" + group + "Disallow: /\n", 1, 1, "ï»¿", group + "Disallow: /\n", false},
		{"byte-order-mark", group + "Disallow: /a\ufeff\n", 2, 13, "\ufeff", group + "Disallow: /a\n", false},
		{"byte-order-mark", group + "# a\ufeff\n", 2, 4, "\ufeff", group + "# a\n", true},

		{"encoding", group + "Disallow: /caf\xe9 # \xe9\n", 2, 15, "\xe9", group + "Disallow: /caf%E9 # é\n", true},
		{"encoding", group + "Disallow:\xa0/a\n", 2, 10, "\xa0", group + "Disallow: /a\n", false},
		{"encoding", group + "Disallow: /\xe9\n", 2, 12, "\xe9", group + "Disallow: /%E9\n", true},
		{"encoding", group + "Disallow: \xe9/\n", 2, 11, "\xe9", group + "Disallow: %E9/\n", true},
		{"encoding", group + "Disallow:\xa0\xa0/a\xa0\xa0b\xa0\xa0\n", 2, 10, "\xa0", group + "Disallow:  /a%A0%A0b  \n", false},
		{"encoding", "# \x80 \x93\x9f\xa0\xff\n", 1, 3, "\x80", "# € “Ÿ ÿ\n", true},
		{"encoding", "# a\tb\x1f\x7f\n", 1, 6, "\x1f", "# a\tb\n", true},
		{"encoding", group + "Disallow: /a\u2060\u200b\n", 2, 13, "\u2060", group + "Disallow: /a\u200b\n", false},
		{"encoding", "User-agent: *\xa0\nDisallow: /\n", 1, 14, "\xa0", "User-agent: * \nDisallow: /\n", false},
		{"encoding", group + "Disallow: /a\x00\x00\n", 2, 13, "\x00", group + "Disallow: /a\n", true},
		{"encoding", "\u200duser-agent: *\nDisallow: /\n", 1, 1, "\u200d", "user-agent: *\nDisallow: /\n", false},
		{"encoding", group + "Disallow: /a\u00a0\n", 2, 13, "\u00a0", group + "Disallow: /a\n", false},
		{"encoding", "\xff\xfeU\x00s\x00e\x00r\x00-\x00a\x00g\x00e\x00n\x00t\x00:\x00*\x00", 0, 0, "", "User-agent:*", true},
		{"encoding", "\x00D\x00i\x00s\x00a\x00l\x00l\x00o\x00w\x00:\x00/", 0, 0, "", "Disallow:/", true},

		{"line-too-long", group + "Allow: /a # " + long + " y\n", 2, googleLineLimit + 1, "", group + "# " + long + "\n# y\nAllow: /a\n", true},
		{"line-too-long", group + "Allow: /a" + strings.Repeat(" ", googleLineLimit) + "\n", 2, googleLineLimit + 1, "", group + "Allow: /a\n", true},
		{"line-too-long", group + "Allow: /" + long + "\n", 2, googleLineLimit + 1, "", "", false},
		{"line-too-long", group + "Allow: /" + strings.Repeat("é", 1024) + "\n", 2, 8, "/" + strings.Repeat("é", 1024), "", false},
	} {
		name := c.code + ": " + c.body[:min(len(c.body), 60)]
		findings := findingsOf(c.body, c.code)
		if len(findings) == 0 {
			t.Errorf("%q: no finding", name)
			continue
		}
		f := findings[0]
		if f.Line != c.line || f.Column != c.column {
			t.Errorf("%q: at %d:%d, expected %d:%d", name, f.Line, f.Column, c.line, c.column)
		} else if f.Column > 0 && !strings.HasPrefix(strings.SplitAfter(c.body, "\n")[f.Line-1][f.Column-1:], c.part) {
			t.Errorf("%q: not at %q", name, c.part)
		}
		if c.part != "" && f.Length != len(c.part) {
			t.Errorf("%q: %d bytes are meant, not %d", name, f.Length, len(c.part))
		}
		switch {
		case f.Fix == nil && c.fixed != "":
			t.Errorf("%q: no fix", name)
		case f.Fix != nil:
			if fixed, _ := Apply([]byte(c.body), []Fix{*f.Fix}); string(fixed) != c.fixed {
				t.Errorf("%q: fixed to %.80q, expected %.80q", name, fixed, c.fixed)
			}
			if f.Fix.Safe != c.safe {
				t.Errorf("%q: safe is %v", name, f.Fix.Safe)
			}
		}
	}
}

// A wrapped comment has lines of at most 100 bytes behind the sign, and its words once.
func TestWrapped(t *testing.T) {
	a, b := strings.Repeat("a", 48), strings.Repeat("b", 50)
	for comment, want := range map[string]string{
		"":                        "",
		" ":                       "",
		" one \t two ":            "# one two\r\n",
		a + " " + b:               "# " + a + " " + b + "\r\n", // 100 bytes
		a + "a " + b + " c":       "# " + a + "a\r\n# " + b + " c\r\n",
		"c " + a + b + a + " d e": "# c\r\n# " + a + b + a + "\r\n# d e\r\n", // a word cannot be cut
	} {
		if got := newFile("\r\n").wrapped(comment); got != want {
			t.Errorf("%q: %q, want %q", comment, got, want)
		}
	}
}

// TestNoFinding checks that these are no mistakes of the kind.
func TestNoFinding(t *testing.T) {
	const group = "User-agent: *\n"
	for _, c := range []struct{ code, body string }{
		{"missing-colon", group + "Disallow : /a\n"},
		{"missing-colon", group + "Allow us to say something\n"},
		{"missing-colon", group + "Disallow: /a = b\n# Disallow /b\n"},
		{"missing-colon", group + "NewRecord https://www.example.com/\n"},
		{"key-misspelt", group + "Follow: /a\nHost: a\nNoindex: /a\nLicense: b\nUser: c\nClean-param: d\n"},
		{"key-misspelt", group + "Disallow; /a\n"}, // missing-colon
		{"key-prefix-swallowed", group + "Disallows: /a\nSitemap-index: https://www.example.com/\n"},
		{"key-prefix-swallowed", "AllowAI: /\n"}, // in no group
		{"merge-conflict-marker", "=======\n" + group + "<<<<<<<<<<\n"},
		{"stray-text", group + "Disallow /a\n<<<<<<< HEAD\nNewRecord: a b\n"},
		{"stray-text", "404 page not found\n"},
		{"encoding", group + "Disallow: /café/می\u200cخواهم\t\n"},
		{"line-too-long", group + "Disallow: /" + strings.Repeat("é", 1023) + "\n"},
		{"html-body", "# <html>\n" + group},
		{"html-body", "404 is the number of our rules\n" + group},
		{"empty-file", "<html></html>"},
		{"no-sitemap", "# nothing\n"},
		{"key-misspelt", "Disallow; \n"},
		{"too-large", "#" + strings.Repeat("x", maxSize-1)},
	} {
		for _, f := range findingsOf(c.body, c.code) {
			t.Errorf("%s: %.80q: %s", c.code, c.body, f.Message)
		}
	}
}

func TestShown(t *testing.T) {
	body := "User-agent: *\n" + strings.Repeat("Disallow: /a\n", 3) + "# " + strings.Repeat("é", 100) + "\nAllow: /\nAllow: /\n"
	want := "User-agent: *\nDisallow: /a\n… 2 more lines like this\n# " + strings.Repeat("é", 49) + "…\nAllow: /\n… 1 more line like this\n"
	if got := Shown(body); got != want {
		t.Errorf("%q, expected %q", got, want)
	}
	for _, rule := range Rules() {
		if n := len(Shown(rule.BadExample()) + Shown(rule.Good)); n > 1000 {
			t.Errorf("%s: the examples take %d bytes", rule.Code, n)
		}
	}
}

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
		[]string{`2:1 [] no colon after "Disallow": Google and other lenient crawlers read the line, strict ones ignore it`}},
	{"one word", "User-agent: *\nDisallow\n", "missing-colon", []string{`2:1 [] no colon after "Disallow", so crawlers ignore the line`}},
	{"another sign", "User-agent: *\nDisallow：/a\nDisallow = /b\n", "missing-colon",
		[]string{
			`2:9 [] "：" after "Disallow" is no colon, so crawlers ignore the line`,
			`3:10 [] "=" after "Disallow" is no colon, so crawlers ignore the line`,
		}},
	{"another sign that Google reads", "User-agent: *\nDisallow; /a\n", "missing-colon",
		[]string{`2:9 [] ";" after "Disallow" is no colon: only Google's parser reads the line`}},
	{"another sign, and the colon of a URL", "Sitemap; https://a.example/s.xml\n", "missing-colon",
		[]string{`1:8 [] ";" after "Sitemap" is no colon: Google's parser reads the line as "Sitemap: //a.example/s.xml"`}},
	{"another sign, and Google reads another value", "User-agent: *\nDisallow = /a:b\nDisallow=/a b\nDisallow ;/a\n", "missing-colon",
		[]string{
			`2:10 [] "=" after "Disallow" is no colon: Google's parser reads the line as "Disallow: b"`,
			`3:9 [] "=" after "Disallow" is no colon: Google's parser reads the line as "Disallow: b"`,
			`4:10 [] ";" after "Disallow" is no colon: Google's parser reads the line as "Disallow: ;/a"`,
		}},
	{"a longer key that only Google reads", "Useragents *\ndisallows /a\n", "missing-colon",
		[]string{
			`1:1 [] no colon after "Useragents": only Google's parser reads the line`,
			`2:1 [] no colon after "disallows": only Google's parser reads the line`,
		}},
	{"the colon of a URL", "License https://a.example/l.xml\n", "missing-colon",
		[]string{`1:1 [] no colon after "License": the first colon of the line is taken, and the key is read as "License https"`}},
	{"a misspelt key", "User-agent: *\nDissallow /a\nDsiallow /a\nUsr-agent *\nCrawl_delay 5\nCrawl-delay 5\n", "missing-colon",
		[]string{
			`2:1 [] no colon after "Dissallow": Google and other lenient crawlers read the line, strict ones ignore it`,
			`3:1 [] no colon after "Dsiallow", so crawlers ignore the line`,
			`4:1 [] no colon after "Usr-agent", so crawlers ignore the line`,
			`5:1 [] no colon after "Crawl_delay", so crawlers ignore the line`,
			`6:1 [] no colon after "Crawl-delay": Google and other lenient crawlers read the line, strict ones ignore it`,
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
