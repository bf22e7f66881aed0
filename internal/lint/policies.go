package lint

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/heed-robots/heed/compare"
	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/ascii"
	"github.com/heed-robots/heed/robotstxt"
)

// A policy has all rules for a set of crawlers to which the same groups apply.
type policy struct {
	*robotstxt.Policy          // in the reading of RFC 9309
	names             []string // the names of the crawlers in the file; empty: the policy is for all crawlers that the file does not name

	google *robotstxt.Policy // the same policy in the reading of Google's parser

	patterns, googlePatterns []robotstxt.Pattern // the patterns of the rules, in the reading of RFC 9309 and in that of Google's parser

	search []string // the names of crawlers of search engines

	found []compare.RuleUse // the result of the method uses
}

func (f *file) newPolicy(p, google *robotstxt.Policy) *policy {
	n := 1 // the first one is for the pattern of /robots.txt, which is always allowed
	for _, g := range p.GroupsThatApply() {
		n += len(f.groups[g].Rules)
	}
	return &policy{Policy: p, google: google, patterns: appended(n, p.Patterns()), googlePatterns: appended(n, google.Patterns())}
}

// everyone reports whether the policy is for the crawlers that the file does not name.
func (p *policy) everyone() bool { return len(p.names) == 0 }

// crawlers returns the names without purpose tokens, which are not crawlers.
func (p *policy) crawlers() []string { return slices.DeleteFunc(slices.Clone(p.names), isPurposeToken) }

// isPreference reports whether the policy is only for purpose tokens, such as Google-Extended. A purpose token is not a crawler,
// so no crawler follows such a policy.
func (p *policy) isPreference() bool { return !p.everyone() && len(p.crawlers()) == 0 }

// Limits of the work for one file. A lint rule that needs more work reports nothing.
const (
	// the maximum number of policies for named crawlers; one real file names 1,714
	maxPolicyNames = 2500
	// The maximum work to find out what rules do, for all policies of a file together. Of 15,639 real files, 7 reach this limit
	// or another one.
	maxUses = compare.MaxWork / 2
)

// uses returns, for each rule of a policy, whether the rule is needed. If a rule is written twice, one copy counts as needed,
// and the other copy as one that never decides. For policies with equal rules, the work is done only once.
func (f *file) uses(p *policy) []compare.RuleUse {
	if p.found != nil {
		return p.found
	}
	rules := slices.Collect(p.Rules())
	key := textOfRules(rules)
	if known, ok := f.foundUses[key]; ok && f.used+known.work <= maxUses {
		f.used += known.work // this work counts, although it is not done again
		p.found = known.on(rules)
		return p.found
	}
	before := f.used
	p.found = f.usesOf(p.Policy)
	f.findNeeded(p.found)
	if f.used <= maxUses {
		f.foundUses[key] = foundUses{rules, p.found, f.used - before}
	}
	return p.found
}

// textOfRules returns a text that is equal for lists of rules that differ at most in line numbers.
func textOfRules(rules []robotstxt.Rule) string {
	var b strings.Builder
	for _, rule := range rules {
		if rule.Allow {
			b.WriteByte('+')
		}
		b.WriteString(rule.Pattern + "\n")
	}
	return b.String()
}

// foundUses says what each of some rules does, and how much work was needed to find this out.
type foundUses struct {
	rules []robotstxt.Rule
	uses  []compare.RuleUse // one use for each rule
	work  int
}

// on returns the same uses for other rules, which differ from the known rules only in their line numbers.
func (known foundUses) on(rules []robotstxt.Rule) []compare.RuleUse {
	place := map[robotstxt.Rule]robotstxt.Rule{{}: {}} // the zero Rule means that /robots.txt itself is always allowed
	for i, rule := range known.rules {
		place[rule] = rules[i]
	}
	uses := slices.Clone(known.uses)
	for i := range uses {
		uses[i].Rule = rules[i]
		uses[i].Blockers = slices.Clone(uses[i].Blockers)
		for j, blocker := range uses[i].Blockers {
			uses[i].Blockers[j] = place[blocker]
		}
		slices.SortFunc(uses[i].Blockers, func(a, b robotstxt.Rule) int { return a.Line - b.Line })
	}
	return uses
}

// findNeeded corrects the uses of rules that have a copy. If a rule is written twice, the second copy never decides.
// If only the first copy is removed, nothing changes, because the second copy then decides. So findNeeded looks at
// the rules without the second copy, and marks the first one as needed if it is needed there.
func (f *file) findNeeded(uses []compare.RuleUse) {
	decidesInstead := map[int]bool{} // the numbers of the lines that decide instead of a rule with the same verdict
	var rest []robotstxt.Rule        // the rules, without those that never decide because of such a line
	for _, use := range uses {
		again := false
		for _, blocker := range use.Blockers {
			if isInFile(blocker) && allows(blocker) == allows(use.Rule) {
				decidesInstead[blocker.Line], again = true, true
			}
		}
		if !again {
			rest = append(rest, use.Rule)
		}
	}
	place := map[int]int{} // for each line number, its index in uses
	for i, use := range uses {
		if use.Use == compare.ChangesNothing && decidesInstead[use.Rule.Line] {
			place[use.Rule.Line] = i
		}
	}
	for _, use := range f.usesAmong(rest, slices.Collect(maps.Keys(place))) {
		if use.Use == compare.Needed {
			uses[place[use.Rule.Line]] = use
		}
	}
}

// usesAmong returns what the rules on the lines with the given numbers do, in a policy that has only the given rules.
func (f *file) usesAmong(rules []robotstxt.Rule, lines []int) []compare.RuleUse {
	wanted := map[int]bool{}
	for _, line := range lines {
		wanted[line] = true
	}
	var lineOf []int // the line numbers of the wanted rules in the new policy, counted from 1
	for i, rule := range rules {
		if wanted[rule.Line] {
			lineOf = append(lineOf, i+2) // the new policy begins with a User-agent line, so rules[0] is in its line 2
		}
	}
	if len(lineOf) == 0 {
		return nil
	}
	uses := f.usesOf(policyWith(rules, robotstxt.RFC9309), lineOf...)
	for i := range uses {
		uses[i].Rule, uses[i].Blockers = rules[uses[i].Rule.Line-2], nil
	}
	return uses
}

// usesOf returns what the rules on the lines with the given numbers do. If there are no numbers, it returns this for all rules
// of the policy.
func (f *file) usesOf(p *robotstxt.Policy, lines ...int) []compare.RuleUse {
	uses, work := compare.RulesWithin(maxUses-f.used, p, lines...)
	f.used += work
	return uses
}

// witness returns the shortest known path that a rule of a group disallows for a policy; "" if none is
// known. The parameter group is the number of the group, from 1.
func (f *file) witness(p *policy, group int) string {
	shortest := ""
	for _, use := range f.uses(p) {
		if w := use.Witness; !use.Rule.Allow && w != "" && f.line(use.Rule.Line).Group == group && (shortest == "" || len(w) < len(shortest)) {
			shortest = w
		}
	}
	return shortest
}

// blocksAll reports whether the policy disallows every URL.
func (p *policy) blocksAll() bool { return blocksAll(p.Policy) }

// blocksAll reports whether a policy disallows every page. A rule "Allow: /robots.txt" changes nothing, because
// it allows no page.
func blocksAll(p *robotstxt.Policy) bool {
	if p.Check("/").Allowed {
		return false // the usual case, which needs no search
	}
	outcome, _ := compare.BlocksAll(context.Background(), withoutItself(p))
	return outcome == compare.Equal
}

// withoutItself returns the policy without rules that are only about /robots.txt, such as "Allow: /robots.txt".
func withoutItself(p *robotstxt.Policy) *robotstxt.Policy {
	allowsItself := func(rule robotstxt.Rule) bool {
		return rule.Allow && strings.TrimRight(rule.Pattern, "*$") == "/robots.txt"
	}
	rules := slices.Collect(p.Rules())
	if !slices.ContainsFunc(rules, allowsItself) {
		return p
	}
	return policyWith(slices.DeleteFunc(rules, allowsItself), p.Dialect())
}

// policyWith returns a policy that has only the given rules. The first rule is in line 2.
func policyWith(rules []robotstxt.Rule, d *robotstxt.Dialect) *robotstxt.Policy {
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	for _, rule := range rules {
		b.WriteString(rule.Text() + "\n")
	}
	return robotstxt.ParseString(b.String(), d).Agent()
}

// policies returns all policies of the file: first the policy for the crawlers that the file does not name,
// then the others in file order.
func (f *file) policies() []*policy {
	if f.allPolicies != nil {
		return f.allPolicies
	}
	f.foundUses = map[string]foundUses{}
	f.allPolicies = []*policy{f.newPolicy(f.parsed.Agent(), f.google.Agent())}
	byGroups := map[string]*policy{}
	f.byName = map[string]*policy{}
	for _, g := range f.groups {
		for _, a := range g.Agents {
			name := ascii.ToLower(a.Name)
			if a.Everyone || name == "" || f.byName[name] != nil || len(f.byName) == maxPolicyNames {
				continue
			}
			rules := f.parsed.Agent(name)
			key := fmt.Sprint(rules.GroupsThatApply())
			p := byGroups[key]
			if p == nil {
				p = f.newPolicy(rules, f.google.Agent(name))
				byGroups[key] = p
				f.allPolicies = append(f.allPolicies, p)
			}
			p.names = append(p.names, a.Name)
			if c, ok := crawlers.Known().Lookup(a.Name); ok && slices.Contains(c.Purposes, crawlers.Search) {
				p.search = append(p.search, a.Name)
			}
			f.byName[name] = p
		}
	}
	f.ofGroup = make([][]*policy, len(f.groups))
	for _, p := range f.allPolicies {
		for _, g := range p.GroupsThatApply() {
			f.ofGroup[g] = append(f.ofGroup[g], p)
		}
	}
	return f.allPolicies
}

// policyFor returns the policy of the crawlers that a User-agent line names. It returns nil if the line names no crawler, or if
// the file names more than maxPolicyNames crawlers.
func (f *file) policyFor(agent robotstxt.Agent) *policy {
	all := f.policies()
	if agent.Everyone {
		return all[0]
	}
	return f.byName[ascii.ToLower(agent.Name)]
}

// line returns the line with a number.
func (f *file) line(number int) robotstxt.Line { return f.lines[number-1] }

// policiesOf returns the policies that have the rules of a group. The parameter group is the number
// of the group, from 1; for 0, there are no policies.
func (f *file) policiesOf(group int) []*policy {
	if group == 0 {
		return nil // the line is before the first group
	}
	f.policies()
	return f.ofGroup[group-1]
}

// searchCrawlers returns the known crawlers of search engines.
var searchCrawlers = sync.OnceValue(func() []crawlers.Crawler {
	return slices.Collect(crawlers.Known().For(crawlers.Search))
})

// forSearch reports whether the policy is for a crawler of a search engine.
func (p *policy) forSearch() bool { return p.everyone() || len(p.search) > 0 }

// isInFile reports whether a rule is in the file. Only the rule that always allows /robots.txt is not.
func isInFile(r robotstxt.Rule) bool { return r.Line > 0 }

// allows reports whether a rule allows the URLs about which it decides. This is also true for a Disallow line without a pattern.
func allows(rule robotstxt.Rule) bool { return rule.Allow || rule.Pattern == "" }
