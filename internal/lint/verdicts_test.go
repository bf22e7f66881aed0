package lint

import (
	"slices"
	"strings"
	"testing"
)

var patternCases = []ruleCase{
	{"outside of a group", "Disallow: a\nUser-agent: *\nDisallow: /\n", "path-start", nil},
	{"no slash", "User-agent: *\nDisallow: private/\nAllow: ?a\n", "path-start",
		[]string{
			`2:11 [] matches nothing, because it does not begin with "/"`,
			`3:8 [] matches nothing, because it does not begin with "/"`,
		}},
	{"no pattern", "User-agent: *\nDisallow:\nSitemap: a\n", "path-start", nil},
	{"a wildcard first", "User-agent: *\nDisallow: *a\n", "path-start", nil},
	{"a URL", "User-agent: *\nAllow: http://a.example/\n", "path-start", []string{"2:8 [] matches nothing, because a pattern is a path, without scheme and host"}},
	{"a dollar at the end", "User-agent: *\nDisallow: /a$ # x\n", "dollar-not-last", nil},
	{"a dollar in the key", "User-agent: *\nDisallow: /$a/$b\n", "dollar-not-last",
		[]string{`2:12 [] this "$" is an ordinary character; only the last character of a pattern can mean the end of the URL`}},
	{"a dollar at the start", "User-agent: *\nDisallow: $a$\nAllow: $\n", "dollar-not-last",
		[]string{`2:11 [] this "$" is an ordinary character; only the last character of a pattern can mean the end of the URL`}},
	{"characters that URLs have as escapes", "User-agent: *\nDisallow: /\u00e9a\nAllow: /a b\nAllow: /a<b\nAllow: /a!b\n", "percent-encoding",
		[]string{
			"2:12 [] a URL has this character as an escape. RFC 9309 and Google's parser compare the two as equal, older crawlers do not",
			"3:10 [] URLs should have %20 in place of ' ' (RFC 3986). RFC 9309 compares the two as equal, Google's parser does not (also on line 4)",
		}},
	{"path-start or encoding speaks of it", "User-agent: *\nDisallow: a b\nDisallow: /\xe9 a\n", "percent-encoding", nil},
	{"the first of two", "User-agent: *\nDisallow: /%20%7e%2f%\n", "percent-encoding",
		[]string{"2:15 [] %7e is '~': RFC 9309 compares the two as equal, Google's parser does not"}},
	{"a slash before and in a query", "User-agent: *\nDisallow: /?%2F\nDisallow: /%2F?\nDisallow: /?%7E\n", "percent-encoding",
		[]string{
			`3:12 [] %2F is not "/" in a path: there, the pattern matches only URLs that have the escape`,
			"4:13 [] %7E is '~': RFC 9309 compares the two as equal, Google's parser does not",
		}},
	{"a broken escape", "User-agent: *\nDisallow: /50%-off\n", "percent-encoding",
		[]string{`2:14 [] this "%" begins no escape, and is read as an ordinary character; in URLs it is "%25"`}},
	{"an escape that is not needed", "User-agent: *\nDisallow: /%7ejoe\n", "percent-encoding",
		[]string{"2:12 [] %7e is '~': RFC 9309 compares the two as equal, Google's parser does not"}},
	{"an escaped slash", "User-agent: *\nDisallow: /a%2fb\n", "percent-encoding",
		[]string{`2:13 [] %2f is not "/" in a path: there, the pattern matches only URLs that have the escape`}},
	{"an escaped slash in a query", "User-agent: *\nDisallow: /a?b=%2Fc\n", "percent-encoding", nil},
	{"escapes that are needed", "User-agent: *\nDisallow: /%C3%A9%20%3F%2A%24\n", "percent-encoding", nil},
	{"any query", "User-agent: bingbot\nUser-agent: a\nDisallow: *?*\n", "blocks-all-queries", []string{"3:11 [bingbot] disallows every URL with a query, such as /page?name=value"}},
	{"any query with a value", "User-agent: *\nDisallow: /*?*=\nDisallow: */a\n\nUser-agent: bingbot\nDisallow: /*=\n", "blocks-all-queries",
		[]string{"2:11 [] disallows every URL with a query, such as /page?name=value", "6:11 [bingbot] disallows every URL with a query, such as /page?name=value"}},
	{"other queries", "User-agent: *\nDisallow: /*&\nDisallow: /*?=\nDisallow: /*==\nDisallow: /=\n", "blocks-all-queries", nil},
	{"everything is disallowed, queries too", "User-agent: *\nDisallow: /\nDisallow: /*?\n", "blocks-all-queries", nil},
	{"any query, for no search engine", "User-agent: GPTBot\nDisallow: /*?\n", "blocks-all-queries", nil},
	{"any query, outside of a group", "Disallow: /*?\n", "blocks-all-queries", nil},
	{"queries of the home page", "User-agent: *\nDisallow: /?\n", "blocks-all-queries", nil},
	{"an Allow", "User-agent: *\nDisallow: /a\nAllow: /*?\n", "blocks-all-queries", nil},
	{"everyone's queries", "User-agent: *\nDisallow: /*?*\n", "blocks-all-queries",
		[]string{"2:11 [] disallows every URL with a query, such as /page?name=value"}},
	{"one of two search engines", "User-agent: bingbot\nAllow: /*?n\nUser-agent: a\nUser-agent: Googlebot\nUser-agent: bingbot\nDisallow: /*?\n", "blocks-all-queries",
		[]string{"6:11 [Googlebot] disallows every URL with a query, such as /page?name=value"}},
	{"allowed again", "User-agent: *\nDisallow: /*?\nAllow: /*?*name=\n", "blocks-all-queries", nil},
	{"told once", "User-agent: a\nDisallow: /backup/\nUser-agent: b\nDisallow: /backup/\nDisallow: /wp-admin/\nAllow: /admin/\n", "paths-disclosed",
		[]string{`2:11 [] everybody can read this, and "backup" sounds private`}},
	{"capitals", "User-agent: *\nDisallow: /Backup.SQL\n", "paths-disclosed",
		[]string{`2:11 [] everybody can read this, and "Backup" sounds private`}},
	{"in a query", "User-agent: *\nDisallow: /?backup\n", "paths-disclosed", nil},
	{"letters outside of ASCII", "User-agent: *\nDisallow: /\u0161backup\u0161\n", "paths-disclosed",
		[]string{`2:11 [] everybody can read this, and "backup" sounds private`}},
	{"told together", "User-agent: a\nDisallow: /backup/\nDisallow: /x/secret\nDisallow: /b\nDisallow: /old.sql\n", "paths-disclosed",
		[]string{`2:11 [] everybody can read this, and "backup" sounds private (also on lines 3 and 5)`}},
	{"a comment turns one line off", "User-agent: a\nDisallow: /backup/ # heed-lint: ignore paths-disclosed\nDisallow: /secret\nDisallow: /db/\n", "paths-disclosed",
		[]string{`2:11 [] everybody can read this, and "backup" sounds private`, `3:11 [] everybody can read this, and "secret" sounds private (also on line 4)`}},
	{"escapes of two kinds", "User-agent: *\nDisallow: /%7ejoe\nDisallow: /a b\nDisallow: /%41nn\nDisallow: /c d\nDisallow: /e f\nDisallow: /g h\nDisallow: /i j\nDisallow: /k l\nDisallow: /m n\n", "percent-encoding",
		[]string{"2:12 [] %7e is '~': RFC 9309 compares the two as equal, Google's parser does not (also on line 4)",
			"3:13 [] URLs should have %20 in place of ' ' (RFC 3986). RFC 9309 compares the two as equal, Google's parser does not (also on lines 5, 6, 7, 8, 9 and 10)"}},
	{"a part of a word", "User-agent: a\nDisallow: /administration/\nDisallow: /secretary\n", "paths-disclosed", nil},
}

func TestPatternRules(t *testing.T) { checkCases(t, patternCases) }

var verdictCases = []ruleCase{
	{"everyone", "User-agent: a\nDisallow: /\nUser-agent: *\nDisallow: *\n", "block-all", []string{"4:11 [] disallows the whole site for every crawler" + stayAllowed}},
	{"everyone, and nobody is excepted", "User-agent: *\nDisallow: /\nUser-agent: a\nUser-agent: GPTBot\nDisallow: /\n", "block-all",
		[]string{"2:11 [] disallows the whole site for every crawler" + stayAllowed}},
	{"only crawlers for AI", "User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n", "block-all", nil},
	{"one search engine may come", "User-agent: *\nDisallow: /\nUser-agent: Googlebot\nDisallow: /a\n", "block-all", nil},
	{"robots.txt itself is allowed", "User-agent: *\nDisallow: /\nAllow: /robots.txt\nAllow: /robots.txt$\n", "block-all", []string{"2:11 [] disallows the whole site for every crawler" + stayAllowed}},
	{"robots.txt and a page are allowed", "User-agent: *\nDisallow: /\nAllow: /robots.txt\nAllow: /robots\n", "block-all", nil},
	{"one page is open", "User-agent: *\nDisallow: /\nAllow: /about\n", "block-all", nil},

	{"a rule that is written twice, and one that another rule repeats", "User-agent: *\nDisallow: /a\nDisallow: /b\nDisallow: /a\nDisallow: /b*\nDisallow: /b*\nAllow: /a$\nUser-agent: a\nDisallow: /c\n", "named-group-drops-wildcard",
		[]string{`8:13 [a] a may fetch /ax: the "*" group disallows it in line 2, but does not apply to crawlers with their own group; the same is true for 1 more rule`}},
	{"a group that also names a crawler of another group", "User-agent: *\nDisallow: /a\nUser-agent: a\nDisallow: /a\nUser-agent: a\nUser-agent: b\nDisallow: /c\n", "named-group-drops-wildcard",
		[]string{`6:13 [b] b may fetch /a: the "*" group disallows it in line 2, but does not apply to crawlers with their own group`}},
	{"the home page is not the site", "User-agent: *\nDisallow: /a\nDisallow: /b$\nUser-agent: a\nAllow: /$\nAllow: /b\nUser-agent: b\nAllow: /a$\nDisallow: */x\n", "named-group-drops-wildcard",
		[]string{
			`4:13 [a] a may fetch /a: the "*" group disallows it in line 2, but does not apply to crawlers with their own group`,
			`7:13 [b] b may fetch /b: the "*" group disallows it in line 3, but does not apply to crawlers with their own group`,
		}},
	{"only the home page is disallowed for everyone", "User-agent: *\nDisallow: /$\nUser-agent: a\nDisallow: /c\n", "named-group-drops-wildcard",
		[]string{`3:13 [a] a may fetch /: the "*" group disallows it in line 2, but does not apply to crawlers with their own group`}},
	{"meant: only some may come, and all see the home page", "User-agent: *\nAllow: /$\nDisallow: *\nDisallow: /\nUser-agent: a\nDisallow: /c\n", "named-group-drops-wildcard", nil},
	{"meant: a rule for the whole site", "User-agent: *\nDisallow: /a\nUser-agent: a\nAllow: /*\nUser-agent: b\nAllow: */\nUser-agent: c\nDisallow: *$\nUser-agent: d\nDisallow: /*$\n", "named-group-drops-wildcard", nil},
	{"two rules are dropped", "User-agent: *\nDisallow: /a\nDisallow: /b\nUser-agent: bingbot\nDisallow: /c\n", "named-group-drops-wildcard",
		[]string{`4:13 [bingbot] bingbot may fetch /a: the "*" group disallows it in line 2, but does not apply to crawlers with their own group; the same is true for 1 more rule`}},
	{"two of the three", "User-agent: *\nDisallow: /b\nDisallow: /a\nAllow: /b/c\nUser-agent: a\nUser-agent: AdsBot-Google\nUser-agent: b\nDisallow: /b\n", "named-group-drops-wildcard",
		[]string{`5:13 [a b] a and b may fetch /a: the "*" group disallows it in line 3, but does not apply to crawlers with their own group`}},
	{"the same three times", "User-agent: *\nDisallow: /a\nDisallow: /b\nDisallow: /c\nUser-agent: a\nDisallow: /x\n\nUser-agent: b\nDisallow: /y\n", "named-group-drops-wildcard",
		[]string{
			`5:13 [a b] a and b may fetch /a: the "*" group disallows it in line 2, but does not apply to crawlers with their own group; the same is true for 2 more rules`,
		}},
	{"more than a hundred", "User-agent: *\n" + numbered("Disallow: /%03d", 101) + "User-agent: a\nDisallow: /x\n", "named-group-drops-wildcard",
		[]string{`103:13 [a] a may fetch /000: the "*" group disallows it in line 2, but does not apply to crawlers with their own group; the same is true for at least 100 more rules`}},
	{"a hundred", "User-agent: *\n" + numbered("Disallow: /%03d", 100) + "User-agent: a\nDisallow: /x\n", "named-group-drops-wildcard",
		[]string{`102:13 [a] a may fetch /000: the "*" group disallows it in line 2, but does not apply to crawlers with their own group; the same is true for 99 more rules`}},
	{"many more", "User-agent: *\n" + numbered("Disallow: /%03d", 110) + "User-agent: a\nDisallow: /x\n", "named-group-drops-wildcard",
		[]string{`112:13 [a] a may fetch /000: the "*" group disallows it in line 2, but does not apply to crawlers with their own group; the same is true for at least 100 more rules`}},
	{"an Allow and a rule without effect", "User-agent: *\nDisallow: /c\nAllow: /c\nDisallow: /aa\nAllow: /aa/c\nUser-agent: a\nDisallow: /b\n", "named-group-drops-wildcard",
		[]string{`6:13 [a] a may fetch /aa: the "*" group disallows it in line 4, but does not apply to crawlers with their own group`}},
	{"the first in the file", "User-agent: *\nDisallow: /b\nUser-agent: c\nDisallow: /\nUser-agent: *\nDisallow: /aa\nUser-agent: a\nDisallow: /x\n", "named-group-drops-wildcard",
		[]string{`7:13 [a] a may fetch /b: the "*" group disallows it in line 2, but does not apply to crawlers with their own group; the same is true for 1 more rule`}},
	{"rules that are not needed", "User-agent: *\nDisallow: /a\nDisallow: /a/b\nAllow: /a/\nUser-agent: a\nDisallow: /a\n", "named-group-drops-wildcard", nil},
	{"meant: an empty rule elsewhere", "User-agent: *\nDisallow: /a\nUser-agent: a\nDisallow: /x\nUser-agent: a\nDisallow:\n", "named-group-drops-wildcard", nil},
	{"crawlers that lose the same rules", "User-agent: *\nDisallow: /a\nDisallow: /b\nUser-agent: bingbot\nDisallow: /c\nUser-agent: Yandex\nDisallow: /d\nUser-agent: GPTBot\nDisallow: /a\n", "named-group-drops-wildcard",
		[]string{`4:13 [bingbot Yandex] bingbot and Yandex may fetch /a: the "*" group disallows it in line 2, but does not apply to crawlers with their own group; the same is true for 1 more rule`,
			`8:13 [GPTBot] GPTBot may fetch /b: the "*" group disallows it in line 3, but does not apply to crawlers with their own group`}},
	{"a comment turns one of them off", "User-agent: *\nDisallow: /a\nUser-agent: b # heed-lint: ignore named-group-drops-wildcard\nDisallow: /c\nUser-agent: d\nDisallow: /d\n", "named-group-drops-wildcard",
		[]string{`3:13 [b] b may fetch /a: the "*" group disallows it in line 2, but does not apply to crawlers with their own group`,
			`5:13 [d] d may fetch /a: the "*" group disallows it in line 2, but does not apply to crawlers with their own group`}},
	{"meant: everything is allowed", "User-agent: *\nDisallow: /a\nUser-agent: a\nDisallow:\nUser-agent: b\nAllow: /\n", "named-group-drops-wildcard", nil},
	{"meant: allowed by name", "User-agent: *\nDisallow: /a\nUser-agent: a\nAllow: /a\nDisallow: /c\n", "named-group-drops-wildcard", nil},
	{"it never follows *", "User-agent: *\nDisallow: /a\nUser-agent: AdsBot-Google\nDisallow: /c\n", "named-group-drops-wildcard", nil},
	{"meant: only some may come", "User-agent: *\nDisallow: /\nUser-agent: a\nDisallow: /c\n", "named-group-drops-wildcard", nil},
	{"everything is disallowed", "User-agent: *\nDisallow: /a\nUser-agent: a\nDisallow: /\n", "named-group-drops-wildcard", nil},

	{"a shorter rule says the same", "User-agent: *\nDisallow: /x\nDisallow: /x/y\nAllow: /\nAllow: /z\n\nUser-agent: a\nDisallow: /x/y\n\nUser-agent: b\nDisallow: /n\nDisallow: /n/m\n", "rule-changes-nothing",
		[]string{"3:11 [] changes nothing: without it, every URL has the same verdict; that is true of each of these lines too: 5, 12"}},
	{"two rules", "User-agent: *\nDisallow: /x\nDisallow: /x/y\nDisallow: /x/z\n", "rule-changes-nothing",
		[]string{"3:11 [] changes nothing: without it, every URL has the same verdict; that is true of each of these lines too: 4"}},
	{"needed for another crawler", "User-agent: a\nUser-agent: b\nDisallow: /x/y\n\nUser-agent: a\nDisallow: /x\n", "rule-changes-nothing", nil},
	{"needed in Google's parser", "User-agent: *\nDisallow: /a:\nDisallow: /a%3Ab\n", "rule-changes-nothing", nil},
	{"it never decides", "User-agent: *\nDisallow: /a\nDisallow: /a\n", "rule-changes-nothing", nil},
	{"Allow: / is written on purpose", "User-agent: *\nAllow: /\n", "rule-changes-nothing", nil},

	{"the opposite decides", "User-agent: *\nDisallow: /a\nAllow: /a\n", "rule-never-decides",
		[]string{"2:11 [] has no effect: line 3 (Allow: /a) decides instead, and says the opposite"}},
	{"a longer pattern", "User-agent: a\nDisallow: /x\nDisallow: /x*\nDisallow: /y\n", "rule-never-decides",
		[]string{"2:11 [a] has no effect: line 3 (Disallow: /x*) decides instead"}},
	{"three equal rules", "User-agent: *\nDisallow: /a\nAllow: /b\nDisallow: /a\nDisallow: /a\n", "rule-never-decides",
		[]string{
			"4:11 [] has no effect: line 2 (Disallow: /a) decides instead",
			"5:11 [] has no effect: line 2 (Disallow: /a) decides instead",
		}},
	{"for two crawlers", "User-agent: a\nUser-agent: b\nDisallow: /x\nDisallow: /x*\n\nUser-agent: c\nDisallow: /x\nDisallow: /x*\n", "rule-never-decides",
		[]string{
			"3:11 [a b] has no effect: line 4 (Disallow: /x*) decides instead",
			"7:11 [c] has no effect: line 8 (Disallow: /x*) decides instead",
		}},
	{"the opposite in another group", "User-agent: a\nDisallow: /x\nUser-agent: b\nDisallow: /z\nUser-agent: a\nAllow: /x\nDisallow: /y\n", "rule-never-decides",
		[]string{"2:11 [a] has no effect: line 6 (Allow: /x) decides instead, and says the opposite"}},
	{"a longer one in another group", "User-agent: a\nDisallow: /x*\nUser-agent: a\nDisallow: /x\nDisallow: /y\n", "rule-never-decides",
		[]string{"4:11 [a] has no effect: line 2 (Disallow: /x*) decides instead"}},
	{"robots.txt itself", "User-agent: *\nDisallow: /robots.txt$\nDisallow: /b\n", "rule-never-decides",
		[]string{"2:11 [] has no effect: /robots.txt itself is always allowed"}},
	{"needed for Google's parser", "User-agent: *\nDisallow: /wiki/Special:\nDisallow: /wiki/Special%3A\n", "rule-never-decides", nil},
	{"robots.txt itself, for two crawlers", "User-agent: a\nUser-agent: b\nDisallow: /robots.txt$\nDisallow: /b\nUser-agent: a\nDisallow: /c\n", "rule-never-decides",
		[]string{"3:11 [a] has no effect: /robots.txt itself is always allowed"}},
	{"needed for the first of two", "User-agent: b\nUser-agent: a\nDisallow: /x\nUser-agent: a\nAllow: /x\n", "rule-never-decides", nil},
	{"needed for one crawler", "User-agent: a\nUser-agent: b\nDisallow: /x\nUser-agent: a\nAllow: /x\n", "rule-never-decides", nil},
	{"duplicate-group speaks of it", "User-agent: a\nDisallow: /x\n\nUser-agent: a\nDisallow: /x\nDisallow: /y\n", "rule-never-decides", nil},
	{"path-start speaks of it", "User-agent: *\nDisallow: x\n", "rule-never-decides", nil},

	{"equal patterns", "User-agent: *\nAllow: /a\nDisallow: /a\n", "tie", []string{"2:8 [] the Disallow of line 3 is equally long, and both match /a: RFC 9309 and Google allow it, some other parsers do not"}},
	{"one line for two crawlers", "User-agent: a\nUser-agent: b\nAllow: /a\nDisallow: /a\nUser-agent: a\nDisallow: /c\n", "tie",
		[]string{"3:8 [a] the Disallow of line 4 is equally long, and both match /a: RFC 9309 and Google allow it, some other parsers do not"}},
	{"the equally long one is about other URLs", "User-agent: *\nDisallow: /a\nDisallow: /xy\nAllow: /a/\n", "tie", nil},
	{"told once for two crawlers", "User-agent: a\nAllow: /a\nDisallow: /a\nUser-agent: b\nDisallow: /b\nUser-agent: a\nUser-agent: b\nAllow: /b\n", "tie",
		[]string{
			"2:8 [a] the Disallow of line 3 is equally long, and both match /a: RFC 9309 and Google allow it, some other parsers do not",
			"8:8 [b] the Disallow of line 5 is equally long, and both match /b: RFC 9309 and Google allow it, some other parsers do not",
		}},
	{"a longer rule decides", "User-agent: *\nAllow: /a$\nDisallow: /a\nDisallow: /b\nAllow: /b/\n", "tie", nil},
	{"equal patterns", "User-agent: *\nAllow: /a\nDisallow: /a\n", "tie", []string{"2:8 [] the Disallow of line 3 is equally long, and both match /a: RFC 9309 and Google allow it, some other parsers do not"}},
	{"a tie of two of three rules", "User-agent: *\nDisallow: /*c\nDisallow: /d\nAllow: /*d\n", "tie",
		[]string{"4:8 [] the Disallow of line 2 is equally long, and both match /cd: RFC 9309 and Google allow it, some other parsers do not"}},
	{"an Allow that is written twice", "User-agent: *\nAllow: /a\nDisallow: /a\nAllow: /a\n", "tie",
		[]string{"2:8 [] the Disallow of line 3 is equally long, and both match /a: RFC 9309 and Google allow it, some other parsers do not"}},
	{"two lengths", "User-agent: *\nAllow: /*/bb\nAllow: /*a\nDisallow: /*b\nDisallow: /*/cc\n", "tie",
		[]string{
			"2:8 [] the Disallow of line 5 is equally long, and both match /x/bb/cc: RFC 9309 and Google allow it, some other parsers do not",
			"3:8 [] the Disallow of line 4 is equally long, and both match /ab: RFC 9309 and Google allow it, some other parsers do not",
		}},
	{"where both match, a longer rule decides", "User-agent: *\nDisallow: /*c\nDisallow: /d\nAllow: /*d\nDisallow: /*c*d\nDisallow: /*d*c\n", "tie", nil},
	{"no URL matches both", "User-agent: *\nAllow: /a$\nDisallow: /b$\n", "tie", nil},

	{"an index page for some", "User-agent: b\nDisallow: /\n\nUser-agent: a\nAllow: /x/index.htm\nDisallow: /x/\nDisallow: /y/\nAllow: /y/index.html\n", "dialect-divergence",
		[]string{"5:8 [a] /x/ is disallowed in RFC 9309, and allowed for Google's parser"}},
	{"robots.txt itself in Google's parser", "User-agent: *\nDisallow: /\nDisallow: a$b\n", "dialect-divergence", nil},
	{"an index page", "User-agent: *\nDisallow: /a/\nAllow: /a/index.html\n", "dialect-divergence",
		[]string{"3:8 [] /a/ is disallowed in RFC 9309, and allowed for Google's parser"}},
	{"an index page behind its folder", "User-agent: *\nDisallow: /a/\nAllow: /a/index.html\n", "old-parsers",
		[]string{"3:8 [] /a/index.html is disallowed for old crawlers, which follow the draft of 1996: for them, the first rule that matches decides, in line 2"}},
	{"a name that old crawlers read in another way", "User-agent: *\nAllow: /\n\nUser-agent: a b\nDisallow: /\n", "old-parsers", nil},
	{"an empty line in a group", "User-agent: a\nDisallow: /a\n\nDisallow: /b\nDisallow: /c\n", "old-parsers",
		[]string{"4:11 [a] /b is allowed for old crawlers, which follow the draft of 1996: for them, an empty line above ends the group"}},
	{"percent-encoding speaks of it", "User-agent: *\nDisallow: /a b\n", "dialect-divergence", nil},
	{"an empty line above each rule", "User-agent: a\n\nDisallow: /a\n\nAllow: /a/b\nUser-agent: b\n\nDisallow: /c\n", "old-parsers",
		[]string{
			"3:11 [a] /a is allowed for old crawlers, which follow the draft of 1996: for them, an empty line above ends the group",
			"8:11 [b] /c is allowed for old crawlers, which follow the draft of 1996: for them, an empty line above ends the group",
		}},
	{"the first rule decides, with or without an empty line", "User-agent: a\nDisallow: /\n\nAllow: /x\nDisallow: /x/y\n", "old-parsers",
		[]string{"4:8 [a] /x is disallowed for old crawlers, which follow the draft of 1996: for them, the first rule that matches decides, in line 2"}},
	{"the first rule is also behind an empty line", "User-agent: a\n\nDisallow: /\nAllow: /x\n", "old-parsers",
		[]string{"3:11 [a] / is allowed for old crawlers, which follow the draft of 1996: for them, an empty line above ends the group"}},
	{"the first of two names has no rules for old crawlers", "User-agent: a\n\nUser-agent: b\nDisallow: /\nAllow: /x\n\nDisallow: /x/y\n", "old-parsers",
		[]string{"7:11 [a b] /x/y is allowed for old crawlers, which follow the draft of 1996: for them, an empty line above ends the group"}},
	{"a key that old crawlers do not read", "User-agent: a\nDisallow: /a\n\nUser agent: b\nDisallow: /b\n", "old-parsers", nil},
	{"a key that old crawlers do not read, and a rule above", "User-agent: a\nAllow: /\n\nUser agent: a\nDisallow: /b\n", "old-parsers", nil},
	{"a wildcard behind an empty line", "User-agent: a\n\nDisallow: /*.pdf\n", "old-parsers", nil},
	{"empty lines where they should be", "User-agent: a\nDisallow: /a\n\nUser-agent: b\nDisallow: /c\n\n", "old-parsers", nil},
	{"a rule without effect behind an empty line", "User-agent: a\nDisallow: /a\n\nDisallow: /a\nDisallow: /b\n", "old-parsers",
		[]string{"5:11 [a] /b is allowed for old crawlers, which follow the draft of 1996: for them, an empty line above ends the group"}},
	{"a Disallow behind a longer Allow", "User-agent: a\nAllow: /\nDisallow: /a\nDisallow: /b\nUser-agent: b\nUser-agent: c\nAllow: /x\nDisallow: /x/y\nDisallow: /x/z\n", "old-parsers",
		[]string{
			"3:11 [a] /a is allowed for old crawlers, which follow the draft of 1996: for them, the first rule that matches decides, in line 2",
			"8:11 [b c] /x/y is allowed for old crawlers, which follow the draft of 1996: for them, the first rule that matches decides, in line 7",
		}},
	{"marks are ordinary characters", "User-agent: *\nAllow: /\nDisallow: /a?b\nDisallow: /a$\n", "old-parsers", nil},
	{"wildcards are left out", "User-agent: *\nDisallow: /a\nAllow: /a*b\n", "old-parsers", nil},

	{"the default file of WordPress", "User-agent: *\nDisallow: /wp-admin/\nAllow: /wp-admin/admin-ajax.php\n\nSitemap: https://a.example/wp-sitemap.xml\n", "dialect-divergence", nil},
	{"dollar-not-last speaks of it", "User-agent: *\nDisallow: /*.doc$/\n", "dialect-divergence", nil},
	{"missing-colon speaks of it", "User-agent: *\nDisallow; /x\nDisallow: https://a/\n", "dialect-divergence", nil},
	{"a slash in a query, and another pattern that Google's parser reads in another way", "User-agent: *\nDisallow: /?q=admin/\nDisallow: /a%3Ab\n", "dialect-divergence",
		[]string{"3:11 [] /a:b is disallowed in RFC 9309, and allowed for Google's parser"}},

	{"noindex of an open path", "User-agent: *\nDisallow: /a\nNoindex: /b\n", "hidden-noindex", nil},
	{"noindex for no search engine", "User-agent: GPTBot\nDisallow: /a\nNoindex: /a\n", "hidden-noindex", nil},
	{"noindex in no group, or of nothing", "Noindex: /a\nUser-agent: *\nDisallow: /\nNoindex:\nNofollow: /a\n", "hidden-noindex", nil},
	{"noindex of an allowed path", "User-agent: *\nDisallow: /a\nAllow: /a/b\nNoindex: /a/b\nNoindex: a\n", "hidden-noindex", nil},
	{"noindex for one of two", "User-agent: a\nNOINDEX: /a\x1b\nUser-agent: bingbot\nDisallow: /a\n", "hidden-noindex",
		[]string{"2:10 [bingbot] line 4 disallows /a, so no search engine sees a noindex there"}},
	{"noindex of a closed path", "User-agent: *\nDisallow: /a\nnoindex: /a/*$\n", "hidden-noindex", []string{"3:10 [] line 2 disallows /a/, so no search engine sees a noindex there"}},
}

func TestVerdictRules(t *testing.T) { checkCases(t, verdictCases) }

// stayAllowed is the end of a message about block-all.
const stayAllowed = `; these do not follow "*" and stay allowed: AdsBot-Google, AdsBot-Google-Mobile, APIs-Google, Mediapartners-Google, YandexMobileBot`

// TestBlockAllSearch is about a file that shuts out all search engines, and lets others come.
func TestBlockAllSearch(t *testing.T) {
	findings := findingsOf("User-agent: *\nDisallow: /\nUser-agent: GPTBot\nUser-agent: a\nDisallow: /x\n", "block-all")
	if len(findings) != 1 || !slices.Contains(findings[0].Crawlers, "bingbot") || !slices.Contains(findings[0].Crawlers, "Googlebot") || slices.Contains(findings[0].Crawlers, "GPTBot") {
		t.Fatalf("%+v", findings)
	}
	if got, want := findings[0].Message, "disallows the whole site for every known search engine; only GPTBot and a may fetch something"+stayAllowed; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// TestBlockAllExceptions is about files in which one crawler may come, or all except search engines.
func TestBlockAllExceptions(t *testing.T) {
	findings := findingsOf("User-agent: *\nDisallow: /\nUser-agent: a\nDisallow: /x\n", "block-all")
	if want := "disallows the whole site for every known search engine; only a may fetch something" + stayAllowed; len(findings) != 1 || findings[0].Message != want {
		t.Errorf("%+v", findings)
	}
	var b strings.Builder
	for _, c := range searchCrawlers() {
		for _, name := range c.Agents() {
			b.WriteString("User-agent: " + name + "\n")
		}
	}
	if findings := findingsOf(b.String()+"Disallow: /\n", "block-all"); len(findings) != 0 {
		t.Errorf("\"*\" is open: %+v", findings)
	}
}
