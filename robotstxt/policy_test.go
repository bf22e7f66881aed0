package robotstxt

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/heed-robots/heed/robotstxt/record"
)

func check(body string, d *Dialect, agent, target string) Decision {
	return Parse([]byte(body), d).Agent(agent).Check(target)
}

// The zero Decision and the zero Policy disallow; the zero File is an empty file.
func TestZeroValues(t *testing.T) {
	if (Decision{}).Allowed || (&Policy{}).Check("/").Allowed {
		t.Error("a zero value allows")
	}
	if d := (&Policy{}).Explain("/").Decision; d != (Decision{}) {
		t.Errorf("the zero Policy explains %+v", d)
	}
	if d := (&File{}).Agent("a").Check("/"); !d.Allowed || d.Reason != NoGroup {
		t.Errorf("the zero File decides %+v", d)
	}
}

// Each case has its own reason.
func TestReasons(t *testing.T) {
	const body = "user-agent: a\ndisallow: /x\n"
	for _, c := range []struct {
		file   *File
		agent  string
		target string
		want   Decision
	}{
		{Parse([]byte(body), nil), "a", "/x", Decision{false, ByRule, Rule{false, "/x", 2}}},
		{Parse([]byte(body), nil), "a", "/y", Decision{true, NoRuleMatched, Rule{}}},
		{Parse([]byte(body), nil), "b", "/x", Decision{true, NoGroup, Rule{}}},
		{Parse([]byte(body), nil), "a", "/robots.txt", Decision{true, RobotsTxtItself, Rule{}}},
		{Parse([]byte(body), nil), "(", "/y", Decision{false, InvalidAgent, Rule{}}},
		{Parse([]byte(body), nil), "a", "y", Decision{false, InvalidTarget, Rule{}}},
		{AllowAll(Unavailable, nil), "a", "/x", Decision{true, Unavailable, Rule{}}},
		{DisallowAll(Unreachable, nil), "a", "/x", Decision{false, Unreachable, Rule{}}},
		{DisallowAll(Restricted, nil), "a", "/x", Decision{false, Restricted, Rule{}}},
		{DisallowAll(OtherOrigin, nil), "a", "/x", Decision{false, OtherOrigin, Rule{}}},
	} {
		p := c.file.Agent(c.agent)
		if got := p.Check(c.target); got != c.want {
			t.Errorf("agent %s, target %s: %+v, want %+v", c.agent, c.target, got, c.want)
		}
		if got := p.Explain(c.target).Decision; got != c.want {
			t.Errorf("agent %s, target %s: explained as %+v, want %+v", c.agent, c.target, got, c.want)
		}
		name, _ := c.want.Reason.MarshalText()
		if len(name) == 0 || c.want.Reason.String() == "" {
			t.Errorf("reason %d has no name", c.want.Reason)
		}
	}
}

// if the agent is a User-Agent header, the group that names the crawler applies, or
// everything is disallowed.
func TestAgentAsUserAgentHeader(t *testing.T) {
	const body = "user-agent: *\ndisallow:\nuser-agent: ExampleBot\ndisallow: /\n"
	for _, agent := range []string{
		"ExampleBot/1.0",
		"ExampleBot/1.0 (+https://example.com/bot)",
		"Mozilla/5.0 (compatible; ExampleBot/1.0; +https://example.com/bot)",
	} {
		for _, d := range []*Dialect{Standard1994, Draft1996, Draft2019, RFC9309} {
			if got := check(body, d, agent, "/x"); got.Allowed || got.Reason != ByRule {
				t.Errorf("%s: %q: %+v", d, agent, got)
			}
		}
	}
	for _, agent := range []string{"", "360Spider", "(", "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/127.0"} {
		if got := check(body, RFC9309, agent, "/x"); got.Allowed || got.Reason != InvalidAgent {
			t.Errorf("%q: %+v", agent, got)
		}
	}
	// Google's parser uses the string unchanged.
	if got := check(body, Google, "ExampleBot/1.0", "/x"); !got.Allowed {
		t.Errorf("Google cuts the agent: %+v", got)
	}
	// RFC 9309 reads MJ12bot as "MJ", in a question and in the file.
	if got := check("user-agent: MJ12bot\ndisallow: /\n", RFC9309, "MJ12bot", "/"); got.Allowed {
		t.Errorf("MJ12bot: %+v", got)
	}
}

// R-2, S94-6, S96-2: which name each dialect reads in a given agent.
func TestReadAgent(t *testing.T) {
	for _, c := range []struct {
		dialect     *Dialect
		given, want string // want "": no name
	}{
		{RFC9309, "ExampleBot", "ExampleBot"},
		{RFC9309, "Foo2Bot", "Foo"},
		{RFC9309, "*", "*"},
		{RFC9309, "* x", ""},
		{RFC9309, "", ""},
		{nil, "a_b-c", "a_b-c"},
		{Draft1996, "360Spider/1.0", "360Spider"},
		{Draft1996, "FigTree/0.1 Robot/1.0 libwww-perl/5.04", "FigTree"},
		{Standard1994, "Mozilla/5.0 (compatible; MJ12bot/v1.4.8)", "MJ12bot"},
		{Standard1994, "Offline Explorer", "Offline Explorer"},
		{Google, "any thing/(", "any thing/("},
		{Google, "*", "*"},
	} {
		got, ok := c.dialect.ReadAgent(c.given)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("%s reads %q as %q, %v; want %q", c.dialect, c.given, got, ok, c.want)
		}
	}
}

// R-3, G-11: an agent with several tokens, the most specific first. Only the most specific
// group applies, as in Google's documentation; Google's parser would combine all.
func TestSeveralTokens(t *testing.T) {
	const body = "user-agent: news\ndisallow: /n\nuser-agent: bot\ndisallow: /b\nuser-agent: *\ndisallow: /s\n"
	for _, d := range []*Dialect{Standard1994, Draft1996, Draft2019, RFC9309, Google} {
		f := Parse([]byte(body), d)
		for _, c := range []struct {
			tokens []string
			denied string
		}{
			{[]string{"news", "bot"}, "/n"},
			{[]string{"bot", "news"}, "/b"},
			{[]string{"images", "bot"}, "/b"},
			{[]string{"images", "other"}, "/s"},
			{nil, "/s"},
			{[]string{"*"}, "/s"},
		} {
			p := f.Agent(c.tokens...)
			for _, path := range []string{"/n", "/b", "/s"} {
				if got := p.Check(path).Allowed; got != (path != c.denied) {
					t.Errorf("%s: agent %q, path %s: allowed %v", d, c.tokens, path, got)
				}
			}
			if got := p.Agents(); !slices.Equal(got, c.tokens) {
				t.Errorf("%s: agents %q, want %q", d, got, c.tokens)
			}
		}
	}
}

// Which part of a URL is compared, and in which form (R-7, S94-8, S96-4).
func TestWhatOfATargetIsCompared(t *testing.T) {
	for target, want := range map[string]string{ // the path that is compared; "": none
		"https://h":            "/",
		"https://h/":           "/",
		"https://h?q":          "/?q",
		"https://h#f":          "/",
		"https://h/a?b#c":      "/a?b",
		"https://u:p@h:8/a":    "/a",
		"x-1+.y://h/a":         "/a",
		"/a?b#c":               "/a?b",
		"//h/a":                "//h/a",
		"/a b":                 "/a%20b",
		"/%7e%2a$*%zz%":        "/~%2A%24%2A%zz%",
		"/\u00e9%c3%A9":        "/%C3%A9%C3%A9",
		"/%2F%3f%26%3d%23%3A?": "/%2F%3F%26%3D%23:?",
		"":                     "",
		"a/b":                  "",
		"h://":                 "",
		"http:///a":            "",
		"1://h/a":              "",
		"?q":                   "",
	} {
		trace := Parse(nil, RFC9309).Agent("a").Explain(target)
		if (trace.Decision.Reason == InvalidTarget) != (want == "") {
			t.Errorf("%q: %s", target, trace.Decision.Reason)
		}
		trace = Parse([]byte("user-agent: a"), RFC9309).Agent("a").Explain(target)
		if trace.Path != want {
			t.Errorf("%q is compared as %q, want %q", target, trace.Path, want)
		}
	}
}

// Google's parser splits any string (U-1 to U-6).
func TestWhatGoogleCompares(t *testing.T) {
	for target, want := range map[string]string{
		"":                       "/",
		"/":                      "/",
		"/a":                     "/a",
		"//h/a":                  "/a",
		"//h":                    "/",
		"///a":                   "/a",
		"h/a":                    "/a",
		"a":                      "/",
		"http://h;p/a?b":         "/;p/a?b",
		"https://h?q":            "/?q",
		"https://h#f/a":          "/",
		"https://h/a#f":          "/a",
		"#/a":                    "/",
		"http:///a":              "/a",
		"/x://h/a":               "/x://h/a",
		"x?y://h/a":              "/?y://h/a",
		"x;y://h/a":              "/;y://h/a",
		"http://h/a\x00b":        "/a",
		"http://h/a%2fb/%zz\xff": "/a%2fb/%zz\xff",
	} {
		if trace := ParseString("user-agent: a", Google).Agent("a").Explain(target); trace.Path != want {
			t.Errorf("%q is compared as %q, want %q", target, trace.Path, want)
		}
	}
}

// Check does not allocate, also for long URLs that are not in normal form.
func TestCheckDoesNotAllocate(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector makes pools allocate")
	}
	const body = "user-agent: *\ndisallow: /a*b?c=/d%2f\nallow: /%7e\ndisallow: */index.html$\nallow: /d/index.html\n"
	long := "https://example.com/" + strings.Repeat("%c3%a9 *", 1000)
	for _, d := range Dialects() {
		p := Parse([]byte(body), d).Agent("ExampleBot")
		for _, target := range []string{"/", "https://example.com?x=%2f", long, "no target"} {
			if n := testing.AllocsPerRun(50, func() { p.Check(target) }); n != 0 {
				t.Errorf("%s: %v allocations for a target of %d bytes", d, n, len(target))
			}
		}
	}
}

// M-8, M-9: Google's parser parses the file for every URL, which takes seconds for this file.
// A policy is compiled once. Many goroutines use it at the same time, and it decides the same
// for all of them.
func TestPolicyIsShared(t *testing.T) {
	body := "user-agent: *\nallow: /end\n" + strings.Repeat("disallow: /"+strings.Repeat("*a", 8000)+"$\n", 30)
	targets := []string{"/end", "/" + strings.Repeat("a", 8000), "/" + strings.Repeat("ab", 4000)}
	for _, d := range []*Dialect{RFC9309, Google} {
		p := Parse([]byte(body), d).Agent("ExampleBot")
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for range 2 {
					for i, want := range []Decision{
						{true, ByRule, Rule{true, "/end", 2}},
						{false, ByRule, Rule{false, "/" + strings.Repeat("*a", 8000) + "$", 3}},
						{true, NoRuleMatched, Rule{}},
					} {
						if got := p.Check(targets[i]); got != want {
							t.Errorf("%s: target %d gets %.100v", d, i, got)
						}
					}
				}
			})
		}
		wg.Wait()
	}
}

// CrawlDelay and Records return those of the groups that apply, but not for Google (G-10).
func TestCrawlDelay(t *testing.T) {
	const body = "crawl-delay: 99\nuser-agent: a\ncrawl-delay: 2\nuser-agent: b\ncrawl-delay: abc\ndisallow: /\n" +
		"user-agent: *\ndisallow: /\ncrawl-delay: 7\nuser-agent: a\ncrawl-delay: 0.5\nrequest-rate: 1/5\n"
	for _, c := range []struct {
		dialect *Dialect
		agent   string
		want    time.Duration
		ok      bool
	}{
		{RFC9309, "a", 2 * time.Second, true},
		{RFC9309, "c", 7 * time.Second, true},
		{Draft1996, "c", 7 * time.Second, true},
		{Google, "a", 0, false},
	} {
		p := Parse([]byte(body), c.dialect).Agent(c.agent)
		if got, ok := p.CrawlDelay(); got != c.want || ok != c.ok {
			t.Errorf("%s: %s has a crawl delay of %v, %v; want %v, %v", c.dialect, c.agent, got, ok, c.want, c.ok)
		}
	}
	records := Parse([]byte(body), RFC9309).Agent("a").Records()
	if len(records) != 3 || records[2] != (record.RequestRate{Requests: 1, Per: 5 * time.Second}) {
		t.Errorf("records %v", records)
	}
	const ended = "user-agent: a\ndisallow: /\ncrawl-delay: 1\n\ncrawl-delay: 5\ndisallow: /x\n" // the empty line ends the group (S94-2)
	for d, want := range map[*Dialect]int{Standard1994: 1, Draft1996: 1, RFC9309: 2} {
		if got := Parse([]byte(ended), d).Agent("a").Records(); len(got) != want {
			t.Errorf("%s: records %v, want %d", d, got, want)
		}
	}
	if got := (&Policy{}).Records(); got != nil {
		t.Errorf("the zero Policy has records %v", got)
	}
}

// Other records never change a verdict (R-11, R-17, G-12).
func TestRecordsDecideNothing(t *testing.T) {
	const rules = "user-agent: a\n%suser-agent: b\n%sdisallow: /x\n%s"
	for _, info := range record.All() {
		for _, value := range []string{"", "/x", "abc", "https://x", "1/1s", "search=no"} {
			line := info.Name + ": " + value + "\n"
			for _, d := range Dialects() {
				for _, agent := range []string{"a", "b"} {
					got := check(strings.ReplaceAll(rules, "%s", line), d, agent, "/x")
					want := check(strings.ReplaceAll(rules, "%s", ""), d, agent, "/x")
					if got.Allowed != want.Allowed {
						t.Errorf("%s: %q changes the verdict", d, line)
					}
				}
			}
		}
	}
}

func TestDialectNamed(t *testing.T) {
	for _, d := range Dialects() {
		if got, err := DialectNamed(strings.ToUpper(d.String())); got != d || err != nil {
			t.Errorf("%s: %v, %v", d, got, err)
		}
		if d.Title() == "" {
			t.Errorf("%s has no title", d)
		}
	}
	if _, err := DialectNamed("rfc"); err == nil || !strings.Contains(err.Error(), "rfc9309") {
		t.Errorf("an unknown dialect: %v", err)
	}
	var none *Dialect
	if none.String() != "rfc9309" || none.WithLimit(0).String() != "rfc9309" {
		t.Error("the nil dialect is not RFC 9309")
	}
}

// The size of a file includes the rule sets that it keeps: patterns, normal forms that are no
// part of the body, and sweeps. The size of a policy includes its rules only if the file does
// not keep them.
func TestSize(t *testing.T) {
	size := func(rules string) int {
		body := "user-agent: *\n" + rules
		f := Parse([]byte(body), RFC9309)
		before := f.Size()
		if before < len(body) {
			t.Errorf("a file of %d bytes: %d", len(body), before)
		}
		if p := f.Agent("a"); p.Size() > 300 {
			t.Errorf("a policy whose rules the file keeps: %d bytes", p.Size())
		}
		return f.Size() - before
	}
	const rules = 20
	repeat := func(rule string) int { return size(strings.Repeat(rule, rules)) }
	none, plain := size(""), repeat("disallow: /"+strings.Repeat("u", 3000)+"\n")
	if plain <= none || plain > none+1500 {
		t.Errorf("long patterns as written: %d bytes, none: %d", plain, none)
	}
	if encoded := repeat("disallow: /" + strings.Repeat("\u00fc", 1500) + "\n"); encoded < plain+rules*9000 {
		t.Errorf("patterns whose normal form has 9,000 bytes: %d bytes, as written: %d", encoded, plain)
	}
	if many := size(strings.Repeat("disallow: /u\n", 1000)); many < none+headSize*1000 {
		t.Errorf("a thousand rules: %d bytes", many)
	}
	if swept := size(strings.Repeat("disallow: /"+strings.Repeat("*a", 100)+"b\n", 100)); swept < none+4*100*100 {
		t.Errorf("a hundred rules of a hundred segments: %d bytes", swept)
	}
}

// letters returns the i-th name of three letters.
func letters(i int) string {
	return string([]byte{byte('a' + i%10), byte('a' + i/10%10), byte('a' + i/100%10)})
}

// Agents to which the same groups apply share a rule set, which the file keeps. The number of
// these is limited; other rule sets are only kept by their policies.
func TestPoliciesShareRules(t *testing.T) {
	f := Parse([]byte("user-agent: a\nuser-agent: b\ndisallow: /x\n\nuser-agent: *\ndisallow: /y"), RFC9309)
	if a, b := f.Agent("a"), f.Agent("b"); a.rules != b.rules {
		t.Error("two names of one group have rules of their own")
	}
	if c, d := f.Agent("c"), f.Agent(); c.rules != d.rules || c.rules == f.Agent("a").rules {
		t.Error("a crawler without a group does not have the rules of *")
	}
	var body strings.Builder
	for i := range 500 {
		fmt.Fprintf(&body, "user-agent: %s\ndisallow: /%d\n\n", letters(i), i)
	}
	f = Parse([]byte(body.String()), RFC9309)
	var policies []*Policy
	for i := range 500 {
		policies = append(policies, f.Agent(letters(i)))
	}
	if len(f.keptSets) > maxKept {
		t.Errorf("%d compiled groups are kept", len(f.keptSets))
	}
	if first, last := policies[0].Size(), policies[499].Size(); first <= last {
		t.Errorf("a policy that alone holds its rules: %d bytes; one whose rules the file keeps: %d", first, last)
	}
	for i, p := range policies {
		if d := p.Check(fmt.Sprintf("/%d", i)); d.Allowed || d.Rule.Line != 3*i+2 {
			t.Errorf("policy %d: %v", i, d)
		}
	}
}

// S96-9: white space around the caller's name is ignored in every dialect except Google's,
// whose parser uses the string unchanged.
func TestSpaceAroundTheAgent(t *testing.T) {
	f := []byte("user-agent: foo\ndisallow: /")
	for _, d := range Dialects() {
		for _, agent := range []string{" foo", " foo ", "foo ", "\tfoo\r\n", " foo/1.0 ", "\v\ffoo"} {
			want := Decision{Reason: ByRule, Rule: Rule{Pattern: "/", Line: 2}}
			if d == Google {
				want = Decision{Allowed: true, Reason: NoGroup}
			}
			if got := Parse(f, d).Agent(agent).Check("/"); got != want {
				t.Errorf("%s: %q gets %v, %s", d, agent, got.Allowed, got.Reason)
			}
		}
		for agent, want := range map[string]Reason{" * ": NoGroup, "  ": InvalidAgent, "": InvalidAgent} {
			if got := Parse(f, d).Agent(agent).Check("/").Reason; got != want && d != Google {
				t.Errorf("%s: %q gets %s, want %s", d, agent, got, want)
			}
		}
	}
}

// CrawlDelay returns the longest delay of several lines. A delay that is too long is read as
// the longest possible one.
func TestLongestCrawlDelay(t *testing.T) {
	for value, want := range map[string]time.Duration{
		"0.5": time.Second, "20": 20 * time.Second, "1e9": 1e9 * time.Second, strings.Repeat("9", 100_000): 1e9 * time.Second,
	} {
		policy := Parse([]byte("user-agent: *\ncrawl-delay: 1\ncrawl-delay: "+value), RFC9309).Agent("a")
		if got, ok := policy.CrawlDelay(); got != want || !ok {
			t.Errorf("the policy under Crawl-delay: %.40s has %v, %v", value, got, ok)
		}
	}
}

// A value that is no number of seconds is no delay, and does not change the delay of another
// line.
func TestNoCrawlDelay(t *testing.T) {
	for _, value := range []string{"", "-1", "-1e9", "NaN", "Inf", "-Inf", "abc", "1e"} {
		lines := "user-agent: *\ncrawl-delay: " + value + "\n"
		if got, ok := Parse([]byte(lines), RFC9309).Agent("a").CrawlDelay(); got != 0 || ok {
			t.Errorf("Crawl-delay: %s gives %v, %v", value, got, ok)
		}
		if got, ok := Parse([]byte(lines+"crawl-delay: 2"), RFC9309).Agent("a").CrawlDelay(); got != 2*time.Second || !ok {
			t.Errorf("Crawl-delay: %s, and another one of 2, give %v, %v", value, got, ok)
		}
	}
}

// IsNamed says which groups apply: those that name the crawler, or those for "*" (R-3, S94-6).
func TestIsNamed(t *testing.T) {
	const body = "User-agent: a\nUser-agent: *\nDisallow: /x\n\nUser-agent: b\nUser-agent: cc\nDisallow: /y\n"
	for _, c := range []struct {
		dialect *Dialect
		tokens  []string
		want    bool
	}{
		{RFC9309, []string{"a"}, true},
		{RFC9309, []string{"CC"}, true},
		{RFC9309, []string{"d"}, false}, // the group also names another crawler
		{RFC9309, nil, false},
		{RFC9309, []string{"d", "b"}, true},
		{Google, []string{"b"}, true},
		{RFC9309, []string{"bb"}, false},
		{Standard1994, []string{"bb"}, true},
	} {
		p := ParseString(body, c.dialect).Agent(c.tokens...)
		named := slices.ContainsFunc(p.Explain("/").Groups, func(u GroupUse) bool { return u.Role.Applies() && u.Role != NamesEveryone })
		if got := p.IsNamed(); got != c.want || named != c.want {
			t.Errorf("%s, %q: %v, and explained as %v", c.dialect, c.tokens, got, named)
		}
	}
	for _, f := range []*File{{}, AllowAll(Unavailable, nil), ParseString("User-agent: b\n", nil)} {
		if f.Agent("a").IsNamed() {
			t.Error("nobody is named")
		}
	}
}

// A path that a comparison has found is one that a URL can have, also where the normal form of a
// dialect decodes it (S96-4).
func TestURLPath(t *testing.T) {
	p := ParseString("User-agent: *\nDisallow: /a%20b%0a\xe9%2fc", Draft1996).Agent()
	for pattern := range p.Patterns() {
		path := PathsOf(p, p).URLPath(strings.Join(pattern.Segments, ""))
		if path != "/a%20b%0A%E9%2Fc" || p.Check(path).Allowed {
			t.Errorf("%q: %v", path, p.Check(path))
		}
	}
}
