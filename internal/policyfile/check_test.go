package policyfile_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/expected"
	"github.com/heed-robots/heed/internal/policyfile"
	"github.com/heed-robots/heed/robotstxt"
)

func checked(t testing.TB, policy, robots string) (*policyfile.Proof, error) {
	t.Helper()
	return read(t, "p", policy).Check(context.Background(), robotstxt.ParseString(robots, robotstxt.RFC9309), crawlers.Known(), expected.With(crawlers.Known()))
}

// What a policy writes means it; each change of that which changes a verdict, a delay, a record, a preference or a line for the whole
// file is found, with a witness, and for whom.
func TestCheck(t *testing.T) {
	const policy = "everyone:\n  disallow /a\n  crawl-delay 5\n  usage train-ai=n\nmonitor: disallow\nYandex: disallow /y\nYandex: record Request-rate: 1/5\n" +
		"sitemap: https://a.example/s.xml\nrecord: Host: a.example\ncarriers: content-usage purpose-token\n"
	robots := written(t, "p", policy).Robots
	for _, c := range []struct{ about, old, new, want string }{
		{"as it was written", "", "", ""},
		{"a comment", "# monitor\n", "# other\n", ""},
		{"another order", "User-agent: Site24x7\nUser-agent: StatusCake_Uptime_Checker\n", "User-agent: StatusCake_Uptime_Checker\nUser-agent: Site24x7\n", ""},
		{"a rule", "User-agent: *\nDisallow: /a\n", "User-agent: *\nDisallow: /b\n",
			"8 others: /a is allowed (no rule matches); the policy says disallowed"},
		{"whom it is about", "User-agent: *\nDisallow: /a\n", "User-agent: *\n", "all crawlers without a group, "},
		{"a rule for one", "Disallow: /y\n", "", "Yandex, YandexBlogs, YandexBot, YandexDirect, YandexImages and 2 others: /y is allowed (no rule matches); the policy says disallowed"},
		{"a new crawler", "User-agent: UptimeRobot\n", "",
			"UptimeRobot: / is allowed (no rule matches); the policy says disallowed. The file does not name them: perhaps they are new in heed's table of crawlers, their lines were removed from the file, or the policy was changed"},
		{"a name that the policy does not have", "User-agent: *\n", "User-agent: Zzyzx\nDisallow: /q\n\nUser-agent: *\n", "Zzyzx: /a is allowed (no rule matches); the policy says disallowed"},
		{"a delay", "Disallow: /a\nCrawl-delay: 5\nContent", "Disallow: /a\nCrawl-delay: 6\nContent", "8 others: the crawl delay is 6 seconds; the policy says 5 seconds"},
		{"a record", "Request-rate: 1/5\n", "", "Yandex, YandexBlogs, YandexBot, YandexDirect, YandexImages and 2 others: the other records are none; the policy says Request-rate: 1/5"},
		{"another record", "Request-rate: 1/5\n", "Noindex: /p\nVisit-time: 0100-0200\nRequest-rate: 2/1m 0100-0200\n",
			"and 2 others: the other records are Noindex: /p; Request-rate: 2/60 0100-0200; Visit-time: 0100-0200; the policy says Request-rate: 1/5"},
		{"a preference", "Crawl-delay: 5\nContent-Usage: train-ai=n\n\n# a purpose", "Crawl-delay: 5\n\n# a purpose", "train-ai of /robots.txt is unknown; the policy says disallowed"},
		{"a sitemap", "s.xml", "t.xml", "the sitemap https://a.example/s.xml is in the policy, but not in the file"},
		{"a record for the whole file", "Host: a.example\n", "", "the record Host: a.example is in the policy, but not in the file"},
		{"a new record for the whole file", "Host: a.example\n", "Host: a.example\nHost: b.example\n", "the record Host: b.example is in the file, but not in the policy"},
		{"only for Google", "Disallow: /a\n", "Disallow: /%61\n", "only as Google reads it: "},
	} {
		if c.old != "" && !strings.Contains(robots, c.old) {
			t.Fatalf("%s: %q is not in\n%s", c.about, c.old, robots)
		}
		p, err := checked(t, policy, strings.ReplaceAll(robots, c.old, c.new))
		if err != nil {
			t.Fatal(err)
		}
		got, result := "", "equal"
		if len(p.Differences) > 0 {
			got = p.Differences[0].InWords()
		}
		if c.want != "" {
			result = "differs"
		}
		if c.want == "" && got != "" || !strings.Contains(got, c.want) || p.Result != result {
			t.Errorf("%s: %s, %s\nwant %s", c.about, p.Result, got, c.want)
		}
	}
}

// A preference that is gone is found where no purpose token says it too.
func TestCheckPreferences(t *testing.T) {
	p, err := checked(t, "everyone: usage train-ai=n\n", "User-agent: *\nDisallow:\nContent-Usage: train-ai=y\n")
	if err != nil || len(p.Differences) == 0 || p.Differences[0].What != "train-ai" || !strings.HasSuffix(p.Differences[0].InWords(), "train-ai of / is allowed; the policy says disallowed") {
		t.Errorf("%v %+v", err, p.Differences)
	}
	if p, err = checked(t, "everyone: usage train-ai=n\n", "User-agent: *\nContent-Signal: ai-train=no\n"); err != nil || p.Result != "equal" {
		t.Errorf("another carrier says the same: %v %+v", err, p)
	}
	p, err = checked(t, "everyone: disallow /x\n", "User-agent: AdsBot-Google\nDisallow:\nContent-Usage: train-ai=n\n\nUser-agent: *\nDisallow: /x\n")
	if err != nil || len(p.Differences) != 1 || p.Differences[0].InWords() != "AdsBot-Google: train-ai of / is disallowed; the policy says unknown" {
		t.Errorf("for a crawler that does not follow *: %v %+v", err, p.Differences)
	}
}

// A site without a robots.txt allows everything; one that cannot be asked says nothing.
func TestCheckWithoutRobots(t *testing.T) {
	f := read(t, "p", "seo: disallow\n")
	p, err := f.Check(context.Background(), robotstxt.AllowAll(robotstxt.Unavailable, nil), crawlers.Known(), nil)
	if err != nil || p.Result != "differs" || !p.Differences[0].Unnamed {
		t.Errorf("%v %+v", err, p)
	}
	for _, reason := range []robotstxt.Reason{robotstxt.Unreachable, robotstxt.Restricted} {
		if p, err := f.Check(context.Background(), robotstxt.DisallowAll(reason, nil), crawlers.Known(), nil); err == nil {
			t.Errorf("%v: %+v", reason, p)
		}
	}
}

// What takes too much work, or too long, is not proved, and not written.
func TestUndecided(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if w, err := read(t, "p", "seo: disallow /a\n").Write(ctx, crawlers.Known(), nil); err == nil {
		t.Error(w.Proof)
	}
	if d, err := policyfile.From(ctx, "x", robotstxt.ParseString(forEveryone, robotstxt.RFC9309), crawlers.Known()); err == nil {
		t.Error(d.Proof)
	}
	large := "everyone:\n"
	for i := range 600 {
		large += "  disallow /" + strings.Repeat(string(rune('a'+i%26)), 900+i) + "\n"
	}
	if w, err := read(t, "p", large).Write(context.Background(), crawlers.Known(), nil); err == nil || !strings.Contains(err.Error(), "larger than 500 KiB") {
		t.Error(err, w != nil)
	}
}

// Expectations are those of heed test: all that fail are counted, and the first ones told.
func TestExpectations(t *testing.T) {
	for policy, want := range map[string]string{
		"seo: disallow\nexpect: disallow @botify /x\nexpect: allow Zzyzx /x\n": "",
		"seo: disallow\nexpect:\n  disallow @botify /x\n  allow Zzyzx /x\n":    "",
		"ai-user: disallow\nexpect: disallow @ChatGPT-User /x\n":               "1 of 1 expectations fails:\np:2: the expectation failed for @ChatGPT-User: no robots.txt can close /x; sources say that it does not follow robots.txt, or not always",
		"seo: disallow\nexpect: allow @botify /x\n":                            "1 of 1 expectations fails:\np:2: the expectation failed for @botify: /x is actually disallowed by the robots.txt, line 29: Disallow: /",
		"everyone: disallow /x\nexpect: allow a,b /x /y /x/y\nexpect: allow a,b x\n": "6 of 8 expectations fail:\n" +
			"p:2: the expectation failed for a, b: /x is actually disallowed by the robots.txt, line 4: Disallow: /x\n" +
			"p:2: the expectation failed for a, b: /x/y is actually disallowed by the robots.txt, line 4: Disallow: /x\n" +
			"p:3: expected an absolute URL",
		"everyone: usage train-ai=n\nexpect: usage a train-ai=y /x\n":                 "p:2: the expectation failed for a: /x is actually allowed: no rule matches, train-ai=n",
		"seo: disallow\nexpect: foo\n":                                                "p:2: ",
		"seo: disallow\nexpect: allow @known" + strings.Repeat(" /", 1000) + "\n":     "more than 100000 cases",
		"seo: disallow\nexpect: allow a" + strings.Repeat(" /", 5000) + "\n":          "an expectation of more than 8192 bytes",
		"everyone: disallow\nexpect: allow @known" + strings.Repeat(" /", 300) + "\n": "89100 of 90600 expectations fail:\n",
	} {
		_, err := read(t, "p", policy).Write(context.Background(), crawlers.Known(), expected.With(crawlers.Known()))
		if err == nil != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %.300v; want %q", policy, err, want)
		}
		if err != nil && strings.Count(err.Error(), "\n") > 110 {
			t.Errorf("%.60q: %d lines", policy, strings.Count(err.Error(), "\n"))
		}
	}
	if _, err := checked(t, "everyone: disallow /x\nexpect: allow GPTBot /x\n", "User-agent: *\nDisallow: /x\n"); err == nil || !strings.Contains(err.Error(), "1 of 1 expectations fails") {
		t.Error("of the robots.txt that is checked:", err)
	}
	const cure = `there is no group for the crawler, and it does not follow the groups for "*"; the line "AdsBot-Google, YandexMobileBot: inherit" in the policy gives them the rules of everyone`
	if _, err := checked(t, "everyone: disallow /x\nexpect: disallow @AdsBot-Google,@YandexMobileBot /x\n", "User-agent: *\nDisallow: /x\n"); err == nil || !strings.Contains(err.Error(), "for @AdsBot-Google, @YandexMobileBot: ") || !strings.HasSuffix(err.Error(), cure) {
		t.Error("crawlers that ignore everyone:", err)
	}
	if _, err := read(t, "p", "seo: disallow\nexpect: allow a /\n").Write(context.Background(), crawlers.Known(), nil); err == nil || !strings.Contains(err.Error(), `only "heed write" and "heed serve" can test the expectations of a policy`) {
		t.Error("without a tester:", err)
	}
}

// Notes say what a robots.txt cannot do.
func TestNotes(t *testing.T) {
	const open = "the rules of everyone do not apply to these crawlers, which follow only groups that name them. To apply the rules to them, add this line to the policy: \""
	for policy, want := range map[string]string{
		"everyone: allow /\n":                   "",
		"monitor: disallow\n":                   "",
		"everyone: disallow /a\n":               open + "AdsBot-Google, AdsBot-Google-Mobile, APIs-Google, Mediapartners-Google, YandexMobileBot",
		"everyone: disallow /a\nads: inherit\n": open + "APIs-Google, YandexMobileBot",
		"everyone: disallow /a\nseo: allow\nads, APIs-Google, YandexMobileBot: inherit\n":          `p:2: "allow" does not open /a for seo, which line 1 disallows; "only allow" would`,
		"everyone: disallow /a\nseo: only allow\nads, APIs-Google, YandexMobileBot: inherit\n":     "",
		"everyone: disallow\nsearch: allow\nsearch: disallow /apply/\nads, APIs-Google: inherit\n": "nothing is proved for 360Spider: ",
		"Feedly: disallow\n":                 "sources say that these crawlers do not follow robots.txt, or not always, so their group is only a request: Feedly",
		"ChatGPT: disallow\n":                "ChatGPT is disallowed, but OpenAI collects data for AI training with other crawlers, which the policy does not name: GPTBot",
		"ChatGPT, GPTBot: disallow\n":        "",
		"ChatGPT: disallow\nGPTBot: allow\n": "",
		"ChatGPT: disallow /a\n":             "",
		"everyone: disallow\nChatGPT: disallow\nads, APIs-Google, YandexMobileBot: inherit\n": "",
		"OAI-AdsBot: disallow\n": "",
		"bingbot:\n  usage train-ai=n,search=y\n  usage train-ai=y /a/\n": "Content-Signal lines cannot have a path, so only lines of other kinds say this: usage train-ai=n; usage train-ai=y /a/",
		"carriers: content-usage\nbingbot: usage train-ai=n /a/\n":        "",
		"everyone: usage train-ai=n\nseo, monitor: only disallow /a/\narchive: only disallow\nbingbot: only\n  usage train-ai=y\nGoogle-Extended: only allow\n" +
			"ads, APIs-Google, YandexMobileBot: inherit\n": `because of "only", "usage train-ai=n" does not apply to seo, monitor; if it should, add it to the lines for them`,
	} {
		got := strings.Join(written(t, "p", policy).Notes, "; ")
		if want == "" && got != "" || !strings.HasPrefix(got, want) {
			t.Errorf("%q: %s\nwant %s", policy, got, want)
		}
	}
}

// Crawlers read the names of some crawlers as the same name. If the policy has different rules for these crawlers, nothing is
// proved for those that do not get theirs.
func TestSameName(t *testing.T) {
	const all = `AI2Bot, AI2Bot-DeepResearchEval, Ai2Bot-Dolma`
	for policy, want := range map[string]string{
		"ai-training: disallow\nai-user: allow\n":                    "AI2Bot-DeepResearchEval",
		"ai-training: disallow\n":                                    "AI2Bot-DeepResearchEval",
		"ai-user: disallow\n":                                        "AI2Bot, Ai2Bot-Dolma",
		"ai-training: disallow /a\nai-user: disallow /b\n":           all,
		"ai: disallow\n":                                             "",
		"ai-training: disallow /\nai-user: disallow\n":               "",
		"everyone: disallow\nai-training: disallow\n":                "",
		"AI2Bot: disallow\n":                                         "AI2Bot-DeepResearchEval, Ai2Bot-Dolma",
		"AI2Bot, \"AI2Bot-DeepResearchEval\", ai2bot-dolma: allow\n": "",
		"\"AI\": disallow\n":                                         "",
		"seo: disallow\n":                                            "",
	} {
		note := ""
		if want != "" {
			note = "nothing is proved for " + want + ": crawlers read " + all + ` in a User-agent line as the same name, "AI", so all of them have the same rules, the strictest. ` +
				`To choose these rules, name them in one line of the policy, such as "` + all + `: disallow"`
		}
		expectLeftOut(t, policy, want, note)
	}
}

// expectLeftOut checks that the proof of a policy leaves out the crawlers with these names, and that one note says why. If
// there are no names, it leaves out none.
func expectLeftOut(t *testing.T, policy, names, note string) {
	t.Helper()
	w, except := written(t, "p", policy), "crawlers and all others"
	if names != "" {
		except += " except " + strings.ReplaceAll(names, ", ", " and ")
	}
	if all := strings.Join(w.Notes, "; "); !strings.HasPrefix(all, note) || names != "" && !slices.Contains(w.Notes, note) || names == "" && strings.Contains(all, "proved") {
		t.Errorf("%q: the notes are %q, want %q", policy, w.Notes, note)
	}
	checked, err := checked(t, policy, w.Robots)
	if err != nil || !strings.HasSuffix(w.Proof.For, except) || checked.For != w.Proof.For || strings.Join(checked.Notes, "; ") != note {
		t.Errorf("%q: proved for %s and, as a check, for %s, with the notes %q; want %q, %v", policy, w.Proof.For, checked.For, checked.Notes, except, err)
	}
}

// The rules for everyone apply to crawlers that no User-agent line can name. If the policy has other rules for them, nothing is
// proved for them.
func TestNameless(t *testing.T) {
	for policy, want := range map[string]string{
		"everyone: disallow\nsearch: only allow\n": "360Spider",
		"search: disallow\n":                       "360Spider",
		"search, other: usage train-ai=n\n":        "008, 360Spider",
		"everyone: disallow\nsearch: disallow\n":   "",
		"seo: disallow\n":                          "",
	} {
		note := ""
		if want != "" {
			note = "nothing is proved for " + want + ": no User-agent line can name these crawlers, so they follow the rules for everyone, which differ from what the policy says for them"
		}
		expectLeftOut(t, policy, want, note)
	}
}

// Each changed rule is shown with a URL, also if it is about the same crawlers.
func TestAllDifferences(t *testing.T) {
	const policy = "everyone: disallow /a\n"
	p, err := checked(t, policy, strings.ReplaceAll(written(t, "p", policy).Robots, "/a", "/b"))
	var got []string
	for _, d := range p.Differences {
		got = append(got, d.Witness+" "+d.File)
	}
	if err != nil || strings.Join(got, ", ") != "/a allowed, /b disallowed" {
		t.Errorf("%q, %v", got, err)
	}
}

// A line about one name opens nothing that the policy disallows for another name that crawlers read as the same.
func TestSameNameIsNotOpened(t *testing.T) {
	for policy, want := range map[string]string{
		"ai-training: disallow\nAI2Bot-DeepResearchEval: only allow\n":                       "/ /open/x /cart",
		"ai-training: disallow\nAI2Bot-DeepResearchEval: allow /open\n":                      "/ /open/x /cart",
		"everyone: disallow /cart\nAI2Bot: only allow\n":                                     "/cart",
		"everyone: disallow /cart\nai-user: only allow\n":                                    "/cart",
		"ai-training: disallow /o*n\nAI2Bot-DeepResearchEval: allow /open\n":                 "/open/x",
		"ai-training: disallow\nAI2Bot, AI2Bot-DeepResearchEval, Ai2Bot-Dolma: only allow\n": "",
		"everyone: disallow /\nAI2Bot, AI2Bot-DeepResearchEval, Ai2Bot-Dolma: allow /open\n": "/ /cart",
	} {
		agent := robotstxt.ParseString(written(t, "p", policy).Robots, robotstxt.Google).Agent("AI")
		var got []string
		for _, path := range []string{"/", "/open/x", "/cart"} {
			if !agent.Check(path).Allowed {
				got = append(got, path)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q is disallowed, want %q", policy, got, want)
		}
	}
}

// Delays and preferences too are the strictest of all names, and two lines cannot give the names different rules.
func TestSameNameElsewhere(t *testing.T) {
	for policy, want := range map[string][]string{
		"everyone:\n  crawl-delay 10\n  record Request-rate: 1/5\nai-training: usage train-ai=n\nai-training: crawl-delay 20\n" +
			"AI2Bot-DeepResearchEval: only allow\nAI2Bot-DeepResearchEval: usage train-ai=y\n": {"Crawl-delay: 20", "Request-rate: 1/5", "Content-Usage: train-ai=n"},
		"everyone: disallow /s\nAI2Bot-Foo, AI2:\n  crawl-delay 99\n  record Request-rate: 1/9\n": {"User-agent: AI2", "User-agent: AI2Bot-Foo", "Disallow: /s", "Crawl-delay: 99", "Request-rate: 1/9"},
	} {
		for group := range strings.SplitSeq(written(t, "p", policy).Robots, "\n\n") {
			for _, line := range want {
				if n := strings.Count(group+"\n", line+"\n"); n != 1 && strings.Contains(group, "User-agent: AI2Bot\n") {
					t.Errorf("%q is %d times in\n%s", line, n, group)
				}
			}
		}
	}
	for policy, names := range map[string]string{
		"everyone: disallow /cart\nAI2Bot: disallow /x\nAi2Bot-Dolma: only allow\n":        "2 AI2Bot, Ai2Bot-Dolma",
		"AI2Bot: inherit\nAI2Bot, Ai2Bot-Dolma:\n  disallow /a\n  allow /b\n":              "1 AI2Bot, Ai2Bot-Dolma",
		"AI2Bot: disallow /a\n\"AI\": only\n":                                              `1 "AI", AI2Bot`,
		"everyone: disallow /b\nGPTBot: disallow /a\ngptbot: crawl-delay 1\nGPTBot4: only": "2 GPTBot, GPTBot4",
		"foo1: disallow /a\nfoo2: allow /a/b":                                              "1 foo1, foo2",
	} {
		line, names, _ := strings.Cut(names, " ")
		want := "crawlers read " + strings.ReplaceAll(names, ", ", " and ") + " as the same name (see line " + line + "), so write all rules for them below one line with the names " + names
		if _, _, wrong := policyfile.Read("p", policy, crawlers.Known()); len(wrong) != 1 || !strings.HasSuffix(wrong[0].Error(), want) {
			t.Errorf("%q: %v; want %s", policy, wrong, want)
		}
	}
	if _, _, wrong := policyfile.Read("p", "Yandex: disallow /y\nYandex: record Request-rate: 1/5\nAI2Bot: disallow /a\nai2bot: disallow /b\n", crawlers.Known()); len(wrong) > 0 {
		t.Error(wrong)
	}
}

// In the old dialects, a crawler is looked up with its whole token, such as AI2Bot.
func TestOldDialects(t *testing.T) {
	for _, policy := range []string{"AI2Bot: disallow /x\n", "AI2Bot-Foo: disallow /x\n", "monitor: disallow\n", "img2dataset: disallow\nMJ12bot: disallow /a\n"} {
		p := written(t, "p", policy).Proof
		if got := strings.Join(p.Dialects, " "); got != "rfc9309 google draft2019 draft1996 standard1994" || len(p.Others) > 0 {
			t.Errorf("%q: %s, %+v", policy, got, p.Others)
		}
	}
	// The draft of 1996 compares paths without the query. A note names all crawlers that differ.
	p := written(t, "p", "everyone: disallow /*?sort=\nGPTBot: only disallow /x$\n").Proof
	want := "; other URLs differ for GPTBot"
	if len(p.OthersInWords) != 1 || !strings.Contains(p.OthersInWords[0], "the 1996 draft or the 1994 standard") || !strings.HasSuffix(p.OthersInWords[0], want) {
		t.Errorf("%q", p.OthersInWords)
	}
	for _, query := range []string{"/*?sort=", "/a?b"} {
		if p := written(t, "p", "everyone: disallow "+query+"\n").Proof; slices.Contains(p.Dialects, "draft1996") {
			t.Errorf("%s: %s, %+v", query, p.Dialects, p.Others)
		}
	}
}

// A byte-order mark, line ends of Windows and tabs are no part of a policy.
func TestOddText(t *testing.T) {
	plain := written(t, "p", "everyone:\n  disallow /a /b\nseo: disallow\n").Robots
	for _, text := range []string{"\ufeffeveryone:\n  disallow /a /b\nseo: disallow\n", "everyone:\r\n  disallow /a /b\r\nseo: disallow\r\n", "everyone:\n\tdisallow\t/a\t/b\nseo:\tdisallow\n", "EVERYONE :\n  disallow /a /b\n\nSeo: disallow # why\n"} {
		if got := written(t, "p", text).Robots; got != plain {
			t.Errorf("%q:\n%s", text, got)
		}
	}
}

// An ending context ends after some questions about it.
type ending struct {
	context.Context
	left int
}

func (e *ending) Err() error {
	if e.left--; e.left >= 0 {
		return nil
	}
	return context.Canceled
}

// If the context ends before RFC 9309 and Google are proved, nothing is written. The three old dialects, which come after them, are
// only noted.
func TestEndedIsNotProved(t *testing.T) {
	f := read(t, "p", "everyone: disallow /a /b\nseo: disallow /c\nYandex: only disallow /d*e\n")
	const many = 1 << 20
	whole := &ending{Context: context.Background(), left: many}
	if _, err := f.Write(whole, crawlers.Known(), nil); err != nil {
		t.Fatal(err)
	}
	asked := many - whole.left
	for left := range asked / 4 {
		if w, err := f.Write(&ending{Context: context.Background(), left: left}, crawlers.Known(), nil); err == nil {
			t.Fatalf("after %d of %d questions about the context: %+v", left, asked, w.Proof)
		}
	}
	if asked < 12 {
		t.Error(asked)
	}
}

// A robots.txt that is too large is not written, even if each of its groups is small.
func TestTooLarge(t *testing.T) {
	var policy strings.Builder
	for i := range 700 {
		policy.WriteString(strings.Repeat(string(rune('a'+i/26%26)), 3) + strings.Repeat(string(rune('a'+i%26)), 3) + "q: disallow /" + strings.Repeat("x", 800) + strings.Repeat("y", i) + "\n")
	}
	if w, err := read(t, "p", policy.String()).Write(context.Background(), crawlers.Known(), nil); err == nil || !strings.Contains(err.Error(), "larger than 500 KiB") {
		t.Error(err, w != nil)
	}
}

// The line of a rule is shown only if it decides for all crawlers of the difference.
func TestLineOfAllCrawlers(t *testing.T) {
	const both = "User-agent: GPTBot\nUser-agent: CCBot\nAllow: /\n"
	for robots, want := range map[string]string{
		both: "CCBot, GPTBot: /a is allowed (line 3: Allow: /); the policy says disallowed",
		"User-agent: GPTBot\nAllow: /\n\nUser-agent: CCBot\nAllow: /\n": "CCBot, GPTBot: /a is allowed; the policy says disallowed",
	} {
		if p, err := checked(t, "GPTBot, CCBot: disallow /a\n", robots); err != nil || len(p.Differences) != 1 || p.Differences[0].InWords() != want {
			t.Errorf("%q: %+v %v; want %q", robots, p, err, want)
		}
	}
}

// For a purpose token, Content-Usage and Content-Signal lines say nothing; its rules do (AI-10).
func TestUsageOfTokens(t *testing.T) {
	const (
		tokens  = "Applebot-Extended, Google-Extended"
		nothing = " has no effect for " + tokens + ": for purpose tokens, only rules have an effect, and only for train-ai"
	)
	for policy, want := range map[string]string{
		"ai-training: usage train-ai=n\n":                                                                "usage train-ai=n" + nothing + `; write for example "` + tokens + `: disallow /"`,
		tokens + ": usage train-ai=n\n":                                                                  "usage train-ai=n" + nothing + `; write for example "` + tokens + `: disallow /"`,
		tokens + ": usage train-ai=y,search=n /press/\n":                                                 "usage train-ai=y,search=n /press/" + nothing + `; write for example "` + tokens + `: allow /press/"`,
		tokens + ": usage ai-use=n\n":                                                                    "usage ai-use=n" + nothing,
		"carriers: content-usage, purpose-token\nai-training: usage train-ai=n\n":                        "usage train-ai=n" + nothing + `; write for example "` + tokens + `: disallow /"`,
		"everyone: disallow /cart\nai-training: usage train-ai=n\n":                                      "usage train-ai=n" + nothing + `; write for example "` + tokens + `: disallow /"`,
		"ai-training: usage train-ai=n,search=y\n" + tokens + ": disallow /\n":                           "",
		"ai-training: usage train-ai=n /press/\n" + tokens + ": disallow /press\n":                       "",
		"ai-training: usage train-ai=y /press/\n" + tokens + ": allow /press/\n":                         "",
		"everyone: usage train-ai=n\n" + tokens + ": disallow /x\n":                                      "",
		"carriers: purpose-token\neveryone: usage train-ai=n\n":                                          "",
		"everyone: usage train-ai=n\nai-training: usage train-ai=n,search=n\n" + tokens + ": allow /x\n": "usage search=n" + nothing,
		"GPTBot: usage train-ai=n\n":                                                                     "",
		"ai-training: disallow\nai-training: usage train-ai=y\n":                                         "usage train-ai=y is not written for ai-training, for which everything is disallowed",
		"everyone: disallow /x\nGPTBot: disallow\nGPTBot: usage search=n /a\n":                           "usage search=n /a is not written for GPTBot, for which everything is disallowed",
		"everyone: disallow\neveryone: usage search=n\n":                                                 "usage search=n is not written for everyone, for which everything is disallowed",
		"everyone: usage train-ai=y\nai-training: disallow\n":                                            "",
	} {
		var got []string
		for _, note := range written(t, "p", policy).Notes {
			if strings.HasPrefix(note, "usage ") {
				got = append(got, note)
			}
		}
		if strings.Join(got, "\n") != want {
			t.Errorf("%q:\n%q, want\n%q", policy, got, want)
		}
	}
}
