package robotstxt

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// The String methods of decisions and of the parts of a file.
func TestStrings(t *testing.T) {
	const body = "User-agent: a\r\nUser-agent: * # all\nDisallow: /x\nAllow: /x/y\nDisallow:\n"
	f := Parse([]byte(body), RFC9309)
	groups, lines := slices.Collect(f.Groups()), slices.Collect(f.Lines())
	empty := Parse([]byte("user-agent: *\ndisallow:"), Google).Agent("a")
	for _, c := range []struct {
		v    fmt.Stringer
		want string
	}{
		{f.Agent("a").Check("/x"), "disallowed by line 3: Disallow: /x"},
		{f.Agent("a").Check("/x/y"), "allowed by line 4: Allow: /x/y"},
		{f.Agent("a").Check("/"), "allowed: no rule matches"},
		{f.Agent("(").Check("/"), "disallowed: the agent is not a product token"},
		{empty.Check("/"), "allowed by line 2: Disallow:"},
		{Decision{}, "disallowed: nothing was decided"},
		{(&Policy{}).Check("/"), "disallowed: nothing was decided"},
		{Decision{Allowed: true, Reason: ByRule}, "allowed: a rule matches"},
		{Decision{Reason: 200}, "disallowed: unknown reason"},
		{groups[0].Rules[1], "line 4: Allow: /x/y"},
		{groups[0].Rules[2], "line 5: Disallow:"},
		{Rule{}, "no rule"},
		{Rule{Allow: true, Pattern: "/x"}, "Allow: /x"},
		{groups[0].Agents[1], "line 2: User-agent: *"},
		{Agent{}, "no line"},
		{groups[0], "User-agent: a, * (3 rules)"},
		{Group{}, "User-agent: (0 rules)"},
		{lines[0], "line 1: User-agent: a"},
		{lines[1], "line 2: User-agent: * # all"},
	} {
		if got := c.v.String(); got != c.want {
			t.Errorf("%#v: %q, want %q", c.v, got, c.want)
		}
	}
}

// String methods escape control characters, so no file can control a terminal.
func TestStringsAreSafe(t *testing.T) {
	const bad = "/\x1b[2J\u009b\u202e\xff\x00*"
	f := Parse([]byte("user-agent: "+bad+"\nuser-agent: *\ndisallow: "+bad+"\nx: "+bad), RFC9309)
	group := slices.Collect(f.Groups())[0]
	texts := []string{
		f.Agent("a").Check("/%1b%5b2J%C2%9B%E2%80%AE%FF%00").String(),
		Decision{Reason: ByRule, Rule: Rule{Pattern: "/\n" + bad, Line: 1}}.String(),
		group.String(), group.Agents[0].String(), group.Rules[0].String(),
	}
	for line := range f.Lines() {
		if line.Number != 2 {
			texts = append(texts, line.String())
		}
	}
	for _, text := range texts {
		if strings.ContainsAny(text, "\x1b\n\r\x00\u009b\u202e") || strings.Contains(text, "\xff") || !strings.Contains(text, `\x1b[2J\x9b\u{202e}\xff`) {
			t.Errorf("%q", text)
		}
	}
}
