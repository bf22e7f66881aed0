package robotstxt

import (
	"slices"
	"strings"
	"testing"
)

// A crawler that does not follow "*" is allowed where there is no group for it, in every dialect,
// and Check, Otherwise and Explain agree.
func TestNotEveryone(t *testing.T) {
	const everyone, own = "User-agent: *\nDisallow: /\n", "User-agent: *\nDisallow: /\n\nUser-agent: a\nDisallow: /x\n"
	for _, d := range Dialects() {
		for _, c := range []struct {
			file, url string
			tokens    []string
			allowed   bool
			reason    Reason
		}{
			{everyone, "/x", []string{"a", NotEveryone}, true, IgnoresEveryone},
			{everyone, "/x", []string{"a", "b", NotEveryone}, true, IgnoresEveryone},
			{everyone, "/x", []string{NotEveryone}, false, InvalidAgent}, // no permission for a client that sends it as its User-Agent
			{"", "/x", []string{NotEveryone, NotEveryone}, false, InvalidAgent},
			{everyone, "/x", []string{"a"}, false, ByRule},
			{own, "/x", []string{"a", NotEveryone}, false, ByRule},
			{own, "/y", []string{"a", NotEveryone}, true, NoRuleMatched},
			{own, "/y", []string{"b", "a", NotEveryone}, true, NoRuleMatched},
			{own, "/x", []string{"b", NotEveryone}, true, IgnoresEveryone},
			{"", "/x", []string{"a", NotEveryone}, true, NoGroup},
			{"User-agent: b\nDisallow: /\n", "/x", []string{"a", NotEveryone}, true, NoGroup},
		} {
			p := ParseString(c.file, d).Agent(c.tokens...)
			got := p.Check(c.url)
			if got.Allowed != c.allowed || got.Reason != c.reason {
				t.Errorf("%s: %q, %q, %s: %v", d, c.file, c.tokens, c.url, got)
			}
			if e := p.Explain(c.url); e.Decision != got {
				t.Errorf("%s: %q, %q, %s: Explain has %v, Check %v", d, c.file, c.tokens, c.url, e.Decision, got)
			}
			if c.reason == IgnoresEveryone && (p.Otherwise() != got || len(p.GroupsThatApply()) > 0 || p.IsNamed()) {
				t.Errorf("%s: %q, %q: otherwise %v, groups %v, named %t", d, c.file, c.tokens, p.Otherwise(), p.GroupsThatApply(), p.IsNamed())
			}
			if slices.Contains(p.Agents(), NotEveryone) {
				t.Errorf("%s: the agents %q contain %q, which is no name", d, p.Agents(), NotEveryone)
			}
		}
		if name, ok := d.ReadAgent(NotEveryone); !ok || name != NotEveryone {
			t.Errorf("%s: ReadAgent returns %q, %t", d, name, ok)
		}
		if got := DisallowAll(Unreachable, d).Agent("a", NotEveryone).Check("/x"); got.Allowed {
			t.Errorf("%s: allowed though robots.txt is unreachable", d)
		}
		if got := ParseString(everyone, d).Agent("a", NotEveryone).Explain("/x").String(); !strings.Contains(got, `no group names the crawler, which does not follow groups for "*"`) || !strings.Contains(got, "is allowed for a (") {
			t.Errorf("%s: explained as\n%s", d, got)
		}
		if role := ParseString(everyone, d).Agent("a", NotEveryone).Explain("/x").Groups[0].Role; role != NotFollowed || role.Applies() {
			t.Errorf("%s: role %v", d, role)
		}
	}
	if text, _ := IgnoresEveryone.MarshalText(); string(text) != "ignores-everyone" {
		t.Errorf("the reason is called %s", text)
	}
}

func TestNotEveryoneDoesNotAllocate(t *testing.T) {
	p := ParseString("User-agent: *\nDisallow: /\n", nil).Agent("a", NotEveryone)
	if n := testing.AllocsPerRun(100, func() { p.Check("/x") }); n > 0 && !raceDetector {
		t.Errorf("%v allocations", n)
	}
}
