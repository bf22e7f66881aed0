package robotstxt

import "testing"

// a target is allowed only if it is so as it is written and as browsers request it.
func TestRequested(t *testing.T) {
	const body = "user-agent: *\ndisallow: /secret\ndisallow: /a/b$\ndisallow: /q?a/\ndisallow: /%00secret\ndisallow: /c*/b\n"
	for _, c := range []struct{ target, want string }{
		{"", ""},
		{"/open", "/open"},
		{"/secret\t", "/secret\t"}, // as it is written
		{`\secret`, "/secret"},
		{"/op\ten\\ ", "/op\ten\\ "}, // allowed in both readings
		{"/a/b", "/a/b"},
		{"/\tsecret", "/secret"},
		{"/\nsecret", "/secret"},
		{"/\rsecret", "/secret"},
		{`/\a/secret`, "//a/secret"}, // Google reads a host
		{`http://h\secret/x`, "http://h/secret/x"},
		{"http://h\\\tsec\r\nret", "http://h/secret"},
		{"/a/b ", "/a/b"},
		{"/a/b\x1f \t", "/a/b"},
		{"/a\\b", "/a/b"},
		{"/a/\tb!", "/a/\tb!"},
		{"/\t", "/\t"},
		{`/c$\b`, "/c$/b"},
		{`/c"\b`, `/c"/b`},
		{`/q?a\b`, `/q?a\b`}, // behind "?" it stays
		{`/q\?a/`, `/q\?a/`},
		{"/\x00secret", "/%00secret"},
	} {
		if got := ParseString(body, Google).Agent("bot").Requested(c.target); got != c.want {
			t.Errorf("%q is requested as %q, want %q", c.target, got, c.want)
		}
	}
	p := ParseString(body, RFC9309).Agent("bot")
	if n := testing.AllocsPerRun(10, func() { p.Requested("http://h/open?a#b") }); n != 0 {
		t.Errorf("a target without such characters allocates %v times", n)
	}
}
