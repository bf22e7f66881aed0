package robotstxt

import (
	"strings"
	"testing"
)

// outcomes returns a Trace for each possible reason of a decision in a dialect.
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

// Where two decisions differ, Contrast returns a text, whatever their reasons are. It
// names both dialects and the reason in each.
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

// A caller may replace the Decision of a Trace by a later one, with any reason: Contrast
// still returns a text where two decisions differ.
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

// stated has what Contrast must contain about a decision that comes from no line of a file.
var stated = map[Reason]string{
	Unavailable:     "treats the site as one without robots.txt",
	Unreachable:     "treats the site as unreachable",
	Restricted:      "treats the whole site as restricted",
	OtherOrigin:     OtherOrigin.String(),
	RobotsTxtItself: "/robots.txt",
	InvalidAgent:    InvalidAgent.String(),
	InvalidTarget:   InvalidTarget.String(),
	Undecided:       Undecided.String(),
}

// Contrast says of a dialect that it makes no exception of /robots.txt only if that is true.
func TestContrastOfRobotsTxtItself(t *testing.T) {
	itself := explain("", RFC9309, "/robots.txt", "bot")
	for _, c := range []struct {
		other Trace
		want  string
	}{
		{DisallowAll(Unreachable, Draft2019).Agent().Explain("/robots.txt"), "in RFC 9309 /robots.txt is always allowed; the 2019 draft treats the site as unreachable"},
		{explain("user-agent: *\ndisallow: /", Google, "/robots.txt", "bot"), "RFC 9309 always allows /robots.txt itself; Google does not"},
	} {
		if got := Contrast(itself, c.other); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// AllowAll and DisallowAll return files of the given dialect.
func TestFixedFilesHaveADialect(t *testing.T) {
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
