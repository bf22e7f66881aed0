package lint

import (
	"slices"
	"testing"
)

var groupCases = []ruleCase{
	{"for nobody", "User-agent:\nDisallow: /a\nDisallow: /b\n", "empty-agent", []string{"1:1 [] names no crawler, so 2 rules are for nobody"}},
	{"beside a name", "User-agent: a\nUser-agent: # all\nDisallow: /a\n", "empty-agent", []string{"2:1 [] names no crawler"}},

	{"for nobody, one rule", "User-agent:\nAllow: /a\n", "empty-agent", []string{"1:1 [] names no crawler, so 1 rule is for nobody"}},
	{"no rule", "User-agent:\nHost: a\n", "empty-agent", []string{"1:1 [] names no crawler"}},
	{"with versions and empty places", "User-agent: MJ12bot/1.4 , , bot | GPTBot/1\nDisallow: /\n", "agent-list",
		[]string{`1:13 [MJ12bot bot GPTBot] one line names one crawler: only "MJ" is read here, and bot and GPTBot are not`}},
	{"one is no name", "User-agent: GPTBot, 007\nUser-agent: GPTBot,\nUser-agent: ,\nUser-agent: GPTBot,/\nDisallow: /\n", "agent-list", nil},
	{"in a comment", "# a, b\nDisallow: /a,b\nHost: a, b\nUser-agent: a # b, c\n", "agent-list", nil},
	{"everyone behind a name", "User-agent: GPTBot, *\nDisallow: /\n", "agent-list",
		[]string{`1:13 [] one line names one crawler: only "GPTBot" is read here, and * is not`}},
	{"a list", "User-agent: GPTBot, CCBot;Bytespider\nDisallow: /\n", "agent-list",
		[]string{`1:13 [GPTBot CCBot Bytespider] one line names one crawler: only "GPTBot" is read here, and CCBot and Bytespider are not`}},
	{"everyone in a list", "User-agent: *, GPTBot\nDisallow: /\n", "agent-list",
		[]string{"1:13 [] one line names one crawler; this one is read as naming nobody"}},
	{"known names with spaces", "User-agent: GPTBot CCBot\nDisallow: /\n", "agent-list",
		[]string{`1:13 [GPTBot CCBot] one line names one crawler: only "GPTBot" is read here, and CCBot is not`}},
	{"names with signs and words between", "User-agent: GPTBot & CCBot\nUser-agent: bingbot and Googlebot\nUser-agent: ClaudeBot+CCBot or GPTBot\nDisallow: /\n", "agent-list",
		[]string{`1:13 [GPTBot CCBot] one line names one crawler: only "GPTBot" is read here, and CCBot is not`,
			`2:13 [bingbot Googlebot] one line names one crawler: only "bingbot" is read here, and Googlebot is not`,
			`3:13 [ClaudeBot CCBot GPTBot] one line names one crawler: only "ClaudeBot" is read here, and CCBot and GPTBot are not`}},
	{"a name behind everyone", "User-agent: * Googlebot\nDisallow: /\n", "agent-list",
		[]string{`1:13 [] one line names one crawler: only "*" is read here, and Googlebot is not`}},
	{"a name with a sign, and one with a word", "User-agent: RepoMonkey Bait & Tackle/v1.01\nUser-agent: Search and Find\nDisallow: /\n", "agent-list", nil},
	{"a name of several words", "User-agent: Sogou web spider\nDisallow: /\n", "agent-list", nil},
	{"a User-Agent header", "User-agent: Mozilla/5.0 (compatible; GPTBot/1.0; +https://a.example)\nUser-agent: Baiduspider/2.0;+http://a.example\nDisallow: /\n", "agent-list", nil},

	{"a record between", "User-agent: bingbot\nCrawl-delay: 1\nUser-agent: GPTBot\nDisallow: /x\n", "groups-merged",
		[]string{"3:13 [bingbot] Crawl-delay above is no rule, so this line is in one group with line 1: bingbot also follows the rules below, which disallow /x"}},
	{"an empty line between", "User-agent: *\n\nUser-agent: GPTBot\nDisallow: /x\n", "groups-merged",
		[]string{`3:13 [] an empty line above is no rule, so this line is in one group with line 1: every other crawler ("*") also follows the rules below, which disallow /x`}},
	{"three groups", "User-agent: a\nCrawl-delay: 1\n\nUser-agent: b\nCrawl-delay: 2\n\nUser-agent: c\nDisallow: /\n", "groups-merged",
		[]string{"4:13 [a] Crawl-delay above is no rule, so this line is in one group with line 1: a also follows the rules below, which disallow /",
			"7:13 [b] Crawl-delay above is no rule, so this line is in one group with line 4: b also follows the rules below, which disallow /"}},
	{"a Sitemap between", "User-agent: a\nSitemap: https://a.example/\n\nUser-agent: b\nDisallow: /x\n", "groups-merged",
		[]string{"4:13 [a] Sitemap above is no rule, so this line is in one group with line 1: a also follows the rules below, which disallow /x"}},
	{"an odd record between", "User-agent: a\nx\x1by: 1\nUser-agent: b\nDisallow: /\x1b\n", "groups-merged",
		[]string{"3:13 [a] x\\x1by above is no rule, so this line is in one group with line 1: a also follows the rules below, which disallow /"}},
	{"several above", "User-agent: a\nUser-agent: b\nHost: c\nUser-agent: d\nUser-agent: e\nDisallow: /x\n", "groups-merged",
		[]string{"4:13 [a b] Host above is no rule, so this line is in one group with line 2: a also follows the rules below, which disallow /x"}},
	{"rules elsewhere", "User-agent: a\nHost: c\nUser-agent: b\nDisallow: /x\n\nUser-agent: a\nDisallow: /y\n", "groups-merged", nil},
	{"nobody above", "User-agent:\nHost: c\nUser-agent: b\nDisallow: /x\n", "groups-merged", nil},
	{"rules elsewhere for the first of two", "User-agent: a\nUser-agent: d\nHost: c\nUser-agent: b\nDisallow: /x\n\nUser-agent: a\nDisallow: /y\n", "groups-merged",
		[]string{"4:13 [a d] Host above is no rule, so this line is in one group with line 2: d also follows the rules below, which disallow /x"}},
	{"an empty line and a record", "User-agent: a\nHost: c\n\nUser-agent: b\n\nDisallow: /\n", "groups-merged",
		[]string{"4:13 [a] Host above is no rule, so this line is in one group with line 1: a also follows the rules below, which disallow /"}},
	{"an empty line and a comment", "User-agent: a\n\n# b\nUser-agent: b\nDisallow: /\n", "groups-merged",
		[]string{"4:13 [a] an empty line above is no rule, so this line is in one group with line 1: a also follows the rules below, which disallow /"}},
	{"nothing behind", "User-agent: a\n\nUser-agent: b\n", "groups-merged", nil},
	{"empty lines everywhere", "User-agent: a\n\nUser-agent: b\n\nDisallow: /\n", "groups-merged", nil},
	{"only a comment between", "User-agent: a\n# and\nUser-agent: b\nDisallow: /\n", "groups-merged", nil},
	{"nothing is disallowed", "User-agent: a\nCrawl-delay: 1\nUser-agent: b\nAllow: /\n", "groups-merged", nil},
	{"an empty rule ends a group", "User-agent: a\nDisallow:\n\nUser-agent: b\nDisallow: /\n", "groups-merged", nil},

	{"a version", "User-agent: GPTBot/1.0\nDisallow: /\n", "agent-not-token", []string{`1:13 [] crawlers read only "GPTBot" of this name`}},
	{"a header", "User-agent: Mozilla/5.0 (compatible; GPTBot/1.0; +https://a.example)\nDisallow: /\n", "agent-not-token",
		[]string{`1:13 [] crawlers read only "Mozilla" of this name; the product token in it is "GPTBot"`}},
	{"two tokens", "User-agent: GPTBot, \nUser-agent: a b\nDisallow: /\n", "agent-not-token",
		[]string{
			`1:13 [] crawlers read only "GPTBot" of this name`,
			`2:13 [] crawlers read only "a" of this name`,
		}},
	{"an empty name", "User-agent:\nUser-agent: a\nUser-agent: *\nUser-agent: a, b\nDisallow: /\n", "agent-not-token", nil},
	{"everyone, and more", "User-agent: * all\nUser-agent: *bot\nDisallow: /\n", "agent-not-token",
		[]string{`2:13 [] names no crawler: a product token begins with a letter, "_" or "-"`}},
	{"no token", "User-agent: 007\nDisallow: /\n", "agent-not-token", []string{`1:13 [] names no crawler, so 1 rule is for nobody: a product token begins with a letter, "_" or "-"`}},
	{"R-2: a known crawler that no line can name", "User-agent: 360spider\nDisallow: /\n\nUser-agent: 008\nUser-agent: a\nDisallow: /\n", "agent-not-token",
		[]string{
			`1:13 [360Spider] names no crawler, so 1 rule is for nobody: a product token begins with a letter, "_" or "-", and the name of this crawler does not; only a group for "*" can apply`,
			`4:13 [008] names no crawler: a product token begins with a letter, "_" or "-", and the name of this crawler does not; only a group for "*" can apply`,
		}},
	{"names that their crawlers have", "User-agent: Mediapartners-Google*\nUser-agent: Sogou web spider\nDisallow: /\n", "agent-not-token", nil},
	{"a word behind a name that has other ones", "User-agent: Sogou news\nDisallow: /\n", "agent-not-token", []string{`1:13 [] crawlers read only "Sogou" of this name`}},
	{"two full names of one crawler", "User-agent: Sogou web spider\nDisallow: /a\n\nUser-agent: Sogou inst spider\nDisallow: /b\n", "duplicate-group", nil},
	{"the token of a known crawler", "User-agent: MJ12bot\nDisallow: /\n", "agent-not-token", nil},
	{"control characters", "User-agent: a\x1b[1m\nDisallow: /\n", "agent-not-token", []string{`1:13 [] crawlers read only "a" of this name`}},

	{"two groups for everyone", "User-agent: *\nDisallow: /a\nUser-agent: *\nDisallow: /b\n", "duplicate-group",
		[]string{`3:13 [] "*" already has a group, in line 1; not all crawlers join the two`}},
	{"another letter case", "User-agent: b\nUser-agent: GPTBot\nDisallow: /a\nUser-agent: gptbot\nDisallow: /b\n", "duplicate-group",
		[]string{`4:13 [gptbot] "gptbot" already has a group, in line 2; not all crawlers join the two`}},
	{"three groups for one", "User-agent: a\nDisallow: /a\n\nUser-agent: b\nUser-agent: A\nUser-agent: B\nDisallow: /b\n\nUser-agent: b\nUser-agent: a\nDisallow: /c\n", "duplicate-group",
		[]string{
			`5:13 [A] "A" already has a group, in line 1; not all crawlers join the two`,
			`9:13 [b] "b" already has a group, in line 4; not all crawlers join the two`,
		}},
	{"named again in a group, and in the next", "User-agent: a\nUser-agent: a\nDisallow: /a\nUser-agent: a\nDisallow: /b\n", "duplicate-group",
		[]string{`4:13 [a] "a" already has a group, in line 1; not all crawlers join the two`}},
	{"a rule for another crawler, written twice", "User-agent: a\nCrawl-delay: 1\nUser-agent: b\nDisallow: /x\nDisallow: /x\n", "groups-merged",
		[]string{"3:13 [a] Crawl-delay above is no rule, so this line is in one group with line 1: a also follows the rules below, which disallow /x"}},
	{"nobody twice", "User-agent:\nDisallow: /a\nUser-agent:\nDisallow: /b\n", "duplicate-group", nil},
	{"a misspelt name", "User-agent: Googelbot\nDisallow: /\nUser-agent: a\nUser-agent: GPT-Bot/1.0 # ai\nUser-agent: claudbot\nUser-agent: GooglebotNews\nDisallow: /\n", "agent-misspelt",
		[]string{
			`1:13 [Googlebot] no known crawler has the name "Googelbot"; did you mean Googlebot?`,
			`4:13 [GPTBot] no known crawler has the name "GPT-Bot"; did you mean GPTBot?`,
			`5:13 [ClaudeBot] no known crawler has the name "claudbot"; did you mean ClaudeBot?`,
			`6:13 [Googlebot-News] no known crawler has the name "GooglebotNews"; did you mean Googlebot-News?`,
		}},
	{"a misspelt name again", "User-agent: Googelbot\nDisallow: /\nUser-agent: googelbot\nDisallow: /a\n", "agent-misspelt",
		[]string{`1:13 [Googlebot] no known crawler has the name "Googelbot"; did you mean Googlebot? (also on line 3)`}},
	{"a misspelt name beside the right one", "User-agent: Googelbot\nDisallow: /\nUser-agent: GOOGLEBOT\nDisallow: /a\n", "agent-misspelt",
		[]string{`1:13 [Googlebot] no known crawler has the name "Googelbot"; did you mean Googlebot?`}},
	{"another form of a name with other rules", "User-agent: GPT-Bot\nDisallow: /a\nUser-agent: gptbot\nDisallow: /b\n", "agent-misspelt",
		[]string{`1:13 [GPTBot] no known crawler has the name "GPT-Bot"; did you mean GPTBot?`}},
	{"another form of a name beside the right one", "User-agent: GPT-Bot\nDisallow: /\nUser-agent: gptbot\nDisallow: /\n", "agent-misspelt", nil},
	{"names of other crawlers", "User-agent: *\nUser-agent: NPBot\nUser-agent: Googlish\nUser-agent: MJ12bot\nDisallow: /\n", "agent-misspelt", nil},
	{"the name of an operator", "User-agent: apple\nUser-agent: Amazon # all\nUser-agent: LinkedIn\nDisallow: /\n", "agent-misspelt",
		[]string{
			`1:13 [] "Apple" is the name of an operator, not of a crawler; its crawlers are Applebot, Applebot-Extended, iTMS`,
			`2:13 [] "Amazon" is the name of an operator, not of a crawler; its crawlers are amazon-kendra, amazon-QBusiness, AmazonAdBot, Amazonbot, AmazonBuyForMe and 4 others`,
			`3:13 [] "LinkedIn" is the name of an operator, not of a crawler; its crawler is LinkedInBot`,
		}},
	{"an operator and a crawler with one name, and no operator", "User-agent: OpenAI\nUser-agent: unknown\nUser-agent: users\nDisallow: /\n", "agent-misspelt", nil},
	{"other names that begin alike", "User-agent: https://a.example\nDisallow: /\nUser-agent: https://b.example\nDisallow: /\n", "duplicate-group", nil},
	{"twice in one group", "User-agent: a\nUser-agent: a\nDisallow: /a\n", "duplicate-group", nil},
}

func TestGroupRules(t *testing.T) { checkCases(t, groupCases) }

// fixCases have a file, a code, and the file with the first fix for this code.
var fixCases = []struct {
	name, body, code, want string
	safe                   bool
}{
	{"a line for each crawler", "User-agent: GPTBot, CCBot # ai\r\nDisallow: /\r\n", "agent-list", "User-agent: GPTBot\r\nUser-agent: CCBot # ai\r\nDisallow: /\r\n", false},
	{"without the version", "User-agent: GPTBot/1.0\nDisallow: /\n", "agent-not-token", "User-agent: GPTBot\nDisallow: /\n", true},
	{"the token of a header", "User-agent: Mozilla/5.0 (compatible; GPTBot/1.0)\nDisallow: /\n", "agent-not-token", "User-agent: GPTBot\nDisallow: /\n", false},
	{"the right name", "User-agent: GPT-Bot/1.0 # ai\nDisallow: /\nUser-agent: gptbots\nUser-agent: gpt-bot\nAllow: /\n", "agent-misspelt",
		"User-agent: GPTBot/1.0 # ai\nDisallow: /\nUser-agent: gptbots\nUser-agent: GPTBot\nAllow: /\n", false},
	{"end the group", "User-agent: a\nCrawl-delay: 1\n\nUser-agent: b\nDisallow: /\n", "groups-merged", "User-agent: a\nDisallow:\nCrawl-delay: 1\n\nUser-agent: b\nDisallow: /\n", false},
	{"join neighbours", "User-agent: *\nDisallow: /a\n\n# more\nUser-agent: *\nCrawl-delay: 1\nDisallow: /b", "duplicate-group", "User-agent: *\nDisallow: /a\n# more\nCrawl-delay: 1\nDisallow: /b", true},
	{"join neighbours with empty lines, at which groups end in old dialects", "User-agent: *\n\nDisallow: /a\n \n\nUser-agent: *\n\nDisallow: /b\n\nDisallow: /c\n", "duplicate-group", "User-agent: *\n\nDisallow: /a\nDisallow: /b\n\nDisallow: /c\n", true},
	{"join over another group", "User-agent: a\nDisallow: /a\n\nUser-agent: b\nDisallow: /\n\nUser-agent: A\nDisallow: /c\n", "duplicate-group", "User-agent: a\nDisallow: /a\nDisallow: /c\n\nUser-agent: b\nDisallow: /\n\n", true},
	{"a group for others too", "User-agent: a\nDisallow: /a\nUser-agent: a\nUser-agent: b\nDisallow: /c\n", "duplicate-group", "", false},
	{"a delay would be left behind", "User-agent: a\nDisallow: /a\nUser-agent: b\nDisallow: /\nUser-agent: a\nCrawl-delay: 1\nDisallow: /c\n", "duplicate-group", "", false},

	{"everyone is meant", "  User-agent :\t\r\nDisallow: /\r\n", "empty-agent", "  User-agent: *\r\nDisallow: /\r\n", false},
	{"a comment says who is meant", "User-agent: # all\nDisallow: /\n", "empty-agent", "", false},
	{"a group without a rule", "User-agent: a\nDisallow: /a\nUser-agent: b\nDisallow: /b\nUser-agent: a\n", "duplicate-group", "", false},
	{"a first group with an empty rule", "User-agent: a\nDisallow:\nUser-agent: b\nDisallow: /b\nUser-agent: a\nDisallow: /c\n", "duplicate-group", "User-agent: a\nDisallow:\nDisallow: /c\nUser-agent: b\nDisallow: /b\n", true},
	{"a delay of another group", "User-agent: a\nDisallow: /a\nUser-agent: b\nCrawl-delay: 1\nDisallow: /b\nUser-agent: a\nDisallow: /c\n", "duplicate-group", "User-agent: a\nDisallow: /a\nDisallow: /c\nUser-agent: b\nCrawl-delay: 1\nDisallow: /b\n", true},
	{"neighbours with a delay", "User-agent: a\nDisallow: /a\nUser-agent: a\nCrawl-delay: 1\nDisallow: /c\n", "duplicate-group", "User-agent: a\nDisallow: /a\nCrawl-delay: 1\nDisallow: /c\n", true},
	{"two names in another order", "User-agent: a\nUser-agent: b\nUser-agent: b\nDisallow: /a # x\nUser-agent: c\nDisallow: /c\nUser-agent: B\nUser-agent: A # y\nAllow: /b # z\r\nDisallow: /d", "duplicate-group",
		"User-agent: a\nUser-agent: b\nUser-agent: b\nDisallow: /a # x\nAllow: /b # z\r\nDisallow: /d\r\nUser-agent: c\nDisallow: /c\n# y\n", true},
	{"a record in a list", "User-agent: GPTBot | CCBot|a\nDisallow: /\n", "agent-list", "User-agent: GPTBot\nUser-agent: CCBot\nUser-agent: a\nDisallow: /\n", false},
	{"a slash, proved", "User-agent: *\nDisallow: /private\nDisallow: private/a\n", "path-start", "User-agent: *\nDisallow: /private\nDisallow: /private/a\n", true},
	{"a slash", "User-agent: *\nDisallow: private/\n", "path-start", "User-agent: *\nDisallow: /private/\n", false},
	{"the path of a URL", "User-agent: *\nDisallow: https://a.example/b?c\n", "path-start", "User-agent: *\nDisallow: /b?c\n", false},
	{"a second colon", "User-agent: *\nDisallow::\n", "path-start", "User-agent: *\nDisallow:/:\n", false},
	{"a host or a folder", "User-agent: *\nDisallow: www.a.example/b\n", "path-start", "", false},
	{"a file name extension", "User-agent: *\nDisallow: .pdf$\n", "path-start", "User-agent: *\nDisallow: /*.pdf$\n", false},
	{"escapes", "User-agent: *\nDisallow: /caf\u00e9\n", "percent-encoding", "User-agent: *\nDisallow: /caf%C3%A9\n", true},
	{"escapes that Google does not write", "User-agent: *\nDisallow: /a b\n", "percent-encoding", "User-agent: *\nDisallow: /a%20b\n", false},

	{"escapes of several lines", "User-agent: *\nDisallow: /caf\u00e9\nDisallow: /a b\nDisallow: /\u00fc\n", "percent-encoding", "User-agent: *\nDisallow: /caf%C3%A9\nDisallow: /a b\nDisallow: /%C3%BC\n", true},
	{"an exponent", "User-agent: *\nCrawl-delay: 1.5e3\nDisallow: /a\n", "crawl-delay-invalid", "User-agent: *\nCrawl-delay: 1500\nDisallow: /a\n", true},

	{"an equal rule", "User-agent: *\nDisallow: /a\nDisallow: /a\n", "rule-never-decides", "User-agent: *\nDisallow: /a\n", true},
	{"an equal rule with a comment", "User-agent: *\nDisallow: /a\nDisallow: /a # ticket 42\n", "rule-never-decides", "User-agent: *\nDisallow: /a\n# ticket 42\n", true},
	{"an equal rule with a comment for heed", "User-agent: *\nDisallow: /a\nDisallow: /a # heed-lint: ignore tie\nDisallow: /b\n", "rule-never-decides", "User-agent: *\nDisallow: /a\nDisallow: /b\n", true},
	{"join neighbours with comments", "User-agent: *\nDisallow: /a\nUser-agent: * # shop\nDisallow: /b # b\n", "duplicate-group", "User-agent: *\nDisallow: /a\n# shop\nDisallow: /b # b\n", true},
	{"Google's parser reads another rule", "User-agent: *\nDisallow: /a\nDisallow: /a\nDisallowAI: /b\n", "rule-never-decides", "", false},
	{"Google's parser reads another User-agent line", "User-agent: a\nUser-agentx: b\nDisallow: /a\nDisallow: /a\n", "rule-never-decides", "", false},
	{"the only rule of its group", "User-agent: a\nDisallow: /x\nUser-agent: b\nDisallow: /z\nUser-agent: a\nAllow: /x\nDisallow: /y\n", "rule-never-decides", "", false},
	{"the only rule of a group", "User-agent: a\nDisallow: /robots.txt$\nUser-agent: *\nDisallow: /\n", "rule-never-decides", "", false},
}

func TestFixes(t *testing.T) {
	for _, c := range fixCases {
		findings := Check([]byte(c.body))
		i := slices.IndexFunc(findings, func(f Finding) bool { return f.Code == c.code })
		if i < 0 {
			t.Errorf("%s: no finding %s in %q", c.name, c.code, c.body)
			continue
		}
		fix := findings[i].Fix
		if fix == nil || c.want == "" {
			if fix != nil || c.want != "" {
				t.Errorf("%s: fix %v, want %q", c.name, fix, c.want)
			}
			continue
		}
		fixed, _ := Apply([]byte(c.body), []Fix{*fix})
		if string(fixed) != c.want || fix.Safe != c.safe || fix.Safe && !ChangesNothing([]byte(c.body), fixed) {
			t.Errorf("%s: %q, safe %v, want %q, %v", c.name, fixed, fix.Safe, c.want, c.safe)
		}
	}
}

// A fix must not write "k" in place of "k2spider": nobody would know any more who is meant.
func TestNoFixWritesAPiece(t *testing.T) {
	for value, want := range map[string]string{
		"GPTBot/1.0": "GPTBot", "a/2": "a", "a 2.0": "a", "a*": "a", "Sogou web": "Sogou",
		"k2spider": "", "peer39_crawler/1.0": "", "scoop.it": "", "*bot": "", "/1.0": "", "Mozilla/5.0 (compatible; OtherBot/1.0)": "OtherBot", "Ask n read": "", "https://a.example": "",
	} {
		for _, found := range findingsOf("User-agent: "+value+"\nDisallow: /\n", "agent-not-token") {
			got := ""
			if found.Fix != nil {
				got = found.Fix.Edits[0].Text
			}
			if got != want {
				t.Errorf("%s: the fix writes %q, want %q", value, got, want)
			}
		}
	}
}
