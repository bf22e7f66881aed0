package robotstxt

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/heed-robots/heed/internal/ascii"
	"github.com/heed-robots/heed/internal/testing/portion"
)

// The version behind "-" in a header is no part of the name that a group has to name. A bare
// agent is read as a line is, so that a line with the same text names it.
func TestR2DashedVersion(t *testing.T) {
	f := ParseString("User-agent: nutch\nDisallow: /\n", nil)
	for agent, want := range map[string]bool{"nutch-1.4 (+https://example.com/)": false, "nutch/1.4": false, "nutch": false, "other-1.4 (x)": true} {
		if got := f.Agent(agent).Check("/x").Allowed; got != want {
			t.Errorf("%q: allowed %v, want %v", agent, got, want)
		}
	}
	if name, ok := RFC9309.ReadAgent("Mozilla/5 ExampleBot/1"); name != "ExampleBot" || !ok {
		t.Errorf("a header without a comment is read as %q, %v", name, ok)
	}
	f = ParseString("User-agent: nutch-1.4\nDisallow: /\n", nil)
	if f.Agent("nutch-1.4").Check("/x").Allowed {
		t.Error("nutch-1.4: allowed, though a line has this name")
	}
}

// S94-6: for agents of any length, the first group with a name that is a part of the agent's
// applies. The oracle compares each line with the agent, one after the other.
func TestLongAgents(t *testing.T) {
	portion.Skip(t, 4)
	r := rand.New(rand.NewPCG(1, 2))
	text := func(length int) string {
		b := make([]byte, length)
		for i := range b {
			b[i] = "aAbB"[r.IntN(4)]
		}
		return string(b)
	}
	named := 0
	for range 3000 {
		var body strings.Builder
		for i := range 1 + r.IntN(12) {
			if r.IntN(8) == 0 {
				body.WriteString("User-agent: *\n")
			}
			fmt.Fprintf(&body, "User-agent: %s\n", []string{text(5 + r.IntN(7)), "*", "/1.0", text(1) + "x", text(r.IntN(300))}[min(r.IntN(12), 4)])
			if r.IntN(3) > 0 {
				fmt.Fprintf(&body, "Disallow: /%d\n\n", i)
			}
		}
		agents := append([]string{text(100 + r.IntN(60)), text(200)}[:1+r.IntN(2)], "bxab") // the last one is short
		f := ParseString(body.String(), Standard1994)

		wantRank, wantGroup, number := len(agents)+1, -1, 0
		for g := range f.Groups() {
			for _, a := range g.Agents {
				rank := len(agents) + 1
				if a.Everyone {
					rank = len(agents)
				}
				for i := len(agents) - 1; i >= 0; i-- {
					if !a.Everyone && a.Name != "" && ascii.ContainsFold(agents[i], a.Name) {
						rank = i
					}
				}
				if rank < wantRank {
					wantRank, wantGroup = rank, number
				}
			}
			number++
		}

		p := f.Agent(agents...)
		got := -1
		if groups := p.GroupsThatApply(); len(groups) > 0 {
			got = groups[0]
		}
		if got != wantGroup || p.IsNamed() != (wantRank < len(agents)) {
			t.Fatalf("%q, %q: group %d, named %v; want group %d with rank %d", body.String(), agents, got, p.IsNamed(), wantGroup, wantRank)
		}
		for i, use := range p.Explain("/").Groups {
			if use.Role.Applies() != (i == wantGroup) || use.Role == NamesAgent != (i == wantGroup && wantRank == 0) {
				t.Fatalf("%q, %q: group %d: %s", body.String(), agents, i, use.Role)
			}
			if use.Role.Applies() && p.IsNamed() && !ascii.ContainsFold(agents[wantRank], use.Agent.Name) {
				t.Fatalf("%q, %q: %s", body.String(), agents, use.Agent)
			}
		}
		if p.IsNamed() {
			named++
		}
	}
	if named < 1000 || named > 2900 {
		t.Errorf("%d agents are named: the files prove little", named)
	}
}

// S94-6: what is special in names that are found in a long agent in one pass.
func TestNamesInLongAgents(t *testing.T) {
	x := strings.Repeat("x", 40)
	for _, c := range []struct {
		what, body, agent string
		named             bool
	}{
		{"the end of an end", "User-agent: b\n\nUser-agent: abq\n\nUser-agent: aabq\n", x + "aab", true},
		{"* is no name", "User-agent: *\n", x + "*", false},
		{"no name", "User-agent: /1.0\n", x, false},
		{"a name that is longer", "User-agent: " + x + "x\n", x, false},
		{"the whole name", "User-agent: " + x + "\n", x, true},
	} {
		p := ParseString(c.body, Standard1994).Agent(c.agent)
		if p.IsNamed() != c.named {
			t.Errorf("%s: named is %v", c.what, p.IsNamed())
		}
	}
	for _, d := range []*Dialect{Draft1996, Draft2019, RFC9309, Google} { // a whole name is compared
		if !d.NamesAreParts() && ParseString("User-agent: xx\nDisallow: /\n", d).Agent(x).IsNamed() {
			t.Errorf("%s: a part of the name is found", d)
		}
	}
}

// Crawlers that one group names share its rules, and each is named.
func TestCrawlersOfOneGroup(t *testing.T) {
	for _, d := range Dialects() {
		f := ParseString("User-agent: b\nUser-agent: a\nDisallow: /\n", d)
		for _, agent := range []string{"a", "b"} {
			p := f.Agent(agent)
			if use := p.Explain("/x").Groups[0]; !p.IsNamed() || use.Role != NamesAgent || use.Agent.Value != agent {
				t.Errorf("%s, %s: named is %v, %s by %q", d, agent, p.IsNamed(), use.Role, use.Agent.Value)
			}
		}
	}
}

// S94-6, S96-2: white space of every kind before a version is no part of the name.
func TestSpaceBeforeVersion(t *testing.T) {
	for _, d := range []*Dialect{Standard1994, Draft1996} {
		for _, space := range []string{"", " ", "\t", "\v", "\f", " \v\f\t "} {
			f := ParseString("User-agent: foo"+space+"/1.0\nDisallow: /\n", d)
			if got := f.Agent("foo").Check("/x"); got.Allowed {
				t.Errorf("%s, %q: %s", d, space, got)
			}
			f = ParseString("User-agent: *"+space+"/1\nDisallow: /\n", d)
			if got := f.Agent("other").Check("/x"); got.Allowed {
				t.Errorf("%s, * and %q: %s", d, space, got)
			}
		}
	}
}

// A zero Dialect is RFC 9309, as nil is.
func TestZeroDialect(t *testing.T) {
	const body = "User agent: a\nDisalow: /x*y$\nUser-agent: *\nDisallow: /\n"
	for _, d := range []*Dialect{nil, {}} {
		f := ParseString(body, d)
		for _, target := range []string{"/xay", "/xa", "/robots.txt", "http://h/%7a", "x"} {
			for _, agent := range []string{"a", "A/1", "b", ""} {
				want := ParseString(body, RFC9309).Agent(agent)
				if got := f.Agent(agent).Check(target); got != want.Check(target) {
					t.Errorf("%q, %s: %s", agent, target, got)
				}
				if got := f.Agent(agent).Explain(target); got.Path != want.Explain(target).Path || got.Dialect != RFC9309 {
					t.Errorf("%q, %s: %+v", agent, target, got)
				}
			}
		}
		if d.String() != "rfc9309" || d.WithLimit(1<<20).String() != "rfc9309" || !d.LongestDecides() || d.NamesAreParts() {
			t.Errorf("%#v is not RFC 9309", d)
		}
		line := Line{Kind: KindUserAgent, Value: "a/1"}
		if d.AgentIn(line) != RFC9309.AgentIn(line) || d.Ignores(line) != RFC9309.Ignores(line) {
			t.Errorf("%#v reads lines in another way", d)
		}
		if got := DisallowAll(Unreachable, d).Agent("a").Check("/x"); got.Allowed || got.Reason != Unreachable {
			t.Errorf("%s", got)
		}
	}
}
