package report

import (
	"testing"

	"github.com/heed-robots/heed/robotstxt"
)

// What is not decided is never proved: not for one crawler, and not for all together.
func TestUndecidedProofs(t *testing.T) {
	blocks := []Change{{Witness: "/x", Old: Decision{Allowed: true}, New: Decision{}}}
	opens := []Change{{Witness: "/y", Old: Decision{}, New: Decision{Allowed: true}}}
	equal := Compared{Result: "equal"}
	undecided := Compared{Result: "undecided", Undecided: 1}
	for name, test := range map[string]struct {
		comparison     Comparison
		equal, implies string
	}{
		"equal":                 {Comparison{Crawlers: []Compared{equal}}, Proven, Proven},
		"undecided":             {Comparison{Crawlers: []Compared{equal, undecided}}, Undecided, Undecided},
		"opens":                 {Comparison{Crawlers: []Compared{{Result: "differs", Changes: opens}}}, Refuted, Proven},
		"opens, and undecided":  {Comparison{Crawlers: []Compared{{Result: "differs", Changes: opens, Undecided: 1}}}, Refuted, Undecided},
		"blocks, and undecided": {Comparison{Crawlers: []Compared{undecided, {Result: "differs", Changes: append(opens, blocks...)}}}, Refuted, Refuted},
		"too many crawlers":     {Comparison{Incomplete: true, Crawlers: []Compared{equal}}, Undecided, Undecided},
	} {
		if got := ProofOf(SameVerdicts, test.comparison).Result; got != test.equal {
			t.Errorf("%s: equal: %s, want %s", name, got, test.equal)
		}
		p := ProofOf(Implies, test.comparison)
		if p.Result != test.implies {
			t.Errorf("%s: implies: %s, want %s", name, p.Result, test.implies)
		}
		for _, c := range p.Crawlers {
			if c.Result == Refuted && c.Counterexample.Witness != "/x" {
				t.Errorf("%s: %q does not refute it", name, c.Counterexample.Witness)
			}
		}
	}
}

// A proof for one product token of a known crawler may be false for the crawler with all its tokens.
func TestProofAboutOneToken(t *testing.T) {
	for _, test := range []struct {
		statement, robots, agent, want string
		dialect                        *robotstxt.Dialect
		otherChains                    bool
	}{
		{BlocksAll, "User-agent: *\nDisallow: /\n", "AdsBot-Google", Proven, nil, true},
		{BlocksAll, "User-agent: *\nUser-agent: AdsBot-Google\nDisallow: /\n", "AdsBot-Google", Proven, nil, false},
		{BlocksAll, "User-agent: *\nDisallow: /\n", "Googlebot-Image", Proven, nil, false},
		{BlocksAll, "User-agent: Googlebot\nDisallow:\n\nUser-agent: *\nDisallow: /\n", "Googlebot-Image", Proven, nil, true},
		{BlocksNothing, "User-agent: googlebot\nDisallow: /\n", "applebot", Proven, robotstxt.Standard1994, true},
		{BlocksNothing, "User-agent: *\nDisallow: /\n", "AdsBot-Google", Refuted, nil, false},
		{BlocksAll, "User-agent: *\nDisallow: /\n", "Foo", Proven, nil, false},
	} {
		p := ProofAbout(nil, test.statement, Input{File: robotstxt.ParseString(test.robots, test.dialect)}, [][]string{{test.agent}})
		if p.Result != test.want || p.OtherChains != test.otherChains {
			t.Errorf("%s %s, %q: %s, other chains %t", test.statement, test.agent, test.robots, p.Result, p.OtherChains)
		}
	}
}

// A robots.txt that could not be fetched disallows everything; the proof says so, and its
// caller says why.
func TestProofsAboutFixedFiles(t *testing.T) {
	all := [][]string{{"*"}, {"ExampleBot"}}
	nothing, everything := robotstxt.DisallowAll(robotstxt.Restricted, nil), robotstxt.AllowAll(robotstxt.Unavailable, nil)
	for _, test := range []struct {
		statement string
		file      *robotstxt.File
		want      string
	}{
		{BlocksAll, nothing, Proven}, {BlocksAll, everything, Refuted}, {BlocksNothing, nothing, Refuted}, {BlocksNothing, everything, Proven},
	} {
		if got := ProofAbout(nil, test.statement, Input{File: test.file}, all).Result; got != test.want {
			t.Errorf("%s: %s, want %s", test.statement, got, test.want)
		}
	}
}
