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

// Names are for programs, so they stay as they are; so do the texts, which outputs contain. A value
// that no constant has is unknown.
func TestNames(t *testing.T) {
	var reasons, reasonTexts, kinds, beaten, roles []string
	for r := Undecided; r <= IgnoresEveryone+1; r++ {
		name, _ := r.MarshalText()
		reasons, reasonTexts = append(reasons, string(name)), append(reasonTexts, r.String())
	}
	for k := KindBlank; k <= KindInvalid+1; k++ {
		kinds = append(kinds, k.String())
	}
	for b := NotBeaten; b <= ByOrder+1; b++ {
		beaten = append(beaten, b.String())
	}
	for r := NamesOthers; r <= NamesFallback+1; r++ {
		roles = append(roles, r.String())
	}
	for want, got := range map[string][]string{
		"undecided|rule|no-rule-matched|no-group|robots-txt-itself|unavailable|unreachable|restricted|other-origin|invalid-agent|invalid-target|ignores-everyone|unknown": reasons,
		`nothing was decided|a rule matches|no rule matches|no group applies|/robots.txt is always allowed|robots.txt is unavailable|robots.txt is unreachable|robots.txt is restricted|` +
			`the URL is of another origin|the agent is not a product token|neither an absolute URL nor a path|there is no group for the crawler, and it does not follow the groups for "*"|unknown reason`: reasonTexts,
		"blank|comment|user-agent|allow|disallow|sitemap|other|invalid|unknown":                                      kinds,
		"decides|beaten by a longer pattern|beaten by an Allow of the same length|beaten by an earlier line|unknown": beaten,
		`does not name the crawler|names the crawler|for "*", and no group names the crawler|for "*", but a group names the crawler|only the first such group applies|` +
			`a group names a more specific token|for "*", which the crawler does not follow|no group names a more specific token|unknown role`: roles,
		"byte-order-mark|misspelt-key|key-prefix|missing-colon|outside-group|empty-value|no-slash|names-nobody|name-cut|cut|past-limit|control-bytes|not-utf8": (^Notes(0)).Names(),
		`byte-order mark|misspelt key, read as meant|unknown key, read as the known key with which it begins|missing colon|outside any group|no value|` +
			`begins with neither "/" nor "*": matches nothing|names nobody|only the beginning is read as a name|the line is too long: only its beginning is used|` +
			`beyond the limit of what is read|control bytes|not UTF-8`: strings.Split((^Notes(0)).String(), "; "),
	} {
		if got := strings.Join(got, "|"); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}
