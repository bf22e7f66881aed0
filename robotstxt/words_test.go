package robotstxt

import (
	"strings"
	"testing"
)

// Trace.String for decisions with different reasons and dialects.
func TestTraceInWords(t *testing.T) {
	const body = "User-agent: *\nDisallow: /\n\nUser-agent: a\nUser-agent: b\nDisallow: /x\nAllow: /%78/y\nDisallow: /*z\n"
	f := Parse([]byte(body), RFC9309)
	for _, c := range []struct {
		trace Trace
		want  string
	}{
		{f.Agent("b").Explain("/x/yz"), `/x/yz is allowed for b (RFC 9309)
  line 7: Allow: /%78/y

Groups that apply in RFC 9309
  line 5: User-agent: b  (names the crawler; 3 rules)
  1 other group does not apply

Rules that match /x/yz (3 of 3)
  line 7: Allow: /%78/y as /x/y  (4 bytes; decides)
  line 8: Disallow: /*z  (3 bytes; beaten by a longer pattern)
  line 6: Disallow: /x  (2 bytes; beaten by a longer pattern)
`},
		{f.Agent("b", "a").Explain("https://example.com/q"), `https://example.com/q is allowed for b, a (RFC 9309)
  no rule matches

Groups that apply in RFC 9309
  line 5: User-agent: b  (names the crawler; 3 rules)
  1 other group does not apply

Rules that match /q (0 of 3)
  none
`},
		{DisallowAll(Unreachable, Google).Agent("a").Explain("/x"), `/x is disallowed for every crawler while robots.txt is unreachable (Google)
  robots.txt is unreachable
`},
		{Parse(nil, Google).Agent("a").Explain(""), `"" is allowed for a (Google)
  no group applies

Groups that apply in Google
  none: the file has no group
`},
		{f.Agent().Explain("/q"), `/q is disallowed for a crawler without a group (RFC 9309)
  line 2: Disallow: /

Groups that apply in RFC 9309
  line 1: User-agent: *  (for "*", and no group names the crawler; 1 rule)
  1 other group does not apply

Rules that match /q (1 of 1)
  line 2: Disallow: /  (1 byte; decides)
`},
		{f.Agent("b").Explain("mailto:x"), `mailto:x is disallowed for b (RFC 9309)
  neither an absolute URL nor a path

Groups that apply in RFC 9309
  line 5: User-agent: b  (names the crawler; 3 rules)
  1 other group does not apply
`},
		{f.Agent("1").Explain("/q"), `/q is disallowed for an agent that cannot be read (RFC 9309)
  the agent is not a product token
`},
		{Parse([]byte("User-agent: a\nDisallow:\n\nUser-agent: b\nDisallow: /\n"), Draft1996).Agent("c").Explain("/\x1b\n"), `/\x1b\x0a is allowed for c (1996 draft)
  no group applies

Groups that apply in the 1996 draft
  none: no group names the crawler, and none is for "*"
`},
	} {
		if got := c.trace.String(); got != c.want {
			t.Errorf("got:\n%s\nwant:\n%s", got, c.want)
		}
	}
	if got := f.Agent("c").Explain("/").Groups[1].inWords(); got != "line 4: User-agent: a  (does not name the crawler; 3 rules)" {
		t.Errorf("a group that does not name the crawler: %s", got)
	}
	if got := (GroupUse{}).inWords(); got != "no line  (does not name the crawler; 0 rules)" {
		t.Errorf("the zero GroupUse: %s", got)
	}
}

// Trace.String escapes control characters of the file and of the URL.
func TestTraceInWordsIsSafe(t *testing.T) {
	const bad = "/\x1b[2J\u009b\u202e\xff\x00"
	for _, d := range Dialects() {
		f := Parse([]byte("user-agent: *"+bad+"\nuser-agent: *\ndisallow: "+bad+"\n"), d)
		text := f.Agent("a").Explain(bad).String()
		if strings.ContainsAny(text, "\x1b\x00\u009b\u202e") || strings.Contains(text, "\xff") {
			t.Errorf("%s: %q", d, text)
		}
	}
	if got := (Trace{}).String(); !strings.HasPrefix(got, "\"\" is disallowed for every crawler (RFC 9309)\n  nothing was decided\n") {
		t.Errorf("the zero Trace: %q", got)
	}
}
