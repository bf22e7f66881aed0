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

// A policy has all rules for crawlers to which the same groups apply.
type policy struct {
	*robotstxt.Policy          // as RFC 9309 reads the file
	names             []string // the names of the crawlers in the file; empty: the policy is for all crawlers that the file does not name

	google *robotstxt.Policy // as Google's parser reads the file

	patterns, googlePatterns []robotstxt.Pattern

	search []string // those of the names that belong to search engines

	foundUses []compare.RuleUse // set by the method ruleUses
}

func (f *file) newPolicy(p, google *robotstxt.Policy) *policy {
	n := 1 // one more, for the pattern of /robots.txt, which is always allowed
	for _, g := range p.GroupsThatApply() {
		n += len(f.groups[g].Rules)
	}
	return &policy{Policy: p, google: google, patterns: appended(n, p.Patterns()), googlePatterns: appended(n, google.Patterns())}
}

func (p *policy) everyone() bool { return len(p.names) == 0 }

func (p *policy) crawlers() []string { return slices.DeleteFunc(slices.Clone(p.names), isPurposeToken) }

// firstLineNaming returns the first User-agent line of the policy's first group that names one of its crawlers.
func (f *file) firstLineNaming(p *policy) robotstxt.Line {
	agents := f.groups[p.GroupsThatApply()[0]].Agents
	names := p.crawlers()
	i := slices.IndexFunc(agents, func(a robotstxt.Agent) bool {
		return slices.ContainsFunc(names, func(name string) bool { return ascii.EqualFold(name, a.Name) })
	})
	return f.line(agents[max(0, i)].Line)
}

// isPreference is true if the policy names only purpose tokens, such as Google-Extended, which are no crawlers.
func (p *policy) isPreference() bool { return !p.everyone() && len(p.crawlers()) == 0 }

const (
	// One real file names 1,714 crawlers.
	maxPolicyNames = 2500
	// The work for all policies of a file together. Beyond this limit, the lint rules that need the work report nothing.
	maxWork = compare.MaxWork / 2
)

// If a needed rule is written twice, only the first copy gets compare.Needed.
func (f *file) ruleUses(p *policy) []compare.RuleUse {
	if p.foundUses != nil {
		return p.foundUses
	}
	rules := slices.Collect(p.Rules())
	key := textOfRules(rules)
	if known, ok := f.foundUses[key]; ok && f.usedWork+known.work <= maxWork {
		f.usedWork += known.work // the work counts again, although it is not done again
		p.foundUses = known.withLines(rules)
		return p.foundUses
	}
	before := f.usedWork
	p.foundUses = f.usesOf(p.Policy)
	f.findNeeded(p.foundUses)
	if f.usedWork <= maxWork {
		f.foundUses[key] = foundUses{rules, p.foundUses, f.usedWork - before}
	}
	return p.foundUses
}

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

type foundUses struct {
	rules []robotstxt.Rule
	uses  []compare.RuleUse
	work  int
}

// The parameter movedRules has the rules of known.rules on other lines, in the same order.
func (known foundUses) withLines(movedRules []robotstxt.Rule) []compare.RuleUse {
	place := map[robotstxt.Rule]robotstxt.Rule{{}: {}} // the zero Rule is the built-in rule, which allows /robots.txt
	for i, rule := range known.rules {
		place[rule] = movedRules[i]
	}
	uses := slices.Clone(known.uses)
	for i := range uses {
		uses[i].Rule = movedRules[i]
		uses[i].Blockers = slices.Clone(uses[i].Blockers)
		for j, blocker := range uses[i].Blockers {
			uses[i].Blockers[j] = place[blocker]
		}
		slices.SortStableFunc(uses[i].Blockers, func(a, b robotstxt.Rule) int { return a.Line - b.Line })
	}
	return uses
}

// If a rule is written twice, its first copy seems to change nothing, because the second copy decides instead. So
// findNeeded checks the first copy without the second.
func (f *file) findNeeded(uses []compare.RuleUse) {
	decidesInstead := map[int]bool{} // the lines that decide instead of another rule with the same verdict
	var rest []robotstxt.Rule        // all rules, except those that never decide because of a line in decidesInstead
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
	place := map[int]int{} // the key is a line number, the value its index in uses
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

func (f *file) usesAmong(rules []robotstxt.Rule, lines []int) []compare.RuleUse {
	wanted := map[int]bool{}
	for _, line := range lines {
		wanted[line] = true
	}
	var lineOf []int // the line numbers of the wanted rules in the new policy
	for i, rule := range rules {
		if wanted[rule.Line] {
			lineOf = append(lineOf, i+2) // line 1 of the new policy is a User-agent line, so rules[0] is on line 2
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

// If no lines are given, usesOf returns the uses of all rules.
func (f *file) usesOf(p *robotstxt.Policy, lines ...int) []compare.RuleUse {
	uses, work := compare.RulesWithin(maxWork-f.usedWork, p, lines...)
	f.usedWork += work
	return uses
}

func (f *file) disallowedPath(p *policy, group int) string {
	shortest := ""
	for _, use := range f.ruleUses(p) {
		if w := use.Witness; !use.Rule.Allow && w != "" && f.line(use.Rule.Line).Group == group && (shortest == "" || len(w) < len(shortest)) {
			shortest = w
		}
	}
	return shortest
}

// blocksAll is true even if the policy allows /robots.txt, which is no page. The policy must be one of f.parsed.
func (f *file) blocksAll(p *robotstxt.Policy) bool {
	if p.Check("/").Allowed {
		return false // the usual case, which needs no search
	}
	groups := fmt.Sprint(p.GroupsThatApply())
	blocks, known := f.blockingGroups[groups]
	if !known {
		outcome, _ := compare.BlocksAll(context.Background(), withoutItself(p))
		blocks = outcome == compare.Equal
		f.blockingGroups[groups] = blocks
	}
	return blocks
}

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

func policyWith(rules []robotstxt.Rule, d *robotstxt.Dialect) *robotstxt.Policy {
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	for _, rule := range rules {
		b.WriteString(rule.Text() + "\n")
	}
	return robotstxt.ParseString(b.String(), d).Agent()
}

// The first policy is for the crawlers that the file does not name. The others are in file order.
func (f *file) policies() []*policy {
	if f.allPolicies != nil {
		return f.allPolicies
	}
	f.foundUses = map[string]foundUses{}
	f.allPolicies = []*policy{f.newPolicy(f.parsed.Agent(), f.google.Agent())}
	byGroups := map[string]*policy{}
	f.policyByName = map[string]*policy{compare.Everyone: f.allPolicies[0]}
	for _, g := range f.groups {
		for _, a := range g.Agents {
			name := ascii.ToLower(a.Name)
			if name == "" || f.policyByName[name] != nil || len(f.policyByName) > maxPolicyNames {
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
			f.policyByName[name] = p
		}
	}
	f.groupPolicies = make([][]*policy, len(f.groups))
	for _, p := range f.allPolicies {
		for _, g := range p.GroupsThatApply() {
			f.groupPolicies[g] = append(f.groupPolicies[g], p)
		}
	}
	return f.allPolicies
}

func (f *file) policyFor(name string) *policy {
	f.policies()
	return f.policyByName[ascii.ToLower(name)]
}

func (f *file) line(number int) robotstxt.Line { return f.lines[number-1] }

// The first group has the number 1. A line before the first group has the group 0.
func (f *file) policiesOf(group int) []*policy {
	if group == 0 {
		return nil
	}
	f.policies()
	return f.groupPolicies[group-1]
}

var searchCrawlers = sync.OnceValue(func() []crawlers.Crawler {
	return slices.Collect(crawlers.Known().For(crawlers.Search))
})

func (p *policy) forSearch() bool { return p.everyone() || len(p.search) > 0 }

// The built-in rule, which allows /robots.txt, is not in the file.
func isInFile(r robotstxt.Rule) bool { return r.Line > 0 }

func allows(rule robotstxt.Rule) bool { return rule.Allow || rule.Pattern == "" }
