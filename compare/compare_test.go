package compare_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/heed-robots/heed/compare"
	"github.com/heed-robots/heed/robotstxt"
)

// Where patterns use every byte of which a path can consist, only escapes are left: no other
// byte can stand for them. Where they use all but one, that one is left.
func TestEveryByteInUse(t *testing.T) {
	const bytes = "/?&=:[]@!'()+,;-._~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	allBut := func(left rune) string {
		rules := "Allow: /$\n"
		for _, c := range bytes {
			if c != left {
				rules += fmt.Sprintf("Allow: /%c\n", c)
			}
		}
		return rules
	}
	canonical := allBut(-1)
	for _, left := range bytes {
		p := robotstxt.ParseString("User-agent: *\n"+allBut(left)+"Disallow: /\n", nil).Agent()
		want := "/" + string(left)
		if left == '/' { // "//" is longer than any other path
			want = "/%00"
		}
		if o, witness := compare.BlocksNothing(context.Background(), p); o != compare.Differs || witness != want {
			t.Errorf("%c is left: %s, %s", left, o, witness)
		}
	}
	decoded := "Allow: //\n"
	for c := range 256 {
		if c != '/' {
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
		{"no rule, or an opposite one", "Disallow: /a*bc\n", "Allow: /ab\n", true},
		{"one that matches all paths of the changed rule", "Disallow: /a*bc\n", "Allow: /a\n", false},
		{"one behind another that matches everything", "Disallow: /ab*c\n", "Allow: /a*\nAllow: /\n", false},
		{"one that never decides", "Disallow: /abc*xyz\n", "Allow: /*b*c\nDisallow: /a*bc\nAllow: /abc\n", false},
	}
	for _, test := range tests {
		old := robotstxt.ParseString("User-agent: *\n"+test.common+test.changed, nil).Agent()
		new := robotstxt.ParseString("User-agent: *\n"+test.common, nil).Agent()
		for _, r := range []compare.Result{compare.Policies(context.Background(), old, new), compare.Policies(context.Background(), new, old)} {
			if r.Outcome != compare.Differs || len(r.Changes) != 1 || r.More != test.more {
				t.Errorf("%s: more %v: %+v", test.name, r.More, r)
			}
		}
	}
}

// The witness is the shortest path of all opposite rules, which are searched one after the other.
func TestShortestOfOppositeRules(t *testing.T) {
	tests := []struct{ common, changed, want string }{
		{"Disallow: /ax\nDisallow: /baaaaaa\nDisallow: /xxx\n", "Allow: /*x*x*x*x\n", "/xxxx"},
		{"Disallow: /qqqq\nDisallow: /*xcbbb$\n", "Allow: /*xa*xb*xc\n", "/xaxbxcbbb"},
		{"Disallow: /*t*s*r*q*p*o*n*m*l*k*j*i*h*g*f*e*d*c*b*a\n", "Allow: /*a*b*c*d*e*f*g*h*i*j*k*l*m*n*o*p*q*r*s*t*u\n",
			"/tsrqponmlkjihgfedcbabcdefghijklmnopqrstu"}, // a search of many states
	}
	for _, test := range tests {
		old := robotstxt.ParseString("User-agent: *\n"+test.common+test.changed, nil).Agent()
		new := robotstxt.ParseString("User-agent: *\n"+test.common, nil).Agent()
		r := compare.Policies(context.Background(), old, new)
		if len(r.Changes) != 1 || len(r.Changes[0].Witness) != len(test.want) || old.Check(site+test.want).Allowed == new.Check(site+test.want).Allowed {
			t.Errorf("%s: %+v", test.want, r)
		}
	}
}

// Paths that only few bytes can make: escapes, and bytes that no pattern has.
func TestRareBytes(t *testing.T) {
	rfc, older := robotstxt.RFC9309, robotstxt.Standard1994
	for _, test := range []struct {
		old, new        *robotstxt.Dialect
		changed, common string
		bytes           int // of the shortest path
	}{
		{rfc, rfc, "Disallow: /?/\n", "Allow: /*/\n", len("/?%2F")},
		{rfc, rfc, "Disallow: /?/*?/\n", "Allow: /*/*?/\n", len("/?%2F?/")},
		{rfc, rfc, "Disallow: /\n", "Allow: /$\nAllow: //\nAllow: /x\n", len("/y")},
		{rfc, older, "Disallow: /%*zz\n", "", len("/%20zz")},
		{rfc, older, "Disallow: /%*F\n", "", len("/%2F")},
		{rfc, older, "Disallow: /%*\nAllow: /%*2*\nAllow: /%*3\n", "", len("/%40")},
	} {
		old := robotstxt.ParseString("User-agent: *\n"+test.common+test.changed, test.old).Agent()
		new := robotstxt.ParseString("User-agent: *\n"+test.common, test.new).Agent()
		for _, r := range []compare.Result{compare.Policies(context.Background(), old, new), compare.Policies(context.Background(), new, old)} {
			if len(r.Changes) == 0 || len(old.Explain(site+r.Changes[0].Witness).Path) != test.bytes {
				t.Errorf("%sto %s%+v, want a path of %d bytes", test.common+test.changed, test.common, r, test.bytes)
			}
		}
	}
}

// Only rules that the other policy does not have are changed; also where the order of the file
// counts, as long as the common rules are in the same order.
func TestChanges(t *testing.T) {
	tests := []struct {
		name     string
		dialect  *robotstxt.Dialect
		old, new string
		want     string // the witnesses
		implies  compare.Outcome
	}{
		{"a rule changes its verdict", nil, "Disallow: /a\n", "Allow: /a\n", "/a", compare.Equal},
		{"the same length", nil, "", "Disallow: /b\nDisallow: /a\n", "/a /b", compare.Differs},
		{"one rule, and others with which it differs", nil, "Allow: /a\n", "Allow: /a\nDisallow: /*a\n", "/a", compare.Differs},
		{"common rules in another order", nil, "Disallow: /a\nDisallow: /b\n", "Disallow: /b\nDisallow: /a\nAllow: /*aa\n", "/aa", compare.Equal},
		{"a longer pattern that matches the same paths", nil, "Disallow: /a*b\nAllow: /*abc\n", "Disallow: /a***b\nAllow: /*abc\n", "/abc", compare.Differs},
		{"another order", robotstxt.Draft1996, "Allow: /a\nDisallow: /\n", "Disallow: /\nAllow: /a\n", "/a", compare.Differs},
		{"the first of equal rules counts", robotstxt.Draft1996, "Disallow: /a\nAllow: /\n", "Disallow: /a\nAllow: /\nDisallow: /a\n", "", compare.Equal},
		{"a rule before others", robotstxt.Draft1996, "Allow: /a\nAllow: /b\nAllow: /a\n", "Disallow: /\nAllow: /a\nAllow: /b\n", "/", compare.Differs},
		{"equal rules, and a rule before others", robotstxt.Draft1996, "Allow: /a\nAllow: /b\nAllow: /a\n", "Disallow: /\nAllow: /b\nAllow: /a\n", "/ /a /b", compare.Differs},
	}
	for _, test := range tests {
		policy := func(rules string) *robotstxt.Policy {
			return robotstxt.ParseString("User-agent: *\n"+rules, test.dialect).Agent()
		}
		r := compare.Policies(context.Background(), policy(test.old), policy(test.new))
		var witnesses []string
		for _, c := range r.Changes {
			witnesses = append(witnesses, c.Witness)
		}
		if got := strings.Join(witnesses, " "); got != test.want || r.Implies() != test.implies || (r.Outcome == compare.Equal) != (got == "") || r.Work == 0 {
			t.Errorf("%s: %s, implies %s: %+v", test.name, got, r.Implies(), r)
		}
	}
}

// Policies of origins without a file have no rules.
func TestOfNoFile(t *testing.T) {
	all := robotstxt.AllowAll(robotstxt.Unavailable, nil).Agent()
	none := robotstxt.DisallowAll(robotstxt.Unreachable, nil).Agent()
	blocking := robotstxt.ParseString("User-agent: *\nDisallow: /\n", nil).Agent()
	tests := []struct {
		old, new *robotstxt.Policy
		want     string // the first witness
	}{
		{all, none, "/"},
		{none, all, "/"},
		{none, none, ""},
		{blocking, none, "/robots.txt"},
		{all, robotstxt.ParseString("", nil).Agent(), ""},
		// /robots.txt itself is allowed, by no rule of the file
		{robotstxt.ParseString("User-agent: *\nAllow: /robots.txt\n", robotstxt.Draft1996).Agent(), robotstxt.ParseString("User-agent: *\nDisallow: /robots.txt$\n", nil).Agent(), ""},
	}
	for i, test := range tests {
		r := compare.Policies(context.Background(), test.old, test.new)
		if r.Outcome == compare.Undecided || (r.Outcome == compare.Equal) != (test.want == "") ||
			test.want != "" && (len(r.Changes) != 1 || r.Changes[0].Witness != test.want) {
			t.Errorf("%d: %+v", i, r)
		}
	}
}

// The blockers of a rule are few, and simple: first those with few wildcards, then short ones.
func TestBlockersAreSimple(t *testing.T) {
	tests := []struct{ rules, want string }{
		{"Allow: /*a*b*c\nAllow: /*abc\nDisallow: /abc\n", "/*abc"},
		{"Allow: /*abc\nAllow: /*a*b*c\nDisallow: /abc\n", "/*abc"},
		{"Allow: /*ab\nAllow: /*b\nDisallow: /ab\n", "/*b"},
		{"Allow: /*b\nAllow: /*ab\nDisallow: /ab\n", "/*b"},
		{"Disallow: /robots.txt$\n", ""}, // the file itself, which is always allowed
		{"Allow: /robots.txt$\nDisallow: /robots.txt$\n", ""},
	}
	for _, test := range tests {
		for _, u := range compare.Rules(robotstxt.ParseString("User-agent: *\n"+test.rules, nil).Agent()) {
			if !u.Rule.Allow && (u.Use != compare.NeverDecides || len(u.Blockers) != 1 || u.Blockers[0].Pattern != test.want) {
				t.Errorf("%s%+v", test.rules, u)
			}
		}
	}
}

// The blockers of a rule are in the order of the file, each once; those with the opposite verdict
// are the ones that matter.
func TestUses(t *testing.T) {
	p := robotstxt.ParseString("User-agent: *\nDisallow: /ab*\nAllow: /ab$\nAllow: /ab\nDisallow: /b\n", nil).Agent()
	uses := compare.Rules(p, 5, 4)
	if len(uses) != 2 || uses[0].Rule.Line+uses[1].Rule.Line != 4+5 {
		t.Fatalf("uses of two other rules: %+v", uses)
	}
	for _, u := range uses {
		switch u.Rule.Line {
		case 4:
			lines := []int{}
			for _, r := range u.Blockers {
				lines = append(lines, r.Line)
			}
			if u.Use != compare.NeverDecides || !slices.Equal(lines, []int{2, 3}) || len(u.Opposite()) != 1 || u.Opposite()[0].Line != 2 {
				t.Errorf("%+v, opposite %v", u, u.Opposite())
			}
		case 5:
			if u.Use != compare.Needed || u.Witness != "/b" {
				t.Errorf("%+v", u)
			}
		}
	}
	blocked := robotstxt.Rule{Line: 2, Pattern: "/a"}
	file, allow, disallow := robotstxt.Rule{}, robotstxt.Rule{Line: 3, Allow: true, Pattern: "/"}, robotstxt.Rule{Line: 4, Pattern: "/"}
	if got := (compare.RuleUse{Rule: blocked, Blockers: []robotstxt.Rule{file, allow, disallow}}).Opposite(); !slices.Equal(got, []robotstxt.Rule{file, allow}) {
		t.Errorf("opposite: %v", got)
	}
	if o, witness := compare.BlocksAll(context.Background(), robotstxt.DisallowAll(robotstxt.Unreachable, nil).Agent()); o != compare.Equal || witness != "" {
		t.Errorf("all is disallowed, but %s: %s", o, witness)
	}
	if s := compare.Use(200).String() + ", " + compare.Use(4).String() + ", " + compare.Outcome(0).String(); s != "unknown, unknown, undecided" {
		t.Error(s)
	}
	// A rule with two patterns, each of which the same rule blocks.
	const twice = "User-agent: *\nAllow: /d/index.html\nDisallow: /d/***********************\n"
	if uses := compare.Rules(robotstxt.ParseString(twice, robotstxt.Google).Agent(), 2); uses[0].Use != compare.NeverDecides || len(uses[0].Blockers) != 1 {
		t.Errorf("%+v", uses)
	}
}

// BlocksWithin proves that a policy disallows all that a pattern matches, or finds the shortest URL that it allows.
func TestBlocksWithin(t *testing.T) {
	for _, c := range []struct {
		rules, pattern string
		want           compare.Outcome
		allowed        string
	}{
		{"Disallow: /a/", "/a/b", compare.Equal, ""},
		{"Disallow: /a/", "/a", compare.Differs, "/a"},
		{"Disallow: /a\nAllow: /a/*x", "/a/", compare.Differs, "/a/x"},
		{"Disallow: /a\nAllow: /a/x", "/a/b*", compare.Equal, ""},
		{"Disallow: /*a\nDisallow: /*b", "/x*a*b", compare.Equal, ""},
		{"Disallow: /a$\nDisallow: /ab", "/a", compare.Differs, "/ax"},
		{"Disallow: /%61", "/a", compare.Equal, ""},
		{"Disallow: /", "/robots.txt", compare.Equal, ""},
		{"Disallow: /", "", compare.Equal, ""},
		{"Disallow:", "/a", compare.Differs, "/a"},
	} {
		p := robotstxt.ParseString("User-agent: *\n"+c.rules, nil).Agent()
		outcome, allowed, work := compare.BlocksWithin(compare.MaxWork, p, c.pattern)
		if outcome != c.want || allowed != c.allowed || work <= 0 {
			t.Errorf("%q %q: %v, %q, %d steps", c.rules, c.pattern, outcome, allowed, work)
		}
		if allowed != "" && !compare.Check(p, allowed).Allowed {
			t.Errorf("%q: %s is disallowed", c.rules, allowed)
		}
	}
	p := robotstxt.ParseString("User-agent: *\nDisallow: /a", nil).Agent()
	if outcome, _, _ := compare.BlocksWithin(0, p, "/a"); outcome != compare.Undecided {
		t.Errorf("without work: %v", outcome)
	}
}
