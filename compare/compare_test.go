package compare_test

import (
	"fmt"
	"testing"

	"github.com/heed-robots/heed/compare"
	"github.com/heed-robots/heed/robotstxt"
)

// Where patterns use every octet of which a path can consist, only escapes are left: no other
// octet can stand for them.
func TestEveryOctetInUse(t *testing.T) {
	canonical := "Allow: /$\n"
	for _, c := range "/?&=:[]@!'()+,;-._~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" {
		canonical += fmt.Sprintf("Allow: /%c\n", c)
	}
	decoded := "Allow: //\n"
	for c := range 256 {
		if c != '/' && c != '#' {
			decoded += fmt.Sprintf("Allow: /%%%02X\n", c)
		}
	}
	for d, rules := range map[*robotstxt.Dialect]string{robotstxt.RFC9309: canonical, robotstxt.Draft1996: decoded} {
		p := robotstxt.ParseString("User-agent: *\n"+rules+"Disallow: /\n", d).Agent()
		for _, u := range compare.Rules(p) {
			if !u.Rule.Allow && (u.Use != compare.Needed || p.Check(site+u.Witness).Rule != u.Rule) {
				t.Errorf("%s: %+v", d, u)
			}
		}
	}
}

// Result.More is true only if a changed rule may differ from several rules.
func TestMore(t *testing.T) {
	const verdict = "Allow: /a*bc\n" // the changed rule
	tests := []struct {
		name, changed, common string
		more                  bool
	}{
		{"one opposite rule", verdict, "Disallow: /a\n", false},
		{"two opposite rules", verdict, "Disallow: /a\nDisallow: /ab\n", true},
		{"one that matches other paths", verdict, "Disallow: /a$\nDisallow: /a\n", false},
		{"one that is twice in the file", verdict, "Disallow: /a\nDisallow: /a\n", false},
		{"one that is better in both files", verdict, "Disallow: /a\nDisallow: /*b*cd\n", false},
		{"one with the same verdict", verdict, "Disallow: /ab\nAllow: /a\n", false},
		{"one with another head", verdict, "Disallow: /a\nDisallow: /b\n", false},
		{"no rule", "Disallow: /a*bc\n", "Disallow: /b\n", false},
		{"no rule, or an opposite one", "Disallow: /a*bc\n", "Allow: /a\n", true},
		{"one that never decides", "Disallow: /abc*xyz\n", "Allow: /*b*c\nDisallow: /a*bc\nAllow: /abc\n", false},
	}
	for _, test := range tests {
		old := robotstxt.ParseString("User-agent: *\n"+test.common+test.changed, nil).Agent()
		new := robotstxt.ParseString("User-agent: *\n"+test.common, nil).Agent()
		for _, r := range []compare.Result{compare.Policies(old, new), compare.Policies(new, old)} {
			if r.Outcome != compare.Differs || len(r.Changes) != 1 || r.More != test.more {
				t.Errorf("%s: more %v: %+v", test.name, r.More, r)
			}
		}
	}
}

// The witness is the shortest path of all opposite rules: those with short patterns come first.
func TestShortestOfOppositeRules(t *testing.T) {
	const common = "Disallow: /ax\nDisallow: /baaaaaa\nDisallow: /xxx\n"
	old := robotstxt.ParseString("User-agent: *\n"+common+"Allow: /*x*x*x*x\n", nil).Agent()
	new := robotstxt.ParseString("User-agent: *\n"+common, nil).Agent()
	r := compare.Policies(old, new)
	if len(r.Changes) != 1 || r.Changes[0].Witness != "/xxxx" {
		t.Errorf("%+v", r)
	}
}
