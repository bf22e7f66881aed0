package lint

import (
	"strings"
	"testing"
)

func TestPrivateWords(t *testing.T) {
	for _, word := range strings.Fields("admin backup backups confidential config credentials database db dump env git hidden htaccess htpasswd intern internal " +
		"intranet passwd password passwords phpmyadmin private secret secrets secure staging svn bak old sql") {
		if got := privateWord("/a/." + word + "*"); got != word {
			t.Errorf("%q: %q", word, got)
		}
	}
}

// TestOddity has parts of patterns that crawlers compare in different ways, and the pattern that
// all compare alike.
func TestOddity(t *testing.T) {
	for _, c := range []struct {
		pattern, odd string
		escaped      string
	}{
		{"/a-z.A_Z~09!$&'()*+,;=:@/", "", "/a-z.A_Z~09!$&'()*+,;=:@/"},
		{"/%C3%a9%20%3f", "", "/%C3%A9%20%3F"},
		{"/a%", "%", "/a%25"},
		{"/a%4", "%4", "/a%254"},
		{"/%4g%20", "%4g", "/%254g%20"},
		{"/%g4", "%g4", "/%25g4"},
		{"/%%41", "%%4", "/%25A"},
		{"/%41%7E%2d%5F%2E%39", "%41", "/A~-_.9"},
		{"/%2Fa", "%2F", "/%2Fa"},
		{"/?%2Fa%2f", "", "/?%2Fa%2F"},
		{"/é", "é", "/%C3%A9"},
		{"/\u0080", "\u0080", "/%C2%80"},
		{"/\x7f", "", "/%7F"},
		{"/\x1f", "\x1f", "/%1F"},
		{`/"`, `"`, "/%22"}, {"/<", "<", "/%3C"}, {"/>", ">", "/%3E"}, {`/\`, `\`, "/%5C"}, {"/^", "^", "/%5E"},
		{"/{", "{", "/%7B"}, {"/|", "|", "/%7C"}, {"/}", "}", "/%7D"}, {"/`", "`", "/%60"}, {"/ a", " ", "/%20a"},
	} {
		o, odd := findOddity(c.pattern)
		if got := c.pattern[o.at : o.at+o.length]; got != c.odd || odd != (c.odd != "") {
			t.Errorf("%q: %q is odd, want %q", c.pattern, got, c.odd)
		}
		if got := normalEscapes(c.pattern); got != c.escaped {
			t.Errorf("%q: escaped to %q, want %q", c.pattern, got, c.escaped)
		}
	}
}

func TestStartedWithSlash(t *testing.T) {
	for pattern, want := range map[string]string{
		"a": "/a", "a/": "/a/", "./a": "/a", ".": "/*.", ".pdf$": "/*.pdf$", ".git/x": "/*.git/x", "?a": "/*?a", "$a": "/$a",
		"https://a.example": "/", "https://a.example/": "/", "https://a.example/b/c?d": "/b/c?d", "a.b/": "", "a.b": "/a.b", "a/b.c": "/a/b.c",
	} {
		got := probablyMeant(pattern)
		if looksLikeHost(pattern) {
			got = "" // nothing is offered
		}
		if got != want {
			t.Errorf("%q: %q, want %q", pattern, got, want)
		}
	}
}

func TestAnyQuery(t *testing.T) {
	for _, pattern := range []string{"/*?", "*?", "*?*", "/**?**", "/*=", "/*?*=*"} {
		if !isAnyQuery(pattern) {
			t.Errorf("%q does not match every query", pattern)
		}
	}
	for _, pattern := range []string{"/?", "?", "/*", "/*?a", "/*a?", "/a*?", "//*?", "/*?*?", "/?*", "/*/?", "/*?=", "/*==", "/="} {
		if isAnyQuery(pattern) {
			t.Errorf("%q matches every query, and nothing else", pattern)
		}
	}
}

var assetCases = []ruleCase{
	{"scripts", "User-agent: bingbot\nUser-agent: a\nDisallow: /*.js$\n", "blocks-assets", []string{"3:11 [bingbot] search engines may not load scripts such as /main.js"}},
	{"scripts with a query", "User-agent: *\nDisallow: /*.js?\nDisallow: /*.css?*\nDisallow: /a/*.css?v=*\n", "blocks-assets",
		[]string{"2:11 [] search engines may not load scripts such as /main.js?v=2", "3:11 [] search engines may not load styles such as /main.css?v=2",
			"4:11 [] search engines may not load styles such as /a/main.css?v="}},
	{"folders", "User-agent: *\nDisallow: /css\nDisallow: */JS/*\nDisallow: /wp-content/\nDisallow: /images/\n", "blocks-assets",
		[]string{"2:11 [] search engines may not load styles such as /css/main.css", "3:11 [] search engines may not load scripts such as /x/JS/main.js",
			"4:11 [] search engines may not load scripts such as /wp-content/themes/theme/main.js"}},
	{"patterns that are not clearly about assets", "User-agent: *\nDisallow: /b\nDisallow: /d\nDisallow: /*/system/*\nDisallow: /*.json\nDisallow: /cssi/\nDisallow: /js/admin/\nDisallow: /stat.js\nDisallow: /*?\nDisallow: .js\n", "blocks-assets", nil},
	{"only of some search engines", "User-agent: *\nDisallow: /*.js$\n\nUser-agent: Googlebot\nDisallow: /x\n", "blocks-assets", []string{"2:11 [] search engines without a group may not load scripts such as /main.js"}},
	{"of another group", "User-agent: *\nDisallow: /*.js$\n\nUser-agent: GPTBot\nDisallow: /x\n", "blocks-assets", []string{"2:11 [] search engines may not load scripts such as /main.js"}},
	{"not for search engines", "User-agent: GPTBot\nDisallow: /*.js$\n", "blocks-assets", nil},
	{"a crawler for images", "User-agent: Googlebot-Image\nDisallow: /js/\nDisallow: /images/\n", "blocks-images", nil},
	{"everything is disallowed, assets too", "User-agent: *\nDisallow: /\n", "blocks-assets", nil},
	{"allowed again, assets", "User-agent: *\nDisallow: /static/\nAllow: /static/js/\nAllow: /static/*.css\n", "blocks-assets", nil},
	{"not allowed again: the pattern is shorter", "User-agent: *\nDisallow: /static/\nAllow: /static/js/\nAllow: /*.css\n", "blocks-assets",
		[]string{"2:11 [] search engines may not load styles such as /static/main.css"}},
	{"images, for crawlers without a group that follow Googlebot's too", "User-agent: Googlebot\nUser-agent: Applebot\nDisallow: /img/\nUser-agent: Googlebot-News\nDisallow: /n\n", "blocks-images",
		[]string{"3:11 [Googlebot Applebot Googlebot-Image Googlebot-Video ImagesiftBot] search engines may not load images such as /img/main.jpg"}},
	{"images", "User-agent: *\nDisallow: /*.gif$\nDisallow: /img/\nDisallow: /js/\n", "blocks-images",
		[]string{"2:11 [] search engines may not load images such as /main.gif", "3:11 [] search engines may not load images such as /img/main.jpg"}},
}

func TestAssetRules(t *testing.T) { checkCases(t, assetCases) }
