package lint

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/heed-robots/heed/compare"
	"github.com/heed-robots/heed/internal/ascii"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/robotstxt"
)

const dropsWildcard = "named-group-drops-wildcard"

// dropsIn is findingsOf for named-group-drops-wildcard, without the work for other rules.
func dropsIn(body string) (findings []Finding) {
	namedGroupDropsWildcard(newFile(body), RuleOf(dropsWildcard).into(&findings))
	return findings
}

// repeatCases are files with what they are when the rules of the "*" group are repeated; "" is for a file
// whose finding has no fix.
var repeatCases = []struct{ name, body, fixed string }{
	{"a rule", "User-agent: *\nDisallow: /a\n\nUser-agent: x\nDisallow: /b\n",
		"User-agent: *\nDisallow: /a\n\nUser-agent: x\nDisallow: /b\nDisallow: /a\n"},
	{"in the order of the file, in two groups", "User-agent: x\nDisallow: /b\n\nUser-agent: *\nDisallow: /c\nAllow: /a/c\nDisallow: /a\n\nUser-agent: y\nUser-agent: z\nDisallow: /d\nSitemap: https://a.example/s\n",
		"User-agent: x\nDisallow: /b\nDisallow: /c\nAllow: /a/c\nDisallow: /a\n\nUser-agent: *\nDisallow: /c\nAllow: /a/c\nDisallow: /a\n\nUser-agent: y\nUser-agent: z\nDisallow: /d\nDisallow: /c\nAllow: /a/c\nDisallow: /a\nSitemap: https://a.example/s\n"},
	{"rules that are not needed", "User-agent: *\nDisallow: /a\nDisallow: /a/b\nAllow: /c\nDisallow: /a\n\nUser-agent: x\nDisallow: /b\n",
		"User-agent: *\nDisallow: /a\nDisallow: /a/b\nAllow: /c\nDisallow: /a\n\nUser-agent: x\nDisallow: /b\nDisallow: /a\n"},
	{"an exception from two rules", "User-agent: *\nDisallow: /a\nDisallow: /*xyz\nAllow: /a/b/c\n\nUser-agent: x\nDisallow: /b\n",
		"User-agent: *\nDisallow: /a\nDisallow: /*xyz\nAllow: /a/b/c\n\nUser-agent: x\nDisallow: /b\nDisallow: /a\nDisallow: /*xyz\nAllow: /a/b/c\n"},
	{"keys in other spellings", "User-agent: *\ndisalow : /a # why\n\nUser-agent: x\nDisallow: /b # b\n# end\n",
		"User-agent: *\ndisalow : /a # why\n\nUser-agent: x\nDisallow: /b # b\nDisallow: /a\n# end\n"},
	{"records below the rules, and an empty line", "User-agent: *\nDisallow: /a\nUser-agent: x\n\nDisallow: /b\nCrawl-delay: 1\n",
		"User-agent: *\nDisallow: /a\nUser-agent: x\n\nDisallow: /b\nDisallow: /a\nCrawl-delay: 1\n"},

	{"line ends of Windows", "User-agent: *\r\nDisallow: /a\r\nUser-agent: x\r\nDisallow: /b\r\n", "User-agent: *\r\nDisallow: /a\r\nUser-agent: x\r\nDisallow: /b\r\nDisallow: /a\r\n"},
	{"line ends of old Macs", "User-agent: *\rDisallow: /a\rUser-agent: x\rDisallow: /b\r", "User-agent: *\rDisallow: /a\rUser-agent: x\rDisallow: /b\rDisallow: /a\r"},
	{"no line end", "User-agent: *\nDisallow: /a\nDisallow: /c\nUser-agent: x\nDisallow: /b", "User-agent: *\nDisallow: /a\nDisallow: /c\nUser-agent: x\nDisallow: /b\nDisallow: /a\nDisallow: /c"},
	{"no line end, of Windows", "User-agent: *\r\nDisallow: /a\r\nUser-agent: x\r\nDisallow: /b", "User-agent: *\r\nDisallow: /a\r\nUser-agent: x\r\nDisallow: /b\r\nDisallow: /a"},
	{"a byte-order mark", "\ufeffUser-agent: x\nDisallow: /b\nUser-agent: *\nDisallow: /a\n", "\ufeffUser-agent: x\nDisallow: /b\nDisallow: /a\nUser-agent: *\nDisallow: /a\n"},

	{"an Allow of the same path, and a longer one, still decide", "User-agent: *\nDisallow: /a\nDisallow: /c\n\nUser-agent: x\nAllow: /a\nAllow: /c/d\n",
		"User-agent: *\nDisallow: /a\nDisallow: /c\n\nUser-agent: x\nAllow: /a\nAllow: /c/d\nDisallow: /c\n"},
	{"an exception of a rule of which the finding does not speak", "User-agent: *\nDisallow: /a\nDisallow: /c\n\nUser-agent: x\nAllow: /a$\n",
		"User-agent: *\nDisallow: /a\nDisallow: /c\n\nUser-agent: x\nAllow: /a$\nDisallow: /a\nDisallow: /c\n"},
	{"the group itself disallows what * allows", "User-agent: *\nDisallow: /a\nAllow: /a/b/c\n\nUser-agent: x\nDisallow: /a/b/c\n", // the Allow would decide
		"User-agent: *\nDisallow: /a\nAllow: /a/b/c\n\nUser-agent: x\nDisallow: /a/b/c\nDisallow: /a\n"},
	{"a repeated Disallow would decide where the group allows", "User-agent: *\nDisallow: /private/\n\nUser-agent: x\nAllow: /*.pdf\n", ""},
	{"a repeated Allow would decide where the group disallows", "User-agent: *\nDisallow: /a\nAllow: /a/long\n\nUser-agent: x\nDisallow: /*ng/\n", ""},

	{"crawlers that never follow *", "User-agent: *\nDisallow: /a\nUser-agent: x\nUser-agent: AdsBot-Google\nDisallow: /b\n", ""},
	{"a purpose token", "User-agent: *\nDisallow: /a\nUser-agent: x\nUser-agent: Google-Extended\nDisallow: /b\n", ""},
	{"a crawler that names nobody", "User-agent: *\nDisallow: /a\nUser-agent: x\nUser-agent: 360\nDisallow: /b\n", "User-agent: *\nDisallow: /a\nUser-agent: x\nUser-agent: 360\nDisallow: /b\nDisallow: /a\n"},
	{"a group of its own besides one that it shares", "User-agent: *\nDisallow: /a\nUser-agent: x\nUser-agent: y\nDisallow: /b\nUser-agent: x\nDisallow: /c\nUser-agent: y\nAllow: /\n",
		"User-agent: *\nDisallow: /a\nUser-agent: x\nUser-agent: y\nDisallow: /b\nUser-agent: x\nDisallow: /c\nDisallow: /a\nUser-agent: y\nAllow: /\n"},
	{"the group of the first crawler is the last one", "User-agent: *\nDisallow: /a\nUser-agent: x\nUser-agent: y\nDisallow: /b\nUser-agent: y\nAllow: /\nUser-agent: z\nDisallow: /d\nUser-agent: x\nDisallow: /c\n",
		"User-agent: *\nDisallow: /a\nUser-agent: x\nUser-agent: y\nDisallow: /b\nUser-agent: y\nAllow: /\nUser-agent: z\nDisallow: /d\nDisallow: /a\nUser-agent: x\nDisallow: /c\nDisallow: /a\n"},
	{"no group of its own", "User-agent: *\nDisallow: /a\nUser-agent: x\nUser-agent: y\nDisallow: /b\nUser-agent: y\nAllow: /\n", ""},
	{"in a group for everyone", "User-agent: *\nDisallow: /a\nUser-agent: x\nUser-agent: *\nDisallow: /b\n", ""},
	{"some have a fix, others have none", "User-agent: *\nDisallow: /private/\nUser-agent: x\nDisallow: /b\nUser-agent: y\nAllow: /*.pdf\nUser-agent: z\nDisallow: /d\n",
		"User-agent: *\nDisallow: /private/\nUser-agent: x\nDisallow: /b\nDisallow: /private/\nUser-agent: y\nAllow: /*.pdf\nUser-agent: z\nDisallow: /d\nDisallow: /private/\n"},

	{"no rule", "User-agent: *\nDisallow: /a\n\nUser-agent: x\n# slowly\nCrawl-delay: 1\n# end\n\nHost: a.example\n", "User-agent: *\nDisallow: /a\n\nUser-agent: x\n# slowly\nCrawl-delay: 1\nDisallow: /a\n# end\n\nHost: a.example\n"},
	{"no rule and no line end", "User-agent: *\nDisallow: /a\n\nUser-agent: x", "User-agent: *\nDisallow: /a\n\nUser-agent: x\nDisallow: /a"},
	{"one group that looks like two", "User-agent: *\nDisallow: /a\n\nUser-agent: x\nUser-agent: y\nCrawl-delay: 1\n\nUser-agent: z\nCrawl-delay: 2\n",
		"User-agent: *\nDisallow: /a\n\nUser-agent: x\nUser-agent: y\nCrawl-delay: 1\nDisallow: /a\n\nUser-agent: z\nCrawl-delay: 2\nDisallow: /a\n"},
	{"one group with rules that looks like two", "User-agent: *\nDisallow: /old/\n\nUser-agent: Googlebot\n\nUser-agent: GPTBot\nDisallow: /internal/\n", ""},
	{"one group that looks like two for one crawler", "User-agent: *\nDisallow: /a\n\nUser-agent: x\nCrawl-delay: 1\n\nUser-agent: X\nCrawl-delay: 2\n", ""},
	{"Google's parser reads another rule below", "User-agent: *\nDisallow: /a\nUser-agent: x\nDisallow: /b\nDisallowed: /c\n", ""},
	{"Google's parser reads another crawler", "User-agent: *\nDisallow: /a\nUser-agent: x\nUser-agents: y\nDisallow: /b\n", ""},

	{"comments that turn rules off", "User-agent: *\n# heed-lint: ignore path-start, percent-encoding\nDisallow: /a%2Fb # heed-lint: ignore tie\nDisallow: /c\n\nUser-agent: x\nDisallow: /b # heed-lint: ignore tie\n# heed-lint: ignore stray-text\nhello\n",
		"User-agent: *\n# heed-lint: ignore path-start, percent-encoding\nDisallow: /a%2Fb # heed-lint: ignore tie\nDisallow: /c\n\nUser-agent: x\nDisallow: /b # heed-lint: ignore tie\nDisallow: /a%2Fb # heed-lint: ignore path-start, percent-encoding, tie\nDisallow: /c\n# heed-lint: ignore stray-text\nhello\n"},
	{"a misspelt name", "User-agent: *\nDisallow: /a\nUser-agent: Googelbot\nDisallow: /b\nUser-agent: Googlebot\nDisallow: /c\n",
		"User-agent: *\nDisallow: /a\nUser-agent: Googelbot\nDisallow: /b\nUser-agent: Googlebot\nDisallow: /c\nDisallow: /a\n"},
	{"no UTF-8", "User-agent: *\nDisallow: /\xe9\n\nUser-agent: x\nDisallow: /b\n", ""},
	{"as large as crawlers read", padded("User-agent: *\nDisallow: /a\nUser-agent: x\nDisallow: /b\n", maxSize-len("Disallow: /a\n")),
		padded("User-agent: *\nDisallow: /a\nUser-agent: x\nDisallow: /b\nDisallow: /a\n", maxSize)},
	{"too large", padded("User-agent: *\nDisallow: /a\nUser-agent: x\nDisallow: /b\n", maxSize-len("Disallow: /a\n")+1), ""},
	{"as many rules as Yandex reads", "User-agent: *\n" + numbered("Disallow: /%04d", maxRules/2-1) + "User-agent: x\nDisallow: /x\nDisallow: /y\n",
		"User-agent: *\n" + numbered("Disallow: /%04d", maxRules/2-1) + "User-agent: x\nDisallow: /x\nDisallow: /y\n" + numbered("Disallow: /%04d", maxRules/2-1)},
	{"too many rules", "User-agent: *\n" + numbered("Disallow: /%04d", maxRules/2) + "User-agent: x\nDisallow: /x\n", ""},
}

// padded returns a file with a comment, so that it has a size.
func padded(body string, size int) string {
	return strings.Repeat("#", size-len(body)-1) + "\n" + body
}

func TestRepeat(t *testing.T) {
	for _, c := range repeatCases {
		findings := dropsIn(c.body)
		var fixes []Fix
		for _, found := range findings {
			if found.Fix != nil {
				fixes = append(fixes, *found.Fix)
			}
		}
		switch fixed, _ := Apply([]byte(c.body), fixes); {
		case len(findings) == 0:
			t.Errorf("%s: no finding", c.name)
		case c.fixed == "" && len(fixes) > 0:
			t.Errorf("%s: a fix: %+v", c.name, fixes)
		case c.fixed != "" && string(fixed) != c.fixed:
			t.Errorf("%s: %q\nwant %q", c.name, fixed, c.fixed)
		case checkRepeats(t, []byte(c.body), findings) != len(fixes):
			t.Errorf("%s: not all fixes are checked", c.name)
		}
	}
}

// The titles say how many rules are repeated, in how many groups, and what changes.
func TestRepeatTitles(t *testing.T) {
	for _, c := range []struct {
		body string
		want []string
	}{
		{"User-agent: *\nDisallow: /a\nDisallow: /c\nAllow: /a/b\nUser-agent: x\nDisallow: /b\n", []string{`repeat 2 Disallow rules and 1 Allow rule of the "*" group, so that x may not fetch /a`}},
		{"User-agent: *\nDisallow: /a\nUser-agent: x\nDisallow: /b\n", []string{`repeat 1 rule of the "*" group, so that x may not fetch /a`}},
		{"User-agent: *\nDisallow: /a\nAllow: /a/b\nUser-agent: x\nDisallow: /b\nUser-agent: y\nDisallow: /c\n",
			[]string{`repeat 1 Disallow rule and 1 Allow rule of the "*" group in 2 groups, so that x and y may not fetch /a`}},
		{"User-agent: *\nDisallow: /a\nAllow: /a/b\nUser-agent: x\nDisallow: /a/b\nUser-agent: y\nDisallow: /c\n", // x needs one, y two
			[]string{`repeat 1 Disallow rule and 1 Allow rule of the "*" group in 2 groups, so that x and y may not fetch /a`}},
		{"User-agent: *\nDisallow: /private\nUser-agent: x\nDisallow: /b\nUser-agent: y\nAllow: *.pdf\n", []string{`repeat 1 rule of the "*" group, so that x may not fetch /private`, ""}},
	} {
		var got []string
		for _, found := range dropsIn(c.body) {
			title := ""
			if found.Fix != nil {
				title = found.Fix.Title
			}
			got = append(got, title)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: %q\nwant %q", c.body, got, c.want)
		}
	}
}

// checkRepeats applies the fixes of findings of named-group-drops-wildcard. Then a crawler for which they are may not
// fetch what it might not fetch before, or what "*" may not where its own rules say nothing. For all others nothing
// changes. It returns how many fixes there are.
func checkRepeats(t *testing.T, body []byte, findings []Finding) int {
	t.Helper()
	var fixes []Fix
	crawlers := map[string]bool{}
	for _, found := range findings {
		if found.Code != dropsWildcard || found.Fix == nil {
			continue
		}
		if fixes = append(fixes, *found.Fix); found.Fix.Safe {
			t.Errorf("%s is safe", found.Fix.Title)
		}
		if !slices.IsSortedFunc(found.Fix.Edits, func(a, b Edit) int { return a.Start - b.Start }) {
			t.Errorf("%s: not in file order: %+v", found.Fix.Title, found.Fix.Edits)
		}
		for _, name := range found.Crawlers {
			crawlers[ascii.ToLower(name)] = true
		}
	}
	fixed, applied := Apply(body, fixes)
	if len(applied) != len(fixes) {
		t.Errorf("%d of %d fixes are applied", len(applied), len(fixes))
	}
	if len(fixes) == 0 {
		return 0
	}
	if len(fixed) > maxSize {
		t.Errorf("%d bytes", len(fixed))
	}
	for _, found := range dropsIn(string(fixed)) {
		for _, name := range found.Crawlers {
			if crawlers[ascii.ToLower(name)] {
				t.Errorf("still: %s", found.Message)
			}
		}
	}
	for _, d := range []*robotstxt.Dialect{robotstxt.RFC9309, robotstxt.Google} {
		old, new := robotstxt.Parse(body, d), robotstxt.Parse(fixed, d)
		for name := range rulesByName(newReading(old).groups) {
			if name != "" && !crawlers[name] && compare.Policies(t.Context(), old.Agent(name), new.Agent(name)).Outcome != compare.Equal {
				t.Errorf("%s: %s has other verdicts", d, name)
			}
		}
		if compare.Policies(t.Context(), old.Agent(), new.Agent()).Outcome != compare.Equal {
			t.Errorf("%s: everyone has other verdicts", d)
		}
	}
	old, new := robotstxt.Parse(body, nil), robotstxt.Parse(fixed, nil)
	for name := range crawlers {
		checkFollowsBoth(t, name, old.Agent(), old.Agent(name), new.Agent(name))
	}
	return len(fixes)
}

// checkFollowsBoth checks the new policy of a crawler, with paths made of the rules of its old one and of everyone's.
func checkFollowsBoth(t *testing.T, name string, everyone, old, new *robotstxt.Policy) {
	t.Helper()
	texts := []string{"", "/", "x"}
	for _, p := range []*robotstxt.Policy{everyone, old} {
		for rule := range p.Rules() {
			texts = append(texts, strings.TrimSuffix(rule.Pattern, "$"))
		}
	}
	r := rand.New(rand.NewPCG(1, 1))
	var paths []string
	for i := range 1000 {
		path := "/" + strings.TrimPrefix(texts[i%len(texts)], "/")
		for range i / len(texts) {
			path += texts[r.IntN(len(texts))]
		}
		paths = append(paths, strings.ReplaceAll(path[:min(len(path), 200)], "*", []string{"", "x", "/", "ab"}[r.IntN(4)]))
	}
	for _, path := range paths {
		url := "http://www.example.com" + path
		own, all := old.Check(url), everyone.Check(url)
		want := own.Allowed && (own.Reason != robotstxt.NoRuleMatched || all.Allowed)
		if got := new.Check(url); got.Allowed != want {
			t.Errorf("%s: %s was %v, for everyone it is %v, now %v", name, path, own, all, got)
			return
		}
	}
}

// TestRepeatRandom is about files with groups of all sorts.
func TestRepeatRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	names := []string{"*", "x", "y", "z", "AdsBot-Google", "Google-Extended"}
	patterns := []string{"/a", "/b", "/a/b", "/a$", "/*b", "/ab", "/b/*a", "/*.a$", "/b/", "/*?", "/a%2Fb", "*a*a", "/b*"}
	fixes := 0
	for range 1500 {
		var b strings.Builder
		for range 2 + r.IntN(4) {
			for range 1 + r.IntN(2) {
				fmt.Fprintf(&b, "User-agent: %s\n", names[r.IntN(len(names))])
			}
			for range r.IntN(5) {
				fmt.Fprintf(&b, "%s: %s\n", []string{"Allow", "Disallow", "Disallow"}[r.IntN(3)], patterns[r.IntN(len(patterns))])
			}
			b.WriteString([]string{"", "\n", "Crawl-delay: 1\n"}[r.IntN(3)])
		}
		n := checkRepeats(t, []byte(b.String()), dropsIn(b.String()))
		if fixes += n; t.Failed() {
			t.Fatalf("in this file:\n%s", b.String())
		}
	}
	if fixes < 150 {
		t.Errorf("only %d fixes", fixes)
	}
}

// Rules are not repeated if compare does not find out whether others are needed as well. See TestUndecidedIsNotProved.
func TestRepeatUndecided(t *testing.T) {
	t.Parallel()
	portion.Skip(t, 5)
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	body := "User-agent: *\nDisallow: /a\nDisallow: /*" + strings.Join(strings.Split(letters, ""), "*") + "\nUser-agent: x\n"
	for i := range len(letters) - 1 {
		body += "Allow: /*" + letters[i:i+2] + strings.Repeat("*", 2*len(letters)) + "\n"
	}
	if findings := dropsIn(body); len(findings) != 1 || findings[0].Fix != nil {
		t.Errorf("%+v", findings)
	}
}

// What fixes of one file add is limited, all of them together, and so is the work for them.
func TestRepeatEnds(t *testing.T) {
	for _, c := range []struct {
		name, body string
		limited    func(repeatTotals) bool
	}{
		{"many groups", "User-agent: *\n" + numbered("Disallow: /%03d", 100) + named("User-agent: x%s\nDisallow: /x", 100), func(r repeatTotals) bool { return r.rules > maxRules-300 }},
		{"long rules", "User-agent: *\nDisallow: /" + strings.Repeat("x", 50_000) + "\n" + named("User-agent: x%s\nDisallow: /y", 100), func(r repeatTotals) bool { return r.bytes > maxSize-100_000 }},
		{"no rule can be repeated", "User-agent: *\n" + numbered("Disallow: /%04d", 1_000) + named("User-agent: x%s\nAllow: /*z", 1_000), func(r repeatTotals) bool { return r.work > maxWork }},
	} {
		bytes, lines := 0, 0
		f := newFile(c.body)
		namedGroupDropsWildcard(f, func(found Finding) {
			if found.Fix == nil {
				return
			}
			for _, e := range found.Fix.Edits {
				bytes += len(e.Text)
				lines += strings.Count(e.Text, "\n")
			}
		})
		if !c.limited(f.repeatTotals) {
			t.Errorf("%s: %+v: no limit is reached", c.name, f.repeatTotals)
		}
		if bytes > maxSize-len(c.body) || lines > maxRules-100 || f.repeatTotals.work > maxWork+compare.MaxWork {
			t.Errorf("%s: %d bytes, %d lines, %+v", c.name, bytes, lines, f.repeatTotals)
		}
	}
}
