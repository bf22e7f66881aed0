package compare

import (
	"cmp"
	"context"
	"slices"

	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/robotstxt"
)

// A Use says what a rule does in its policy. The zero Use is UseUnknown.
type Use uint8

const (
	// UseUnknown: the use could not be found out within MaxWork.
	UseUnknown Use = iota
	// Needed: without the rule, some URL would have another verdict.
	Needed
	// ChangesNothing: the rule decides about some URLs. Without the rule, these URLs have the same verdict.
	ChangesNothing
	// NeverDecides: for each URL that the rule matches, another rule decides.
	NeverDecides
)

var useTexts = [...]string{
	UseUnknown:     "unknown",
	Needed:         "needed",
	ChangesNothing: "changes nothing",
	NeverDecides:   "never decides",
}

// String returns the use in words, such as "never decides".
func (u Use) String() string { return printable.Name(useTexts[:], u, useTexts[UseUnknown]) }

// A RuleUse is a rule, and what the rule does in its policy.
type RuleUse struct {
	Rule    robotstxt.Rule
	Use     Use
	Witness string // for a Needed rule: the shortest path that has another verdict without the rule
	// If Use is NeverDecides, Blockers are the rules that decide instead of Rule. If there are none, Rule matches no URL.
	// A zero Rule in Blockers means the exception for /robots.txt.
	Blockers []robotstxt.Rule
}

// Opposite returns the Blockers with the opposite verdict: they disallow if u.Rule allows, and allow if u.Rule disallows.
func (u RuleUse) Opposite() []robotstxt.Rule {
	return slices.DeleteFunc(slices.Clone(u.Blockers), func(r robotstxt.Rule) bool { return verdictOf(r) == verdictOf(u.Rule) })
}

// verdictOf returns the verdict of a rule. The zero Rule allows /robots.txt itself.
func verdictOf(r robotstxt.Rule) bool { return r.Allow || r.Pattern == "" }

// Rules finds the use of each rule. If lines are given, it finds only the uses of the rules on these lines. The result is
// in the order of Policy.Rules. MaxWork limits the work for all rules together.
func Rules(p *robotstxt.Policy, lines ...int) []RuleUse {
	uses, _ := RulesWithin(MaxWork, p, lines...)
	return uses
}

// RulesWithin does the same as Rules, but the parameter limit is used in place of MaxWork. It also returns the work, which
// may be a little more than limit.
func RulesWithin(limit int, p *robotstxt.Policy, lines ...int) (uses []RuleUse, work int) {
	spent := budget{limit: limit}
	own := newSide(p, &spent)
	c := newComparison(own, own, spent)
	wanted := map[int]bool{}
	for _, line := range lines {
		wanted[line] = true
	}
	indexes := map[int][]int{} // by the line of the rule
	for i, r := range own.rules {
		if line := r.Rule.Line; len(lines) == 0 || wanted[line] {
			indexes[line] = append(indexes[line], i)
		}
	}
	for rule := range p.Rules() {
		if len(lines) == 0 || wanted[rule.Line] {
			uses = append(uses, c.useOf(rule, indexes[rule.Line]))
		}
	}
	return uses, c.budget.usedSteps
}

// useOf finds out the use of a rule. The rules of c.old with these indexes come from the line of the rule.
func (c *comparison) useOf(rule robotstxt.Rule, indexes []int) RuleUse {
	own := c.old
	use := RuleUse{Rule: rule}
	for _, i := range indexes {
		path, f := c.find(target{own, own, i, rule.Line})
		if witness := c.search.paths.URLPath(path); f == foundPath && (use.Use != Needed || lengthOf(witness) < lengthOf(use.Witness)) {
			use.Use, use.Witness = Needed, witness
		}
	}
	if use.Use != Needed { // if no work is left, setUnneeded finds nothing out, and the use stays unknown
		c.setUnneeded(&use, indexes)
	}
	return use
}

func (c *comparison) setUnneeded(use *RuleUse, indexes []int) {
	var blockers []*rule
	for _, i := range indexes {
		switch by, f := c.blockers(i); f {
		case foundPath:
			use.Use = ChangesNothing
			return
		case outOfWork:
			return
		default:
			blockers = append(blockers, by...)
		}
	}
	use.Use = NeverDecides
	for _, r := range blockers {
		if r.Rule.Line != use.Rule.Line && !slices.Contains(use.Blockers, r.Rule) {
			use.Blockers = append(use.Blockers, r.Rule)
		}
	}
	slices.SortStableFunc(use.Blockers, func(a, b robotstxt.Rule) int { return cmp.Compare(a.Line, b.Line) })
}

// blockers returns foundPath if the rule decides about a path. If not, it returns noPath, and the rules that decide instead.
func (c *comparison) blockers(index int) (avoided []*rule, f searchResult) {
	for {
		path, f := c.search.shortestPath(&c.budget, c.old.rules[index:index+1], avoided, noLimit)
		if f != foundPath {
			return avoided, f
		}
		i := c.blocker(c.old, index, path, nil)
		if i < 0 {
			return nil, foundPath
		}
		avoided = append(avoided, c.old.rules[i])
	}
}

// BlocksAll returns Equal if a policy provably disallows every URL, except perhaps /robots.txt. If not, it returns Differs
// and the shortest allowed path. If the context ends, the result is Undecided.
func BlocksAll(ctx context.Context, p *robotstxt.Policy) (o Outcome, allowed string) {
	all := robotstxt.ParseString("User-agent: *\nDisallow: /", p.Dialect())
	return implication(ctx, p, all.Agent())
}

// BlocksNothing returns Equal if a policy provably allows every URL. If not, it returns Differs and the shortest disallowed
// path. If the context ends, the result is Undecided.
func BlocksNothing(ctx context.Context, p *robotstxt.Policy) (o Outcome, disallowed string) {
	nothing := robotstxt.ParseString("", p.Dialect())
	return implication(ctx, nothing.Agent(), p)
}

// implication returns Differs and the shortest URL that p allows and q disallows, or Equal if there provably is none.
// Otherwise, it returns Undecided.
func implication(ctx context.Context, p, q *robotstxt.Policy) (o Outcome, witness string) {
	r := Policies(ctx, p, q)
	for _, c := range r.Changes {
		if c.isBlocked() {
			return Differs, c.Witness
		}
	}
	return r.Implies(), ""
}

// BlocksWithin does the same as BlocksAll, but only for the URLs that a pattern matches. The pattern has the form of a
// Disallow value. If the search needs more steps than limit, the result is Undecided.
func BlocksWithin(limit int, p *robotstxt.Policy, pattern string) (o Outcome, allowed string, work int) {
	spent := budget{limit: limit}
	matched := robotstxt.ParseString("User-agent: *\nDisallow: "+pattern, p.Dialect())
	c := newComparison(newSide(matched.Agent(), &spent), newSide(p, &spent), spent)
	o = Equal
	for i, r := range c.old.rules {
		if r.Allowed {
			continue // the rule that always allows /robots.txt itself
		}
		switch path, f := c.find(target{c.old, c.new, i, noLine}); f {
		case foundPath:
			return Differs, c.search.paths.URLPath(path), c.budget.usedSteps
		case outOfWork:
			o = Undecided
		}
	}
	return o, "", c.budget.usedSteps
}
