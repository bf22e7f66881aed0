package usage

import "github.com/heed-robots/heed/robotstxt"

// Says is a set of targets (URLs or paths) about which one carrier (a kind of statement) in a robots.txt says something, for
// example that it disallows a purpose. See Policy.Says.
type Says struct {
	// By is the name of the carrier, such as "content-usage". For a purpose token, it is "purpose-token " and the
	// name of the token. If the set has every target, it does not matter which carrier that is, and By is "".
	By     string
	Policy *robotstxt.Policy // allows the targets that are in the set, and disallows all others
}

// Says returns the targets about which the robots.txt says something. If minimum is Disallowed, these are the targets for
// which it disallows the purpose. If minimum is Allowed, it allows or disallows the purpose for them. The result has one
// element for each carrier that says something. A target is in the result if the Policy of at least one element allows it
// (AI-4). Programs use this method to compare two files for all targets.
func (p *Policy) Says(purpose Purpose, minimum Preference) (all []Says) {
	add := func(by string, policy *robotstxt.Policy, says func(robotstxt.Rule) Preference, otherwise Preference) {
		if rules := atLeast(policy, says, minimum, otherwise); rules != nil {
			all = append(all, Says{by, robotstxt.FirstOfRules(rules)})
		}
	}
	for _, c := range []struct {
		carrier Carrier
		byPath  *byPath
	}{{ContentUsage, &p.usage}, {ContentSignal, &p.signals}} {
		w, always := &c.byPath.ways[purpose], c.byPath.pathless[purpose]
		if always >= minimum && (w.policy == nil || !c.byPath.longest) { // the carrier says this about every target
			return []Says{{"", robotstxt.FirstOfRules(nil)}}
		}
		add(string(c.carrier), w.policy, func(rule robotstxt.Rule) Preference { return w.preferences[rule.Line-1] }, always)
	}
	for i := range p.tokens {
		if t := &p.tokens[i]; t.Purpose == purpose {
			add(string(PurposeToken)+" "+t.Name, t.policy, func(rule robotstxt.Rule) Preference { return said(rule.Allow) }, Unknown)
		}
	}
	return all
}

// atLeast returns rules that allow some targets and disallow all others. The allowed targets are those for which a policy has
// the preference minimum, or a stricter one. preferenceOf returns the preference of a rule of the policy; unmatched is the
// preference of targets that no rule matches. The result is nil if no target is allowed, or if policy is nil.
func atLeast(policy *robotstxt.Policy, preferenceOf func(robotstxt.Rule) Preference, minimum, unmatched Preference) (rules []robotstxt.Rule) {
	if policy == nil {
		return nil
	}
	some := unmatched >= minimum
	for pattern := range policy.Patterns() {
		rule := pattern.Rule
		if rule.Line == 0 {
			rule.Pattern = "/robots.txt$" // the carriers say nothing about /robots.txt itself
		} else {
			rule.Allow = preferenceOf(rule) >= minimum
		}
		some = some || rule.Allow
		rules = append(rules, rule)
	}
	if !some {
		return nil
	}
	return append(rules, robotstxt.Rule{Allow: unmatched >= minimum, Pattern: "/"})
}
