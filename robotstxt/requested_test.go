package robotstxt

import (
	"math/rand/v2"
	"testing"

	"github.com/heed-robots/heed/internal/testing/portion"
)

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

// CheckRequest is Check of both readings, in every dialect and at every place of a target.
func TestCheckRequest(t *testing.T) {
	portion.Skip(t, 4)
	random := rand.New(rand.NewPCG(24, 1))
	parts := []string{"/", "a", "b", "secret", "?", "#", ";", "%2F", "%00", "*", "$", "\\", "\t", "\n", "\r", "\x00", " ", "\x01", "\xff", "h", "http://", "https://", "//"}
	text := func(most int) (s string) {
		for range random.IntN(most) + 1 {
			s += parts[random.IntN(len(parts))]
		}
		return s
	}
	differ := 0
	for range 60_000 {
		body := "user-agent: *\ndisallow: /secret\nallow: /" + text(4) + "\ndisallow: /" + text(3) + "\n"
		target := [...]string{"", "/", "http://h", "https://h/"}[random.IntN(4)] + text(6)
		for _, d := range Dialects() {
			p := ParseString(body, d).Agent("bot")
			want := p.Check(target)
			if b := p.Check(asBrowser(target)); want.Allowed && isReadInTwoWays(target) && !b.Allowed {
				want = b
				differ++
			}
			if got := p.CheckRequest(target); got != want {
				t.Fatalf("%v: %q with %q: %v, want %v", d, body, target, got, want)
			}
			if got := p.Check(p.Requested(target)); got != want {
				t.Fatalf("%v: %q with %q: the reading is %q, %v, want %v", d, body, target, p.Requested(target), got, want)
			}
		}
	}
	if differ < 1000 {
		t.Errorf("only %d targets differ", differ)
	}
}
