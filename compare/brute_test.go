package compare_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/heed-robots/heed/compare"
	"github.com/heed-robots/heed/robotstxt"
)

// A brute finds out by brute force what compare claims: it decides about all short paths.
type brute struct {
	*testing.T
	paths []string
}

const site = "https://www.example.com"

// pathsFor returns all short paths of the units that patterns have, and of one letter that no
// pattern has: paths of up to 8 units, or fewer if these were too many paths.
func pathsFor(patterns []string, maxPaths int) []string {
	units := []string{"x", "/"}
	for _, p := range patterns {
		for p != "" {
			var unit string
			if unit, p = cutUnit(p); !slices.Contains(units, unit) {
				units = append(units, unit)
			}
		}
	}
	if strings.Contains(strings.Join(patterns, ""), "?") && !slices.Contains(units, "%2F") {
		units = append(units, "%2F")
	}
	paths, last := []string{"/"}, []string{"/"}
	for range 7 {
		if len(paths)+len(last)*len(units) > maxPaths {
			break
		}
		var next []string
		for _, p := range last {
			for _, u := range units {
				next = append(next, p+u)
			}
		}
		paths, last = append(paths, next...), next
	}
	return append(paths, "/robots.txt", "/robots%2Etxt", "/robots.txt/", "/robots.txtx")
}

// cutUnit cuts the first unit off a pattern: a byte, an escape, or the name of an index page.
func cutUnit(p string) (unit, rest string) {
	for _, unit := range []string{"index.html", "robots.txt", "\u00fc"} {
		if rest, ok := strings.CutPrefix(p, unit); ok {
			return unit, rest
		}
	}
	if len(p) >= 3 && p[0] == '%' && strings.Trim(p[1:3], "0123456789ABCDEFabcdef") == "" {
		return p[:3], p[3:]
	}
	return p[:1], p[1:]
}

// patternsIn returns the patterns of all rules of a file.
func patternsIn(files ...*robotstxt.File) (patterns []string) {
	for _, file := range files {
		for group := range file.Groups() {
			for _, r := range group.Rules {
				patterns = append(patterns, r.Pattern)
			}
		}
	}
	return patterns
}

// lengthOf returns the bytes of a path in normal form, by which the shortest one is found. A path that
// begins with "//" is longer than all others.
func lengthOf(p *robotstxt.Policy, path string) int {
	return order(p.Explain(site + path).Path)
}

// emptied returns a witness with an empty segment in place of each segment "x", as it may have been found.
func emptied(witness string) string {
	for strings.Contains(witness[1:], "/x/") {
		witness = witness[:1] + strings.ReplaceAll(witness[1:], "/x/", "//")
	}
	return witness
}

func order(path string) int {
	if strings.HasPrefix(path, "//") {
		return 1_000_000 + len(path)
	}
	return len(path)
}

// checked fails if a witness by itself, as people give it to "heed check", is decided about in
// another way than as a part of a URL.
func (b *brute) checked(p *robotstxt.Policy, witness string) robotstxt.Decision {
	b.Helper()
	d := p.Check(site + witness)
	if alone := p.Check(witness); alone != d && !strings.HasPrefix(witness, "//") {
		b.Fatalf("%q: %v, but by itself %v", witness, d, alone)
	}
	return d
}

// A keyOf a rule is equal for rules that two policies have in common.
type keyOf struct {
	dialect, text     string
	allowed, anchored bool
}

func keyOfPattern(p *robotstxt.Policy, m robotstxt.Pattern) keyOf {
	return keyOf{p.Dialect().String(), strings.Join(m.Segments, "*"), m.Allowed, m.Anchored}
}

// changedLines returns the lines of the rules of a policy that another policy does not have.
func changedLines(p, other *robotstxt.Policy) map[int]bool {
	has := map[keyOf]bool{}
	for m := range other.Patterns() {
		has[keyOfPattern(other, m)] = true
	}
	changed := map[int]bool{}
	for m := range p.Patterns() {
		if m.Rule.Line > 0 && !has[keyOfPattern(p, m)] {
			changed[m.Rule.Line] = true
		}
	}
	return changed
}

// A pair is the lines of the rules that decide in two policies; 0: no rule.
type pair struct{ old, new int }

func pairOf(old, new robotstxt.Decision) pair { return pair{old.Rule.Line, new.Rule.Line} }

// policies compares two policies.
func (b *brute) policies(old, new *robotstxt.Policy) {
	b.Helper()
	r := compare.Policies(context.Background(), old, new)
	if r.Outcome == compare.Undecided || r.Undecided > 0 {
		b.Fatalf("undecided after %d steps", r.Work)
	}
	shown := map[pair]bool{}
	shortest := map[pair]int{} // by one line: in the other policy, any line
	note := func(least map[pair]int, p pair, length int) {
		for _, p := range []pair{{p.old, anyLine}, {anyLine, p.new}, {anyLine, anyLine}} {
			if n, known := least[p]; !known || length < n {
				least[p] = length
			}
		}
	}
	blocks := false
	for i, c := range r.Changes {
		was, is := b.checked(old, c.Witness), b.checked(new, c.Witness)
		if was.Allowed == is.Allowed || was != c.Old || is != c.New {
			b.Fatalf("%q: %v and %v, but really %v and %v", c.Witness, c.Old, c.New, was, is)
		}
		if i > 0 && order(c.Witness) < order(r.Changes[i-1].Witness) {
			b.Fatalf("%q is behind the longer %q", c.Witness, r.Changes[i-1].Witness)
		}
		shown[pairOf(was, is)] = true
		blocks = blocks || c.Old.Allowed
		note(shortest, pairOf(was, is), lengthOf(old, emptied(c.Witness)))
	}
	if implied := r.Implies(); (implied == compare.Differs) != blocks || (implied == compare.Equal) == blocks {
		b.Fatalf("implies: %s", implied)
	}
	best := map[pair]int{}
	for _, path := range b.paths {
		was, is := old.Check(site+path), new.Check(site+path)
		if was.Allowed == is.Allowed || r.Restricted && !isCommon(path, old, new) {
			continue
		}
		note(best, pairOf(was, is), lengthOf(old, path))
		switch {
		case r.Outcome != compare.Differs:
			b.Fatalf("%s, but %q differs: %v, %v", r.Outcome, path, was, is)
		case was.Allowed && !blocks:
			b.Fatalf("implied, but %q differs: %v, %v", path, was, is)
		case !r.More && !shown[pairOf(was, is)]:
			b.Fatalf("no more pairs, but %q is of one: %v, %v", path, was, is)
		}
	}
	oldChanged, newChanged := changedLines(old, new), changedLines(new, old)
	for p, n := range best {
		if p.old == anyLine && p.new == anyLine || oldChanged[p.old] || newChanged[p.new] {
			if length, found := shortest[p]; !found || length > n {
				b.Fatalf("the shortest path of %v has %d bytes, not %d (%v)", p, n, length, found)
			}
		}
	}
}

const anyLine = -1

// isCommon reports whether a path is its own normal form in the dialects of both policies, and
// each "%" begins an escape.
func isCommon(path string, policies ...*robotstxt.Policy) bool {
	for _, p := range policies {
		if p.Explain(site+path).Path != path || p.Dialect() == robotstxt.Draft1996 && strings.ContainsAny(path, "%?#") {
			return false
		}
	}
	for path != "" {
		var unit string
		if unit, path = cutUnit(path); unit == "%" {
			return false
		}
	}
	return true
}

// rules checks the uses of the rules of a file's policy.
func (b *brute) rules(body string, p *robotstxt.Policy) {
	b.Helper()
	var order []robotstxt.Rule
	for r := range p.Rules() {
		order = append(order, r)
	}
	uses := compare.Rules(p)
	if len(uses) != len(order) {
		b.Fatalf("%d uses of %d rules", len(uses), len(order))
	}
	for i, u := range uses {
		if u.Rule != order[i] {
			b.Fatalf("%v is in the place of %v", u.Rule, order[i])
		}
		keep := func(line int) bool { return line != u.Rule.Line }
		without := b.neutralized(body, p, keep)
		switch u.Use {
		case compare.Needed:
			if was, is := b.checked(p, u.Witness), b.checked(without, u.Witness); was.Allowed == is.Allowed || was.Rule != u.Rule {
				b.Fatalf("%v is needed for %q, but %v, without it %v", u.Rule, u.Witness, was, is)
			}
		case compare.NeverDecides:
			b.neverDecides(body, p, u, order[:i])
		case compare.ChangesNothing:
		default:
			b.Fatalf("%v: %v", u.Rule, u.Use)
		}
		shortest := -1
		for _, path := range b.paths {
			d := p.Check(site + path)
			if d.Rule != u.Rule || d.Reason != robotstxt.ByRule {
				continue
			}
			if u.Use == compare.NeverDecides {
				b.Fatalf("%v decides about %q", u.Rule, path)
			}
			if is := without.Check(site + path); is.Allowed != d.Allowed {
				if n := lengthOf(p, path); shortest < 0 || n < shortest {
					shortest = n
				}
			}
		}
		if shortest >= 0 && (u.Use != compare.Needed || lengthOf(p, u.Witness) > shortest) {
			b.Fatalf("%v: %v, %q, but a path of %d bytes needs it", u.Rule, u.Use, u.Witness, shortest)
		}
	}
}

// neverDecides checks the blockers of a rule.
func (b *brute) neverDecides(body string, p *robotstxt.Policy, u compare.RuleUse, better []robotstxt.Rule) {
	b.Helper()
	keep := map[int]bool{u.Rule.Line: true}
	for _, r := range u.Blockers {
		if r != (robotstxt.Rule{}) && !slices.Contains(better, r) {
			b.Fatalf("%v is no better rule than %v", r, u.Rule)
		}
		keep[r.Line] = true
	}
	only := b.neutralized(body, p, func(line int) bool { return keep[line] })
	for _, path := range b.paths {
		if d := only.Check(site + path); d.Reason == robotstxt.ByRule && d.Rule == u.Rule {
			b.Fatalf("%v does not block %v for %q", u.Blockers, u.Rule, path)
		}
	}
}

// neutralized returns the same policy of a file in which other rules match no path. Their lines
// stay, so that the groups are the same.
func (b *brute) neutralized(body string, p *robotstxt.Policy, keep func(line int) bool) *robotstxt.Policy {
	lines := strings.Split(body, "\n")
	for r := range p.Rules() {
		if !keep(r.Line) {
			key, _, _ := strings.Cut(lines[r.Line-1], ":")
			lines[r.Line-1] = key + ": no-path-begins-so"
		}
	}
	return robotstxt.ParseString(strings.Join(lines, "\n"), p.Dialect()).Agent(p.Agents()...)
}

// files compares two files for all crawlers of some names.
func (b *brute) files(old, new *robotstxt.File, agents []string, chain []string) {
	b.Helper()
	r := compare.Files(context.Background(), old, new, chain)
	if r.Outcome == compare.Undecided || r.Incomplete {
		b.Fatalf("undecided, incomplete %v", r.Incomplete)
	}
	known := map[string]compare.Outcome{}
	for _, c := range r.Crawlers {
		known[groups(c.Old, c.New)] = c.Result.Outcome
		if r.Outcome == compare.Equal && c.Result.Outcome != compare.Equal {
			b.Fatalf("equal, but %s for %s", c.Result.Outcome, c)
		}
	}
	if n := len(differing(r)); (r.Outcome == compare.Differs) != (n > 0) {
		b.Fatalf("%s with %d crawlers", r.Outcome, n)
	}
	check := func(tokens ...string) {
		b.Helper()
		was, is := old.Agent(tokens...), new.Agent(tokens...)
		if _, ok := known[groups(was, is)]; !ok {
			b.Fatalf("no result for %q: groups %v and %v", tokens, was.GroupsThatApply(), is.GroupsThatApply())
		}
	}
	check()
	check(chain...)
	for _, agent := range agents {
		if old.Dialect() == new.Dialect() || robotstxt.ValidToken(agent) { // which all dialects read in one way
			check(agent)
		}
	}
}

// groups is equal for crawlers to which the same groups apply.
func groups(old, new *robotstxt.Policy) string {
	var s strings.Builder
	for _, p := range []*robotstxt.Policy{old, new} {
		for _, n := range p.GroupsThatApply() {
			s.WriteByte(byte('0' + n))
		}
		s.WriteByte('|')
	}
	return s.String()
}
