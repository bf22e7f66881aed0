package compare_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/heed-robots/heed/compare"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/robotstxt"
)

// oddUnits are what readers of URLs read in different ways, and usual units.
var oddUnits = []string{
	"/", "/", "/", "//", "*", "*", "a", "b", "$", "?", ";", `\`, ":", "://", ".", "..", "%", "%2", "%2F", "%5C", "%00", "%23", "%25", "%3F", "%09",
	"\x01", "\t", "\v", "\x7f", " ", "@", "&", "=", "\xff", "\u00fc", "http://a/", "index.html", "robots.txt",
}

// "heed check" decides about each witness what the comparison says, about a URL and about the path
// by itself, in every dialect. Only a path that begins with "//" is no path by itself for Google's
// parser; it is a witness only where no other is.
func TestWitnessesByThemselves(t *testing.T) {
	r := rand.New(rand.NewPCG(2026, 33))
	line := func() string {
		rule := []string{"Disallow: /", "Allow: /", "Disallow: ", "Allow: "}[r.IntN(4)]
		for range r.IntN(6) {
			rule += oddUnits[r.IntN(len(oddUnits))]
		}
		return rule + "\n"
	}
	file := func() string {
		text := "User-agent: *\n"
		for range 1 + r.IntN(4) {
			text += line()
		}
		return text
	}
	pairs := 2_000
	if portion.Whole() {
		pairs = 100_000
	}
	seen, hostLike := 0, 0
	for range pairs {
		was, is := file(), file()
		for _, d := range robotstxt.Dialects() {
			b := &brute{T: t}
			old, new := robotstxt.ParseString(was, d).Agent(), robotstxt.ParseString(is, d).Agent()
			for _, c := range compare.Policies(context.Background(), old, new).Changes {
				if b.checked(old, c.Witness) != c.Old || b.checked(new, c.Witness) != c.New {
					t.Fatalf("%s, %q: %v and %v\n%s\n%s", d, c.Witness, c.Old, c.New, was, is)
				}
				seen++
				if strings.HasPrefix(c.Witness, "//") {
					hostLike++
					if !beginsSo(old, c.Old) && !beginsSo(new, c.New) {
						t.Fatalf("%s, %q: another path shows the same\n%s\n%s", d, c.Witness, was, is)
					}
				}
			}
			for _, u := range compare.Rules(old) {
				if u.Use == compare.Needed && b.checked(old, u.Witness).Rule != u.Rule {
					t.Fatalf("%s, %q: %v does not decide\n%s", d, u.Witness, u.Rule, was)
				}
			}
			for statement, search := range map[bool]func(context.Context, *robotstxt.Policy) (compare.Outcome, string){true: compare.BlocksAll, false: compare.BlocksNothing} {
				if o, witness := search(context.Background(), old); o == compare.Differs && b.checked(old, witness).Allowed != statement {
					t.Fatalf("%s, %q: the verdict is the other one\n%s", d, witness, was)
				}
			}
		}
	}
	if seen < 5*pairs || hostLike == 0 {
		t.Errorf("%d witnesses, %d of them begin with //", seen, hostLike)
	}
}

// beginsSo reports whether the rule that decides matches only paths that begin with "//".
func beginsSo(p *robotstxt.Policy, d robotstxt.Decision) bool {
	for m := range p.Patterns() {
		if m.Rule == d.Rule && strings.HasPrefix(m.Segments[0], "//") {
			return true
		}
	}
	return false
}

// A witness has no empty segment if the segment "x" in its place has the same verdicts.
func TestWitnessesHaveNoEmptySegments(t *testing.T) {
	for _, c := range []struct{ was, is, want string }{
		{"Disallow: /products/*/reviews", "", "/products/x/reviews"},
		{"Disallow: /a/*/*/b", "", "/a/x/x/b"},
		{"Disallow: /a//b", "", "/a//b"},
		{"Disallow: /a/*/b\nAllow: /a/x", "Allow: /a/x", "/a//b"},
		{"Disallow: /a/*/b", "Disallow: /a/x/b", "/a//b"},
		{"Disallow: /*/b", "", "/x/b"},
		{"Disallow: //*/b", "", "//x/b"},
		{"Disallow: /a?b//c", "", "/a?b//c"},
		{"Disallow: /a/*/b?c//d", "", "/a/x/b?c//d"},
	} {
		for _, d := range []*robotstxt.Dialect{robotstxt.RFC9309, robotstxt.Google} {
			old, new := robotstxt.ParseString("User-agent: *\n"+c.was, d).Agent(), robotstxt.ParseString("User-agent: *\n"+c.is, d).Agent()
			if r := compare.Policies(context.Background(), old, new); r.Changes[0].Witness != c.want {
				t.Errorf("%s, %s: %q, want %q", d, c.was, r.Changes[0].Witness, c.want)
			}
		}
	}
}
