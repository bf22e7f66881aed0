package robotstxt

import (
	"strings"
	"testing"
)

// A walk reads User-agent lines of one group that are far apart, as it reads rules that are.
func TestWalksReadLinesThatAreFarApart(t *testing.T) {
	for lines := shortStep - 2; lines < shortStep+3; lines++ {
		gap := strings.Repeat("\n", lines)
		p := ParseString("user-agent: a\n"+gap+"user-agent: b\n"+gap+"disallow: /c\n"+gap+"allow: /d\n", nil).Agent("a")
		for name, way := range Ways(p) {
			if got := way.Check("/c/"); got.Rule != (Rule{Pattern: "/c", Line: 2*lines + 3}) {
				t.Errorf("%d lines: with %s: %+v", lines, name, got)
			}
			if got := way.Check("/d/"); got.Rule != (Rule{Allow: true, Pattern: "/d", Line: 3*lines + 4}) {
				t.Errorf("%d lines: with %s: %+v", lines, name, got)
			}
		}
	}
}

// A walk that has to compile long patterns leaves the decision to a lookup, which compiles them once.
func TestWalksCountTheWorkOfCompiling(t *testing.T) {
	for bytes, want := range map[int]bool{100: false, 2 * sweepWork: true} {
		p := ParseString("user-agent: *\ndisallow: /%61"+strings.Repeat("b", bytes), nil).Agent("a")
		p.Check("/ac")
		if got := p.rules.lookup.Load() != nil; got != want {
			t.Errorf("a pattern of %d bytes: the policy has a lookup: %v", bytes, got)
		}
	}
}

// Tails under no head are tried by precedence, also if some of them have a head that too many have.
func TestTailsThatAreAlwaysTriedAreSorted(t *testing.T) {
	var few strings.Builder
	for c := range fewTails {
		few.WriteString("disallow: /" + string(rune('A'+c)) + "/*x\n")
	}
	body := "user-agent: *\ndisallow: /*x\n" + strings.Repeat("allow: /many/*x\n", fewUnderHead+1) + few.String()
	l := placed(ParseString(body, nil).Agent().rules, fewTails)
	s := subjectOf(RFC9309, "/many/x")
	if m, ok := l.find(&s); !ok || m.line != 3 {
		t.Errorf("line %d, want 3", m.line)
	}
}

// M-6: the directory of an index page may have wildcards.
func TestDirectoryOfAnIndexPageHasWildcards(t *testing.T) {
	p := ParseString("user-agent: *\ndisallow: /\nallow: /a*/index.html\n", Google).Agent("a")
	for name, way := range Ways(p) {
		if got := way.Check("/ab/"); got.Rule.Line != 3 || way.Check("/ab/c").Rule.Line != 2 {
			t.Errorf("with %s: %+v", name, got)
		}
	}
}
