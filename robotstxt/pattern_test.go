package robotstxt

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// Spans of patterns with wildcards, anchors, index pages, lax slashes and normal forms (R-7,
// M-6, S96-4). In the results, [text] is matched by a segment, {text} by a "*".
func TestSpans(t *testing.T) {
	for _, c := range []struct {
		dialect         *Dialect
		pattern, target string
		want            string
	}{
		{RFC9309, "/cart", "https://h/cart/1", "[/cart]/1"},
		{RFC9309, "/cart", "/cart", "[/cart]"},
		{RFC9309, "/*?sort=", "/list?sort=price", "[/]{list}[?sort=]price"},
		{RFC9309, "/a*bc*d$", "/abcbcd", "[/a]{}[bc]{bc}[d]"},
		{RFC9309, "/*.pdf$", "/a.pdf/b.pdf", "[/]{a.pdf/b}[.pdf]"},
		{RFC9309, "/a*", "/abc", "[/a]{bc}"},
		{RFC9309, "/a*$", "/abc", "[/a]{bc}"},
		{RFC9309, "/a**c*", "/abcd", "[/a]{}{b}[c]{d}"},
		{RFC9309, "*x", "/ax", "{/a}[x]"},
		{RFC9309, "/a$", "/a", "[/a]"},
		{RFC9309, "/%62?u=/c*/d", "/b?u=%2Fc1%2Fde", "[/b?u=%2Fc]{1}[%2Fd]e"},
		{RFC9309, "/?u=*/$", "/?u=x%2F", "[/?u=]{x}[%2F]"},
		{RFC9309, "/*/x", "/a%2Fx/b/x", "[/]{a%2Fx/b}[/x]"},
		{RFC9309, "/é", "/%c3%a9/", "[/%C3%A9]/"},
		{Google, "/d/index.html", "/d/", "[/d/]"},
		{Google, "/d/index.html", "/d/index.html?q", "[/d/index.html]?q"},
		{Google, "/a?/b", "/a?/b", "[/a?/b]"},
		{Google, "/a?*/b", "/a?%2Fb/b", "[/a?]{%2Fb}[/b]"},
		{Google, "", "/a", "/a"},
		{Draft1996, "/a%2fb", "/a%2Fb%23c", "[/a%2Fb]#c"},
		{Draft1996, "/a*", "/a*b", "[/a*]b"},
		{Standard1994, "/%61", "/%61b", "[/%61]b"},
	} {
		kind := "disallow: "
		if strings.Contains(c.pattern, "index") {
			kind = "allow: "
		}
		trace := explain("user-agent: *\n"+kind+c.pattern, c.dialect, c.target)
		if len(trace.Candidates) != 1 {
			t.Errorf("%s: %q does not match %q", c.dialect, c.pattern, c.target)
			continue
		}
		if got := marked(trace); got != c.want {
			t.Errorf("%s: %q in %q: %s, want %s", c.dialect, c.pattern, c.target, got, c.want)
		}
		CheckSpans(t, trace)
	}
}

// marked returns the path, with [] around what segments match, and {} around what stars match.
func marked(trace Trace) string {
	got, last := "", 0
	for _, s := range trace.Candidates[0].Spans {
		form := "[%s]"
		if s.Star {
			form = "{%s}"
		}
		got += fmt.Sprintf(form, trace.Path[s.Start:s.End])
		last = s.End
	}
	return got + trace.Path[last:]
}

// CheckSpans checks the spans of a trace: they begin at the start of the path and have no
// gaps. Their texts together, with "*" for what stars match, must be the pattern.
func CheckSpans(t *testing.T, trace Trace) {
	t.Helper()
	for _, c := range trace.Candidates {
		at := 0
		var built strings.Builder
		for _, s := range c.Spans {
			if s.Start != at || s.End < s.Start || s.End > len(trace.Path) {
				t.Fatalf("%s: %q in %q: %+v", trace.Dialect, c.Pattern, trace.Path, c.Spans)
			}
			at = s.End
			if s.Star {
				built.WriteByte('*')
			} else {
				built.WriteString(trace.Path[s.Start:s.End])
			}
		}
		pattern := built.String()
		want := c.Pattern
		if trace.Dialect.wildcards && (len(want) > 0 && want[len(want)-1] == '$') && c.Length == len(want) && endsThere(c) {
			want = want[:len(want)-1]
			if at != len(trace.Path) {
				t.Fatalf("%s: %q ends at %d of %q", trace.Dialect, c.Pattern, at, trace.Path)
			}
		}
		if pattern != want && !equalButSlashes(pattern, want) {
			t.Fatalf("%s: %q in %q: the spans together are %q", trace.Dialect, c.Pattern, trace.Path, pattern)
		}
	}
}

// endsThere reports whether a pattern is anchored to the end.
func endsThere(c Candidate) bool {
	return c.IndexPage || strings.HasSuffix(c.Rule.Pattern, "$")
}

// equalButSlashes reports whether matched is equal to the pattern, if behind the "?" a "/"
// equals "%2F".
func equalButSlashes(matched, pattern string) bool {
	before, behind, _ := strings.Cut(pattern, "?")
	head, tail, found := strings.Cut(matched, "?")
	return found && head == before && strings.ReplaceAll(tail, "%2F", "/") == strings.ReplaceAll(behind, "%2F", "/")
}

// M-8: normalization takes linear time, even of a pattern that is one long list of escapes.
func TestManyEscapesTakeLinearTime(t *testing.T) {
	body := "User-agent: *\nDisallow: /" + strings.Repeat("%C3", 160_000)
	fastest := time.Hour
	for range 3 {
		begin := time.Now()
		ParseString(body, RFC9309).Agent("x").Check("/%C3")
		fastest = min(fastest, time.Since(begin))
	}
	if fastest > 200*time.Millisecond {
		t.Errorf("a decision about 480 kB of escapes takes %v", fastest)
	}
}
