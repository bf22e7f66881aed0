package robotstxt

import (
	"strings"
	"testing"
)

// outcomes returns a Trace for everything that a decision may rest on, in a
// dialect, about a path that a rule matches.
func outcomes(d *Dialect) map[string]Trace {
	const body = "user-agent: *\nallow: /open\ndisallow: /x\ndisallow: /robots"
	all := map[string]Trace{
		"allowed by a rule":    explain(body, d, "/open", "bot"),
		"disallowed by a rule": explain(body, d, "/x", "bot"),
		"no rule":              explain(body, d, "/y", "bot"),
		"no group":             explain("", d, "/x", "bot"),
		"itself":               explain(body, d, "/robots.txt", "bot"),
		"invalid agent":        explain(body, d, "/x", "("),
		"invalid target":       explain(body, d, "x", "bot"),
		"nothing":              (&Policy{}).Explain("/x"),
		"zero":                 {},
	}
	for _, f := range []*File{AllowAll(Unavailable, d), DisallowAll(Unreachable, d), DisallowAll(Restricted, d), DisallowAll(OtherOrigin, d)} {
		trace := f.Agent("bot").Explain("/x")
		all[trace.Decision.Reason.String()] = trace
	}
	return all
}

// F: whatever two decisions rest on, there is a reason where they differ, which
// names both dialects and says of each what is true there.
func TestContrastOfAllOutcomes(t *testing.T) {
	for _, d := range Dialects() {
		for _, other := range Dialects() {
			for name, a := range outcomes(d) {
				for otherName, b := range outcomes(other) {
					got := Contrast(a, b)
					same := a.Decision.Allowed == b.Decision.Allowed && a.Decision.Rule.Line == b.Decision.Rule.Line
					if same != (got == "") {
						t.Errorf("%s %s, %s %s: %q", d, name, other, otherName, got)
					}
					if same {
						continue
					}
					for _, trace := range []*Trace{&a, &b} {
						if !strings.Contains(got, trace.Dialect.Title()) || !strings.Contains(got, stated[trace.Decision.Reason]) {
							t.Errorf("%s %s, %s %s: %q does not say %q", d, name, other, otherName, got, stated[trace.Decision.Reason])
						}
					}
				}
			}
		}
	}
}

// A caller may set the Decision of a Trace to what it is as of now, whatever the Trace
// rests on: there is still a reason wherever two differ.
func TestContrastOfChangedDecisions(t *testing.T) {
	for _, d := range Dialects() {
		all := outcomes(d)
		all["denied without a rule"] = Trace{Decision: Decision{Reason: NoRuleMatched}}
		all["a rule of no line"] = Trace{Decision: Decision{Reason: ByRule}}
		for name, a := range outcomes(RFC9309) {
			for otherName, b := range all {
				for now, c := range all {
					b.Decision = c.Decision
					same := a.Decision.Allowed == b.Decision.Allowed && a.Decision.Rule.Line == b.Decision.Rule.Line
					for _, got := range []string{Contrast(a, b), Contrast(b, a)} {
						if same != (got == "") {
							t.Errorf("%s and %s %s, now %s: %q", name, d, otherName, now, got)
						}
					}
				}
			}
		}
	}
}

// stated is what is said of a decision that rests on no line of a file.
var stated = map[Reason]string{
	Unavailable:     "takes the site for one without robots.txt",
	Unreachable:     "takes the site for unreachable",
	Restricted:      "takes the whole site for restricted",
	OtherOrigin:     OtherOrigin.String(),
	RobotsTxtItself: "/robots.txt",
	InvalidAgent:    InvalidAgent.String(),
	InvalidTarget:   InvalidTarget.String(),
	Undecided:       Undecided.String(),
}

// A dialect that knows the exception is not said to make none.
func TestContrastOfRobotsTxtItself(t *testing.T) {
	itself := explain("", RFC9309, "/robots.txt", "bot")
	for _, c := range []struct {
		other Trace
		want  string
	}{
		{DisallowAll(Unreachable, Draft2019).Agent().Explain("/robots.txt"), "in RFC 9309 /robots.txt is always allowed; 2019 draft takes the site for unreachable"},
		{explain("user-agent: *\ndisallow: /", Google, "/robots.txt", "bot"), "RFC 9309 always allows /robots.txt itself; Google makes no exception of it"},
	} {
		if got := Contrast(itself, c.other); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// A file that stands for none is of the dialect that it is read in.
func TestFileInDialect(t *testing.T) {
	for _, d := range Dialects() {
		for _, f := range []*File{AllowAll(Restricted, d), DisallowAll(Restricted, d)} {
			if f.Dialect() != d || f.Agent("a").Explain("/").Dialect != d || f.Agent("a").Check("/").Reason != Restricted {
				t.Errorf("%s: the file is of %s", d, f.Dialect())
			}
		}
	}
	if f := AllowAll(Unavailable, nil); f.Dialect() != RFC9309 {
		t.Errorf("nil is %s", f.Dialect())
	}
}
