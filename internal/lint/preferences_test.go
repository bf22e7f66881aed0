package lint

import (
	"strings"
	"testing"
)

var preferenceCases = []ruleCase{
	{"both in no group", "Content-Usage: train-ai=n\nContent-Signal: search=yes\nUser-agent: *\nContent-Signal: search=yes\n", "signal-outside-group",
		[]string{"1:1 [] no User-agent line is before this Content-Usage, so it is for no crawler", "2:1 [] no User-agent line is before this Content-Signal, so it is for no crawler"}},

	{"of two carriers another rule speaks", "User-agent: *\nContent-Signal: search=yes, ai-train=yes\nContent-Usage: search=y, train-ai=n\n", "signal-contradicts", nil},
	{"the same group in two parts", "User-agent: A\nUser-agent: b\nContent-Signal: search=yes\nDisallow:\nUser-agent: c\nUser-agent: a\nContent-Signal: SEARCH = no\n", "signal-contradicts",
		[]string{"7:17 [a] search=no contradicts search=yes in line 3"}},
	{"for the root", "User-agent: *\nContent-Usage: / train-ai=n\nContent-Usage: train-ai=y\n", "signal-contradicts",
		[]string{"3:16 [] train-ai=y contradicts train-ai=n in line 2"}},
	{"for the same path", "User-agent: *\nContent-Usage: /a train-ai=n\nContent-Usage: /a search=n, train-ai=y\n", "signal-contradicts",
		[]string{"3:29 [] train-ai=y contradicts train-ai=n in line 2"}},
	{"two contradictions in a line", "User-agent: *\nContent-Signal: search=yes, ai-train=yes\nContent-Signal: search=no, ai-train=no\nContent-Usage: search=n\n", "signal-contradicts",
		[]string{
			"3:17 [] search=no contradicts search=yes in line 2",
		}},
	{"the same again", "User-agent: *\nContent-Signal: search=yes, ai-input=no\nContent-Usage: search=y, train-ai=y\nContent-Signal: search=yes, ai-train=yes\n", "signal-contradicts", nil},
	{"other uses", "User-agent: *\nContent-Usage: x=y\nContent-Usage: x=n\nContent-Signal: use=full\nContent-Signal: use=reference\n", "signal-contradicts", nil},
	{"a wrong value", "User-agent: *\nContent-Usage: train-ai=z\nContent-Usage: train-ai=y\nContent-Signal: ai-train=z\n", "signal-contradicts", nil},
	{"in no group, and nobody", "Content-Signal: search=yes\nUser-agent:\nContent-Signal: search=no, search=yes\nHost: a\n", "signal-contradicts", nil},
	{"for some of the crawlers", "User-agent: a\nContent-Signal: search=yes\nDisallow:\nUser-agent: b\nContent-Signal: search=no\nDisallow:\nUser-agent: c\nUser-agent: a\nUser-agent: B\nUser-agent: A\nContent-Signal: search=no\nContent-Signal: search=yes\n", "signal-contradicts",
		[]string{
			"11:17 [a] search=no contradicts search=yes in line 2",
			"12:17 [c] search=yes contradicts search=no in line 11",
		}},
	{"one crawler in two ways of writing", "User-agent: a\nUser-agent: A\nContent-Signal: search=yes\nContent-Signal: search=no\n", "signal-contradicts",
		[]string{"4:17 [a] search=no contradicts search=yes in line 3"}},
	{"everyone and a crawler", "User-agent: a\nUser-agent: *\nContent-Signal: search=yes\nContent-Signal: search=no\n", "signal-contradicts",
		[]string{"4:17 [] search=no contradicts search=yes in line 3"}},
	{"a usage that is granted to all", "User-agent: *\nContent-Usage: search=y\nDisallow: /\n", "signal-contradicts",
		[]string{"2:16 [] search=y grants a use, but the crawlers for it may fetch no page (line 3: Disallow: /)"}},
	{"a usage for a path", "User-agent: *\nContent-Usage: /a search=y\nDisallow: /\n", "signal-contradicts", nil},
	{"AI search", "User-agent: OAI-SearchBot\nContent-Signal: ai-input=yes\nDisallow: /\n", "signal-contradicts",
		[]string{"2:17 [OAI-SearchBot] ai-input=yes grants a use, but the crawlers for it may fetch no page (line 3: Disallow: /)"}},
	{"a user's question", "User-agent: ChatGPT-User\nContent-Signal: ai-input=yes\nDisallow: /\n", "signal-contradicts",
		[]string{"2:17 [ChatGPT-User] ai-input=yes grants a use, but the crawlers for it may fetch no page (line 3: Disallow: /)"}},
	{"a search engine", "User-agent: bingbot\nContent-Signal: search=yes, ai-train=yes\nDisallow: /\n", "signal-contradicts",
		[]string{"2:17 [bingbot] search=yes grants a use, but the crawlers for it may fetch no page (line 3: Disallow: /)"}},
	{"an unknown crawler", "User-agent: a\nContent-Signal: search=yes\nDisallow: /\n", "signal-contradicts", nil},
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

	{"AI-15: words of Content-Signal", "User-agent: *\nContent-Usage: /a ai-train=no, search=y, AI-Input=YES\n", "usage-wrong-vocabulary",
		[]string{`2:19 [] "ai-train=no" is in the words of Content-Signal, so the whole line says nothing; probably it means "train-ai=n, ai-use=y"`}},
	{"AI-15: its values alone", "User-agent: *\nContent-Usage: train-ai=no, search=yes;x=1\n", "usage-wrong-vocabulary",
		[]string{`2:16 [] "train-ai=no" has the value "no" of Content-Signal, so it says nothing here; probably it means "train-ai=n, search=y"`}},
	{"AI-15: words of Content-Usage", "User-agent: *\nContent-Signal: Search=yes, train-ai=n, ai-use=no\n", "usage-wrong-vocabulary",
		[]string{`2:29 [] "train-ai=n" is in the words of Content-Usage, so it says nothing here; probably it means "ai-train=no, ai-input=no"`}},
	{"AI-15: nothing else can be read", "User-agent: *\nContent-Signal: ai-train=n\n", "usage-wrong-vocabulary",
		[]string{`2:17 [] "ai-train=n" has the value "n" of Content-Usage, so it says nothing here; probably it means "ai-train=no"`}},
	{"AI-15: its keys alone", "User-agent: *\nContent-Signal: train-ai=no\n", "usage-wrong-vocabulary",
		[]string{`2:17 [] "train-ai=no" has the key "train-ai" of Content-Usage, so it says nothing here; probably it means "ai-train=no"`}},
	{"and signal-invalid is silent", "User-agent: *\nContent-Signal: ai-train=n\n", "signal-invalid", nil},
	{"and usage-unparseable is silent", "User-agent: *\nContent-Usage: train-ai=no, AI-Use=n\n", "usage-unparseable", nil},
	{"AI-7: a capital letter", "User-agent: *\nContent-Usage: Train-AI=n, search=y\n", "usage-wrong-vocabulary",
		[]string{`2:16 [] "Train-AI=n" has capital letters, so the whole line says nothing; probably it means "train-ai=n"`}},
	{"AI-11: keys of Content-Signal may have capital letters and spaces", "User-agent: *\nContent-Signal: AI-Train = no, use=full, x=y\n", "usage-wrong-vocabulary", nil},
	{"another mistake makes the line unreadable too", "User-agent: *\nContent-Usage: ai-train=no,\n", "usage-unparseable",
		[]string{`2:16 [] cannot read "ai-train=no,", so this line says nothing: expected a member after the comma at offset 12`}},
	{"right words and unknown ones", "User-agent: *\nContent-Usage: train-ai=n, x=no, bots=yes, search\nContent-Signal: ai-train, x=n\nContent-Usage: /a\nContent-Signal: /a\nContent-Usage:\n", "usage-wrong-vocabulary", nil},

	{"AI-4: two carriers", "User-agent: *\nContent-Signal: search=yes, ai-train=yes\nContent-Usage: search=y, train-ai=n\n", "usage-contradicts",
		[]string{"3:16 [] says the opposite of line 2, which allows train-ai for / (Content-Signal: search=yes, ai-train=yes)"}},
	{"for a path", "User-agent: a\nContent-Usage: train-ai=n\nContent-Usage: /x* train-ai=y\nContent-Signal: ai-train=no\n", "usage-contradicts",
		[]string{"4:17 [a] says the opposite of line 3, which allows train-ai for /xx (Content-Usage: /x* train-ai=y)"}},
	{"AI-3: only where pages may be crawled", "User-agent: a\nContent-Usage: train-ai=n\nContent-Usage: /x train-ai=y\nContent-Signal: ai-train=no\nDisallow: /x\n", "usage-contradicts", nil},
	{"AI-6: for other crawlers", "User-agent: a\nContent-Usage: train-ai=n\nDisallow: /x\nUser-agent: *\nContent-Signal: ai-train=yes\n", "usage-contradicts", nil},
	{"the same, and other purposes", "User-agent: *\nContent-Usage: train-ai=n, search=y\nContent-Signal: ai-train=no, search=yes, ai-input=no\n\nUser-agent: Google-Extended\nDisallow: /\n", "usage-contradicts", nil},
	{"AI-10: a purpose token", "User-agent: *\nContent-Signal: ai-train=yes\nDisallow: /a\n\nUser-agent: GPTBot\nContent-Usage: train-ai=y\nDisallow: /a\n\nUser-agent: __usage_ai-training\nDisallow: /\n", "usage-contradicts",
		[]string{
			"10:11 [] says the opposite of line 2, which allows train-ai for / (Content-Signal: ai-train=yes)",
			"10:11 [GPTBot] says the opposite of line 6, which allows train-ai for / (Content-Usage: train-ai=y)",
		}},
	{"AI-10: for the crawlers of its operator", "User-agent: bingbot\nUser-agent: Applebot\nContent-Signal: ai-train=yes\nDisallow: /a\n\nUser-agent: Applebot-Extended\nDisallow: /\n", "usage-contradicts",
		[]string{"7:11 [Applebot] says the opposite of line 3, which allows train-ai for / (Content-Signal: ai-train=yes)"}},
	{"AI-10: also for those without a group", "User-agent: *\nContent-Signal: ai-train=yes\nDisallow: /a\n\nUser-agent: Applebot-Extended\nDisallow: /\n", "usage-contradicts",
		[]string{"6:11 [Applebot] says the opposite of line 2, which allows train-ai for / (Content-Signal: ai-train=yes)"}},
	{"one pair of lines, two groups of crawlers", "User-agent: Applebot\nUser-agent: bingbot\nContent-Signal: ai-train=yes\nContent-Usage: train-ai=n\n\nUser-agent: Applebot-Extended\nAllow: /\n", "usage-contradicts",
		[]string{
			"4:16 [Applebot bingbot] says the opposite of line 3, which allows train-ai for / (Content-Signal: ai-train=yes)",
		}},

	{"AI-11: a path", "User-agent: *\nContent-Signal: /api/\x1b ai-train=no\nContent-Signal: ai-train=no\nContent-Usage: /a train-ai=n\n", "signal-path", nil},
	{"AI-11: a path that can be read", "User-agent: *\nContent-Signal: /api/ ai-train=no\n", "signal-path",
		[]string{"2:17 [] Content-Signal has no paths: heed applies this line to /api/ only, and other readers may not read it at all"}},

	{"AI-10: each token once", "User-agent: __USAGE_ai-training\nDisallow: /\n\nUser-agent: google-extended\nDisallow: /\n\nUser-agent: Google-Extended\nUser-agent: GPTBot\nDisallow: /\n", "purpose-token",
		[]string{
			"1:13 [] __USAGE_ai-training is a purpose token, and no crawler: the rules of its group say where train-ai is allowed, for every crawler, and no crawler follows them because of this line",
			"4:13 [] google-extended is a purpose token, and no crawler: the rules of its group say where train-ai is allowed, for the crawlers of Google, and no crawler follows them because of this line",
		}},
	{"AI-10: both in one group", "User-agent: Google-Extended\nUser-agent: GPTBot\nDisallow: /a\n\nUser-agent: *\nUser-agent: Applebot-Extended\nDisallow:\nAllow: /x\n", "purpose-token-mixed",
		[]string{
			"1:13 [] the group names a crawler (GPTBot) and a purpose token (Google-Extended): each of its rules says both what may be crawled and what may train AI",
			"6:13 [] the group names a crawler (every other crawler (\"*\")) and a purpose token (Applebot-Extended): each of its rules says both what may be crawled and what may train AI",
		}},
	{"the whole site, two tokens, and no rule", "User-agent: Google-Extended\nUser-agent: GPTBot\nDisallow: /\nAllow: *\n\nUser-agent: Google-Extended\nUser-agent: Applebot-Extended\nDisallow: /a\n\nUser-agent:\nUser-agent: Google-Extended\nDisallow: /a\n", "purpose-token-mixed", nil},

	{"R-23: a group cannot keep it out", "User-agent: a\nUser-agent: Perplexity-User\nUser-agent: perplexity-user\nUser-agent: ChatGPT-User\nDisallow: /\n", "crawler-disobeys",
		[]string{"2:13 [Perplexity-User ChatGPT-User] sources say that Perplexity-User and ChatGPT-User do not follow robots.txt, or not always, whatever this group says"}},
	{"R-23: it asks for nothing", "User-agent: Perplexity-User\nAllow: /\nDisallow:\n", "crawler-disobeys", nil},

	{"AI-3: paths", "User-agent: *\nContent-Usage: /a/b train-ai=n\nContent-Usage: /a$ train-ai=n\nContent-Signal: /b ai-train=no\nContent-Usage: train-ai=n\nDisallow: /a/\nDisallow: /b\nAllow: /b/c\n", "usage-not-crawlable",
		[]string{"2:16 [] the rules of the group disallow /a/b, and a page that may not be crawled has no preference: so this says nothing"}},
	{"AI-3: every page", "User-agent: *\nContent-Usage: train-ai=n\nContent-Usage: /a train-ai=n\nDisallow: /\nAllow: /robots.txt\n", "usage-not-crawlable",
		[]string{
			"2:16 [] the rules of the group disallow every page, and a page that may not be crawled has no preference: so this says nothing",
			"3:16 [] the rules of the group disallow /a, and a page that may not be crawled has no preference: so this says nothing",
		}},
	{"AI-3: another group opens it for a crawler", "User-agent: a\nUser-agent: b\nContent-Usage: train-ai=n\nDisallow: /\n\nUser-agent: b\nAllow: /x\n", "usage-not-crawlable", nil},
	{"signal-contradicts speaks of it", "User-agent: *\nContent-Signal: search=yes\nDisallow: /\n", "usage-not-crawlable", nil},
	{"AI-3: rules of a purpose token", "User-agent: *\nDisallow: /a\nDisallow: /*.pdf\nUser-agent: b\nDisallow: /\n\nUser-agent: __usage_ai-training\nDisallow: /a/x\nAllow: /b\nDisallow: /c.pdf\nDisallow:\n", "usage-not-crawlable",
		[]string{"8:11 [] the groups of the crawlers disallow /a/x, and a page that may not be crawled has no preference: so this rule of __usage_ai-training says nothing (also on line 10)"}},
	{"AI-5: a path takes two purposes", "User-agent: *\nContent-Usage: /a search=n\nContent-Usage: train-ai=n, ai-use=y, bots=n\nContent-Usage: search=maybe\nContent-Usage: /b/ x=y\nContent-Usage: /c train-ai=y, ai-use=n\nAllow: /\nUser-agent: b\nContent-Usage: /d search=y\nAllow: /\n", "usage-path-drops",
		[]string{"2:16 [] below /a this line takes the place of line 3 whole: train-ai=n does not apply there", "2:16 [] below /a this line takes the place of line 3 whole: ai-use=y does not apply there"}},
	{"AI-6: groups without preferences", "User-agent: *\nContent-Signal: search=yes\nDisallow: /a\nUser-agent: b\nUser-agent: c\nDisallow: /a\nUser-agent: d\nContent-Usage: search=y\nDisallow: /a\nUser-agent: e\nDisallow: /\nUser-agent: __usage_ai-training\nDisallow: /a\n", "group-drops-preferences",
		[]string{"4:13 [b c] b and c have no preferences about the use of content: those from line 2 on are for crawlers without a group"}},
	{"AI-6: nothing for everyone", "User-agent: a\nContent-Signal: search=yes\nDisallow: /a\nUser-agent: b\nDisallow: /a\n", "group-drops-preferences", nil},
	{"AI-6: a line at the end of the file", "User-agent: *\nDisallow: /a\n\nUser-agent: b\nUser-agent: c\nDisallow: /d\n\nContent-Signal: search=yes\n", "preferences-of-one-group",
		[]string{"8:17 [b c] applies to b, c only, as the rules of its group do; nothing states preferences to other crawlers"}},
	{"AI-6: a group for a purpose token", "User-agent: Google-Extended\nContent-Signal: search=yes\nDisallow: /d\n", "preferences-of-one-group", nil},
	{"AI-6: everyone has preferences too", "User-agent: b\nContent-Signal: search=yes\nDisallow: /d\n\nUser-agent: *\nContent-Usage: search=n\nDisallow: /a\n", "preferences-of-one-group", nil},
	{"AI-6: a line that says nothing", "User-agent: b\nContent-Signal: search=maybe\nDisallow: /d\n", "preferences-of-one-group", nil},
	{"AI-3: one crawler may", "User-agent: *\nDisallow: /a\nUser-agent: b\nAllow: /\n\nUser-agent: __usage_ai-training\nDisallow: /a\n", "usage-not-crawlable", nil},

	{"AI-10: a token keeps nothing of the * group", "User-agent: *\nDisallow: /a\n\nUser-agent: __usage_ai-training\nDisallow: /b\n", "named-group-drops-wildcard", nil},
	{"AI-10: no crawler may fetch something", "User-agent: *\nDisallow: /\n\nUser-agent: __usage_ai-training\nAllow: /\n", "block-all",
		[]string{"2:11 [] disallows the whole site for every crawler; these do not follow \"*\" and stay allowed: AdsBot-Google, AdsBot-Google-Mobile, APIs-Google, Mediapartners-Google, YandexMobileBot"}},
	{"AI-10: it needs no delay", "User-agent: __usage_ai-training\nCrawl-delay: 1000\nDisallow: /\n", "crawl-delay-huge", nil},
	{"AI-10: old crawlers do not read it", "User-agent: __usage_ai-training\nAllow: /\nDisallow: /a\n\nDisallow: /b\n", "old-parsers", nil},
	{"AI-10: two groups of a token", "User-agent: Google-Extended\nDisallow: /a\n\nUser-agent: GPTBot\nDisallow: /\n\nUser-agent: google-extended\nDisallow: /b\n", "duplicate-group",
		[]string{`7:13 [] "google-extended" already has a group, in line 1; not all who read it join the two`}},
	{"AI-10: nor is it merged", "User-agent: __usage_ai-training\n\nUser-agent: *\nDisallow: /a\n", "groups-merged", nil},
}

func TestPreferenceRules(t *testing.T) { checkCases(t, preferenceCases) }

// A fix for the wrong vocabulary writes the right words in their places, and is never safe.
func TestWrongVocabularyFix(t *testing.T) {
	body := "User-agent: ai-train=no\r\nContent-Usage:\t/ai-train=no  ai-train=no , ai-train=no, Search = YES;x=1,x=2 # ai-train=no\r\n"
	want := "User-agent: ai-train=no\r\nContent-Usage:\t/ai-train=no  train-ai=n , train-ai=n, search=y;x=1,x=2 # ai-train=no\r\n"
	for _, found := range Check([]byte(body)) {
		if found.Code != "usage-wrong-vocabulary" {
			continue
		}
		if got, _ := Apply([]byte(body), []Fix{*found.Fix}); string(got) != want || found.Fix.Safe || !strings.HasPrefix(found.Fix.Title, "write ") {
			t.Errorf("%q %+v, want %q", got, found.Fix, want)
		}
		return
	}
	t.Error("no finding")
}
