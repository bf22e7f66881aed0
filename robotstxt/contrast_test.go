package robotstxt

import (
	"fmt"
	"regexp"
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

// What Contrast says about a pattern is true, and explains the difference. The oracle takes a second look at each reason
// (S94-8, S96-4, R-8, R-9, K-8, M-1, M-6).
func TestReasonsOfContrastAreTrue(t *testing.T) {
	patterns := []string{
		"", "$", "*", "*b$", "/*", "/*$", "/*/x$", "/*.pdf$", "/*?b", "/*%61", "/a", "/a$", "/a$$", "/a$b", "/a*", "/a*b$", "/a%24", "/a%2fb", "/a?b", "/a?b$",
		"/a?b/c", "/a?b%2Fc", "/é", "/é$", "/é*", "/*é", "/é?b", "/%c3%a9", "/%C3%A9*x$", "/%2A*", "/%3F?b", "/%61", "/;b", "/d/index.html", "/*/index.htm", "/é/index.html",
	}
	targets := []string{
		"/", "/*", "/%2A", "/**", "/*x", "/*?b", "/*/x$", "/y/x", "/y/x$", "/*.pdf$", "/x.pdf", "/x.pdf$", "/x?b", "/*a/%61", "/a", "/a$", "/a$b", "/a$$", "/a%24",
		"/a%2Fb", "/a%2fb", "/a/b", "/a?b", "/a?b$", "/a?b/c", "/a?b%2fc", "/a%3Fb", "/%61", "/%61?b", "/%61/b$", "/b$/%62", "/é", "/é$", "/é?b", "/*%C3%A9", "/%C3%A9", "/%c3%a9x",
		"/%C3%A9$", "/?b", "/??b", "/d/", "/d/index.html", "/%C3%A9/", "/é/", "https://h.example?b", "https://h.example;b",
	}
	for _, pattern := range patterns {
		for _, key := range []string{"allow", "disallow"} {
			for _, more := range []string{"allow: /a", "disallow: /*"} {
				lines := []string{"user-agent: *", key + ": " + pattern, more}
				for _, target := range targets {
					checkReasons(t, lines, target)
				}
			}
		}
	}
}

var (
	reasonPattern     = regexp.MustCompile(`^line (\d) decides in (.+), but not in (.+?): (.+)$`)
	formsPattern      = regexp.MustCompile(`^there the pattern is read as (.*) and the URL as (.*)$`)
	precedencePattern = regexp.MustCompile(`^in .+ the (longest pattern|first rule in the file) that matches decides .*; in .+ the .+ that matches decides .*$`)
)

func checkReasons(t *testing.T, lines []string, target string) {
	t.Helper()
	byTitle := map[string]*Dialect{}
	var traces []Trace
	for _, d := range Dialects() {
		byTitle[d.InSentence()] = d
		traces = append(traces, explain(strings.Join(lines, "\n"), d, target, "bot"))
	}
	for _, a := range traces {
		for _, b := range traces {
			got := Contrast(a, b)
			problem := ""
			switch parts := reasonPattern.FindStringSubmatch(got); {
			case parts != nil:
				number := int(parts[1][0] - '0')
				problem = falseReason(lines, number, target, byTitle[parts[2]], byTitle[parts[3]], parts[4])
			case precedencePattern.MatchString(got):
				for _, line := range []int{a.Decision.Rule.Line, b.Decision.Rule.Line} {
					if line > 0 && !(decidesAlone(a.Dialect, lines, line, target) && decidesAlone(b.Dialect, lines, line, target)) {
						problem = fmt.Sprintf("line %d does not match in both", line)
					}
				}
			case got != "":
				problem = "no reason"
			}
			if problem != "" {
				t.Errorf("%q, %s: %s: %s", lines[1:], target, got, problem)
			}
		}
	}
}

// decidesAlone asks the oracle about a file with only one of its rules.
func decidesAlone(d *Dialect, lines []string, number int, target string) bool {
	body := lines[0] + strings.Repeat("\n#", number-2) + "\n" + lines[number-1]
	_, line, _ := oracle(d.String(), []byte(body), []string{"bot"}, target)
	return line == number
}

// falseReason returns what is wrong with the reason why a line decides in one dialect, but not in another.
func falseReason(lines []string, number int, target string, in, notIn *Dialect, reason string) string {
	key, pattern, _ := strings.Cut(lines[number-1], ": ")
	changed := func(pattern string) []string {
		return []string{lines[0], key + ": " + pattern}
	}
	form, path := oracleForms(notIn, pattern, target)
	forms := formsPattern.FindStringSubmatch(reason)
	holds := false
	switch {
	case !decidesAlone(in, lines, number, target), decidesAlone(notIn, lines, number, target):
		return "the oracle decides otherwise"
	case reason == "that dialect has no Allow":
		holds = notIn == Standard1994 && key == "allow"
	case reason == "an empty pattern is no rule":
		holds = pattern == ""
	case strings.HasPrefix(reason, "only for Google an Allow of an index page"):
		holds = in == Google && !decidesAlone(in, changed(strings.Replace(pattern, "index", "other", 1)), 2, target)
	case reason == `"*" and "$" are ordinary characters there`:
		holds = in.wildcards && !notIn.wildcards && oracleMatchesGoogle(form, path)
	case reason == `a "$" at the end matches only the end of the URL there`:
		holds = !in.wildcards && notIn.wildcards && strings.HasSuffix(pattern, "$") && decidesAlone(notIn, changed(pattern+"*"), 2, target)
	case reason == "the path is compared without the query":
		holds = notIn == Draft1996 && strings.Contains(form, "?") && !strings.Contains(path, "?")
	case forms == nil:
		return "an unknown reason"
	case forms[1] != form || forms[2] != path:
		return fmt.Sprintf("the forms are %s and %s", form, path)
	default:
		literally, asWildcards := strings.HasPrefix(path, form), oracleMatchesGoogle(form, path)
		holds = !(literally && !(in.wildcards && notIn.wildcards)) && !(asWildcards && (in.wildcards || notIn.wildcards))
	}
	if !holds {
		return "it is false, or explains nothing"
	}
	return ""
}

// oracleForms returns the texts that a dialect compares, as the oracle reads them.
func oracleForms(d *Dialect, pattern, target string) (form, path string) {
	path, _ = oracleTargetPath(target)
	switch d {
	case Standard1994:
		return pattern, path
	case Google:
		return oracleEscapeGoogle(pattern), oraclePathGoogle(target)
	case Draft1996:
		path, _, _ = strings.Cut(path, "?")
		text := func(decoded []int) (s string) {
			for _, c := range decoded {
				switch c {
				case oracleEncodedSlash:
					s += "%2F"
				case '%':
					s += "%25"
				default:
					s += string([]byte{byte(c)})
				}
			}
			return s
		}
		return text(oracleDecode1996(pattern)), text(oracleDecode1996(path))
	}
	elements, anchored := oraclePatternREP(pattern)
	for _, c := range elements {
		switch c {
		case oracleStar:
			form += "*"
		case oracleEitherSlash:
			form += "/"
		default:
			form += string([]byte{byte(c)})
		}
	}
	if anchored {
		form += "$"
	}
	uri := ""
	for i := 0; i < len(path); {
		canonical, next := oracleCanonical(path, i)
		uri, i = uri+canonical, next
	}
	return form, uri
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
