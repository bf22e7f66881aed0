package robotstxt

import (
	"fmt"
	"strings"
	"testing"
)

func explain(body string, d *Dialect, target string, agents ...string) Trace {
	return Parse([]byte(body), d).Agent(agents...).Explain(target)
}

func TestExplainCandidates(t *testing.T) {
	const body = "user-agent: a\ndisallow: /x\nallow: /*x\nallow: /\ndisallow: /\u00e9\ndisallow: /*x\nallow: /x/index.html\n"
	for _, c := range []struct {
		dialect *Dialect
		target  string
		want    string
	}{
		{RFC9309, "/xy", "3 /*x 3 decides|6 /*x 3 beaten by an Allow of the same length|2 /x 2 beaten by a longer pattern|4 / 1 beaten by a longer pattern|"},
		{RFC9309, "/%c3%a9", "5 /%C3%A9 7 decides|4 / 1 beaten by a longer pattern|"},
		{Draft1996, "/xy", "2 /x 2 decides|4 / 1 beaten by an earlier line|"},
		{Google, "/x/", "7 /x/$ 4 decides|3 /*x 3 beaten by a longer pattern|6 /*x 3 beaten by a longer pattern|2 /x 2 beaten by a longer pattern|4 / 1 beaten by a longer pattern|"},
		{Standard1994, "/xy", "2 /x 2 decides|"},
	} {
		trace := explain(body, c.dialect, c.target, "a")
		got := ""
		for _, m := range trace.Candidates {
			got += fmt.Sprintf("%d %s %d %s|", m.Rule.Line, m.Pattern, m.Length, m.Beaten)
		}
		if got != c.want {
			t.Errorf("%s: %s\n got %s\nwant %s", c.dialect, c.target, got, c.want)
		}
		if trace.Decision.Rule != trace.Candidates[0].Rule {
			t.Errorf("%s: %s: the first candidate does not decide", c.dialect, c.target)
		}
	}
	if n := explain(body, RFC9309, "/xy", "a").RuleCount; n != 6 {
		t.Errorf("%d rules, want 6", n)
	}
}

func TestExplainGroups(t *testing.T) {
	const body = "user-agent: news\ndisallow: /1\nuser-agent: *\ndisallow: /2\nuser-agent: b\nuser-agent: bot\ndisallow: /3\nuser-agent: news\ndisallow: /4\nuser-agent: *\ndisallow: /5"
	for _, c := range []struct {
		dialect *Dialect
		agents  []string
		want    string
	}{
		{RFC9309, []string{"news", "bot"}, "NamesAgent 1|DefaultUnused 3|LessSpecific 6|NamesAgent 8|DefaultUnused 10|"},
		{RFC9309, []string{"news", "b"}, "NamesAgent 1|DefaultUnused 3|LessSpecific 5|NamesAgent 8|DefaultUnused 10|"},
		{RFC9309, []string{"x", "bot"}, "NamesOthers 0|DefaultUnused 3|NamesFallback 6|NamesOthers 0|DefaultUnused 10|"},
		{RFC9309, []string{"x"}, "NamesOthers 0|NamesEveryone 3|NamesOthers 0|NamesOthers 0|NamesEveryone 10|"},
		{Draft2019, []string{"x"}, "NamesOthers 0|NamesEveryone 3|NamesOthers 0|NamesOthers 0|NotFirst 10|"},
		{Draft1996, []string{"news"}, "NamesAgent 1|DefaultUnused 3|NamesOthers 0|NotFirst 8|DefaultUnused 10|"},
		{Standard1994, []string{"bot"}, "NamesOthers 0|DefaultUnused 3|NamesAgent 5|NamesOthers 0|DefaultUnused 10|"},
	} {
		names := []string{"NamesOthers", "NamesAgent", "NamesEveryone", "DefaultUnused", "NotFirst", "LessSpecific", "NotFollowed", "NamesFallback"}
		trace := explain(body, c.dialect, "/", c.agents...)
		got := ""
		for _, use := range trace.Groups {
			got += fmt.Sprintf("%s %d|", names[use.Role], use.Agent.Line)
		}
		if got != c.want {
			t.Errorf("%s, %q:\n got %s\nwant %s", c.dialect, c.agents, got, c.want)
		}
	}
}

// Contrast explains why two dialects decide differently.
func TestContrast(t *testing.T) {
	for _, c := range []struct {
		body, target string
		a, b         *Dialect
		want         string // a part of it; "": no difference
	}{
		{"user-agent: *\ndisallow: /x", "/x", RFC9309, Google, ""},
		{"user-agent: *\ndisallow: /*x", "/x", RFC9309, Draft1996, `"*" and "$" are ordinary characters there`},
		{"user-agent: *\nallow: /x\ndisallow: /xy", "/xy", RFC9309, Draft1996, "the longest pattern that matches decides (line 3, 3 bytes); in the 1996 draft the first rule in the file"},
		{"user-agent: *\nallow: /x\ndisallow: /", "/x", RFC9309, Standard1994, "that dialect has no Allow"},
		{"user-agent: *\ndisalow: /x", "/x", RFC9309, Standard1994, "its key is misspelt"},
		{"user-agent: *\ndisallowed: /x", "/x", RFC9309, Google, "its key only begins with a known key, which is enough for Google"},
		{"user-agent: *\ndisallow /x", "/x", RFC9309, Draft1996, "its colon is missing"},
		{"user-agent: *\n\ndisallow: /x", "/x", RFC9309, Draft1996, "a blank line ends a group"},
		{"user-agent: *\n\ndisallow /x", "/x", RFC9309, Draft1996, "it is in no group, since a blank line ends a group, and its colon is missing"},
		{"user-agent: o\ndisallow:\n\nuser-agent: *\nallow: /x", "/x", RFC9309, Standard1994,
			`its group does not apply, but that of line 1 ("o" is a part of the name bot, which is enough there), and that dialect has no Allow`},
		{"user-agent: BOT\ndisallow:\n\nuser-agent: o\ndisallow: /x", "/x", RFC9309, Standard1994, ""},
		{"user-agent: o\ndisallow:\n\nuser-agent: bot\ndisallow: /x", "/x", RFC9309, Standard1994, `line 5 decides in RFC 9309, but not in the 1994 standard: its group does not apply, because only the first such group applies there: that of line 1 ("o" is`},
		{"user-agent: *\ndisallow: /x?y", "/x?y", RFC9309, Draft1996, "without the query"},
		{"user-agent: *\ndisallow: /%62", "/b", RFC9309, Google, "the pattern is read as /%62 and the URL as /b"},
		{"user-agent: *\ndisallow: /", "/robots.txt", RFC9309, Google, "always allows /robots.txt itself"},
		{"user-agent: *\nallow: /d/index.html\ndisallow: /d", "/d/", RFC9309, Google, "an Allow of an index page"},
		{"user-agent: *\nallow: /\nuser-agent: *\ndisallow: /x", "/x", RFC9309, Draft2019, `its group does not apply, because only the first such group applies there: that of line 1 (for "*"`},
		{"user-agent: b\ndisallow: /", "/x", RFC9309, Standard1994, "does not name the crawler"},
		{"user-agent: *\ndisallow:", "/x", RFC9309, Google, "an empty pattern is no rule"},
		{"user-agent: *\ndisallow: /x$", "/x", RFC9309, Draft1996, `"*" and "$" are ordinary characters there`},
		{"user-agent: *\ndisallow: /x\nallow: /x", "/x", RFC9309, Draft1996, "in RFC 9309 the longest pattern that matches decides (line 3, 2 bytes), and Allow where two are equally long; in the 1996 draft the first rule in the file that matches decides (line 2)"},
		{"user-agent: *\nallow: /x\ndisallow: /xy\nallow: /xy\ndisallow: /", "/xy", RFC9309, Draft1996, "the first rule in the file that matches decides (line 2)"},
		{"user-agent: *\ndisallow: /x\nallow: /", "/x", Draft1996, Draft2019, ""},
		{"disallow: /x\nuser-agent: *\ndisallow: /y", "/y", Standard1994, RFC9309, ""},
		{"user-agent: *\nallow: /x\nuser-agent: bot\ndisallow: /", "/x", Draft1996, Standard1994, ""},
	} {
		a, b := explain(c.body, c.a, c.target, "bot"), explain(c.body, c.b, c.target, "bot")
		got := Contrast(a, b)
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s and %s on %q: %q, want %q", c.a, c.b, c.body, got, c.want)
		}
		if back := Contrast(b, a); (back == "") != (c.want == "") {
			t.Errorf("%s and %s on %q: %q", c.b, c.a, c.body, back)
		}
	}
	digit := "user-agent: bot9\ndisallow: /"
	if got := Contrast(explain(digit, RFC9309, "/x", "bot9"), explain(digit, Google, "/x", "bot9")); !strings.HasSuffix(got, "since Google's parser reads a name only up to the first character that is no letter, \"_\" or \"-\"") {
		t.Errorf("a name with a digit: %q", got)
	}
	long := "user-agent: *\n" + strings.Repeat("#", minLimit) + "\ndisallow: /x"
	if got := Contrast(explain(long, RFC9309, "/x", "a"), explain(long, Google, "/x", "a")); !strings.HasSuffix(got, ": it is after the part of the file that is parsed") {
		t.Errorf("past the limit: %q", got)
	}
}
