package robotstxt

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// findBelow and findLineEnd, which search many bytes at a time, find the first one anywhere.
func TestFindBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		body := make([]byte, r.IntN(100))
		for i := range body {
			body[i] = "\n\r\t\v\x00\x7f\x80\xff!\"#$%aaaaaaaaaaaaaaaaaaaaaa"[r.IntN(35)]
			if r.IntN(3) > 0 {
				body[i] = byte(0x24 + r.IntN(0x100-0x24))
			}
		}
		text, pos := string(body), r.IntN(len(body)+1)
		for _, c := range []byte{1, 0x0e, '$', 0x7f, 0x80} {
			want := pos
			for want < len(text) && text[want] >= c {
				want++
			}
			if got := findBelow(text, pos, c); got != want {
				t.Fatalf("the first byte below %#x in %q is at %d, not %d", c, text[pos:], want-pos, got-pos)
			}
		}
		want := len(text)
		if i := strings.IndexAny(text[pos:], "\r\n"); i >= 0 {
			want = pos + i
		}
		if got := findLineEnd(text, pos); got != want {
			t.Fatalf("the line %q ends at %d, not %d", text[pos:], want-pos, got-pos)
		}
	}
}

// each byte that is read in two ways is seen wherever it is in the target.
func TestRequestedAtEachPlace(t *testing.T) {
	without := "/" + strings.Repeat("a", 30) + "$"
	for c, pattern := range map[byte]string{'\\': "/a*/", 0: "/a*%00", '\t': without, '\n': without, '\r': without} {
		d := RFC9309
		if c == 0 {
			d = Google // in RFC 9309 a NUL and "%00" are the same
		}
		p := ParseString("User-agent: *\nDisallow: "+pattern, d).Agent("a")
		for at := 2; at < 31; at++ {
			target := []byte("/" + strings.Repeat("a", 31))
			target[at] = c
			if got := p.Requested(string(target)); got == string(target) {
				t.Errorf("%q: browsers request another target", target)
			}
		}
	}
}
