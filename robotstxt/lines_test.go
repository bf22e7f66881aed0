package robotstxt

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Line.Group is the number of the group that Groups yields with that line, in every dialect
// (R-1, R-4, S94-2).
func TestLinesNameTheirGroup(t *testing.T) {
	bodies := append([]string{
		"Disallow: /early\nUser-agent: a\n\nDisallow: /x\nUser-agent: b\nUser-agent: c\nCrawl-delay: 1\n\nAllow: /\nUser-agent: 5\n",
		"User-agent: a\nDisallow: /x\n" + strings.Repeat("#", minLimit) + "\nUser-agent: b\nDisallow: /y\n",
	}, seedFiles...)
	for _, d := range Dialects() {
		for _, body := range bodies {
			f := Parse([]byte(body), d)
			want := map[int]int{}
			number := 0
			for g := range f.Groups() {
				number++
				for _, a := range g.Agents {
					want[a.Line] = number
				}
				for _, r := range g.Rules {
					want[r.Line] = number
				}
			}
			for line := range f.Lines() {
				counts := line.Kind == KindUserAgent || line.Kind.isRule()
				if counts && line.Group != want[line.Number] || line.Notes.Has(NoteOutsideGroup) && line.Group != 0 {
					t.Errorf("%s: line %d is of group %d, want %d, in %.100q", d, line.Number, line.Group, want[line.Number], body)
				}
			}
		}
	}
}

// Which lines have no effect in which dialects (R-4, R-10, R-11, R-19, S94-3, G-10). The last
// line of each text is checked.
func TestIgnores(t *testing.T) {
	const group = "User-agent: a\n"
	for text, want := range map[string]string{
		"":                             "",
		"# x":                          "",
		"Disallow: /x":                 "standard1994 draft1996 draft2019 rfc9309 google",
		group + "Disallow: /x":         "",
		group + "Allow: /x":            "standard1994",
		group + "Disallow:":            "",
		group + "Disallow: x":          "",
		group + "Disalow: /x":          "standard1994 draft1996",
		group + "\nDisallow: /x":       "standard1994 draft1996",
		group + "what is this":         "standard1994 draft1996 draft2019 rfc9309 google",
		group + "Foo: bar":             "standard1994 draft1996 draft2019 rfc9309 google",
		group + "Crawl-delay: 5":       "google",
		"Crawl-delay: 5":               "standard1994 draft1996 draft2019 rfc9309 google",
		"Sitemap: https://x.example/s": "",
		"Sitemap:":                     "standard1994 draft1996 draft2019 rfc9309 google",
		"Host: x.example":              "google",
		"User-agent: 5":                "",
		group + strings.Repeat("#", minLimit) + "\nDisallow: /x": "standard1994 draft1996 draft2019 rfc9309",
	} {
		var got []string
		for _, d := range Dialects() {
			var last Line
			for line := range Parse([]byte(text), d).Lines() {
				last = line
			}
			if !d.Ignores(last) {
				continue
			}
			got = append(got, d.String())
			const rest = "User-agent: *\nDisallow: /"
			with, without := Parse([]byte(text+"\n"+rest), d), Parse([]byte(text[:last.Offset]+rest), d)
			if got, want := with.Agent("a").Check("/").Allowed, without.Agent("a").Check("/").Allowed; got != want {
				t.Errorf("%.80q, %s: allowed is %t with the ignored line, and %t without it", text, d, got, want)
			}
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("%.80q: ignored by %q, want %q", text, got, want)
		}
	}
	if line := (Line{Kind: KindDisallow}); (*Dialect)(nil).Ignores(line) != RFC9309.Ignores(line) {
		t.Error("nil is not RFC 9309")
	}
}

// AgentIn returns what a dialect reads in a User-agent line (R-2, S94-6).
func TestAgentIn(t *testing.T) {
	for text, want := range map[string]Agent{
		"User-agent: MJ12bot":        {Value: "MJ12bot", Name: "MJ", Line: 1},
		"User-agent: GPTBot, CCBot":  {Value: "GPTBot, CCBot", Name: "GPTBot", Line: 1},
		"User-agent: * # everyone":   {Value: "*", Name: "*", Everyone: true, Line: 1},
		"User-agent: *\tx":           {Value: "*\tx", Name: "*", Everyone: true, Line: 1},
		"User-agent: *\vx":           {Value: "*\vx", Name: "*", Everyone: true, Line: 1},
		"User-agent: *\fx":           {Value: "*\fx", Name: "*", Everyone: true, Line: 1},
		"User-agent: * x":            {Value: "* x", Name: "*", Everyone: true, Line: 1},
		"User-agent: *x":             {Value: "*x", Line: 1},
		"User-agent: 360Spider":      {Value: "360Spider", Line: 1},
		"Disallow: /User-agent: Bot": {},
	} {
		if got := (*Dialect)(nil).AgentIn(linesOf(text, nil)[0]); got != want {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
	if got := Standard1994.AgentIn(linesOf("User-agent: MJ12bot/1", Standard1994)[0]); got.Name != "MJ12bot" {
		t.Errorf("%+v", got)
	}
}

// Rules yields by precedence: the longest first, of equally long ones Allow, then the first
// in the file; in the old dialects in file order (R-3, R-5, R-10, S96-3, G-14).
func TestRulesInOrder(t *testing.T) {
	const body = "User-agent: a\nDisallow: /b\nAllow: /b\nDisallow:\nDisallow: /long/er\nAllow: x\nUser-agent: *\nDisallow: /\n" +
		"User-agent: A\nAllow: /d/index.html\nDisallow: /c\n"
	for d, want := range map[*Dialect]string{
		RFC9309:      "10 5 3 2 11 6",
		Google:       "10 5 3 2 11 6 4",
		Draft1996:    "2 3 5 6",
		Standard1994: "2 5",
	} {
		var lines []string
		for r := range Parse([]byte(body), d).Agent("a").Rules() {
			lines = append(lines, fmt.Sprint(r.Line))
		}
		if got := strings.Join(lines, " "); got != want {
			t.Errorf("%s: lines %s, want %s", d, got, want)
		}
	}
	for _, p := range []*Policy{{}, Parse(nil, nil).Agent("a"), AllowAll(Unavailable, nil).Agent("a")} {
		if rules := slices.Collect(p.Rules()); len(rules) > 0 {
			t.Errorf("rules of nothing: %v", rules)
		}
	}
	for range Parse([]byte(body), nil).Agent("a").Rules() {
		break
	}
}

// The candidates of a Trace have the same order as the rules of the policy.
func TestRulesDecideInOrder(t *testing.T) {
	for _, d := range Dialects() {
		for _, body := range seedFiles {
			p := Parse([]byte(body), d).Agent("foo-bot_x")
			var rules []Rule
			for r := range p.Rules() {
				rules = append(rules, r)
			}
			for _, target := range seedTargets {
				trace, from := p.Explain(target), 0
				for _, c := range trace.Candidates {
					at := slices.Index(rules[from:], c.Rule)
					if c.IndexPage {
						continue // sorted by the second pattern of its rule
					}
					if at < 0 {
						t.Fatalf("%s, %q: %s is not among %v, in %q", d, target, c.Rule, rules[from:], body)
					}
					from += at + 1
				}
				if first := trace.Decision; first.Reason == ByRule && !slices.Contains(rules, first.Rule) {
					t.Errorf("%s, %q: %s decides and is not among %v", d, target, first.Rule, rules)
				}
			}
		}
	}
}
