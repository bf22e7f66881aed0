package usage

import "github.com/heed-robots/heed/robotstxt"

// Says is a set of targets (URLs or paths) about which one carrier in a robots.txt says something, for example that
// it disallows a purpose. See Policy.Says.
type Says struct {
	// By is the name of the carrier, such as "content-usage", or for a purpose token "purpose-token " and its name.
	// It is "" if a carrier says the same about every target.
	By     string
	Policy *robotstxt.Policy // allows the targets that are in the set, and disallows all others
}

// Says returns the targets for which the robots.txt disallows a purpose (if least is Disallowed), or allows or
// disallows it (if least is Allowed). Each carrier that says something has one Says; a target belongs to the result
// if one of their Policies allows the target (AI-4). Programs use this method to compare two files for all targets.
func (p *Policy) Says(purpose Purpose, least Preference) (all []Says) {
	add := func(by string, policy *robotstxt.Policy, says func(robotstxt.Rule) Preference, otherwise Preference) {
		if rules := atLeast(policy, says, least, otherwise); rules != nil {
			all = append(all, Says{by, robotstxt.FirstOfRules(rules)})
		}
	}
	for _, c := range []struct {
		carrier Carrier
		byPath  *byPath
	}{{ContentUsage, &p.usage}, {ContentSignal, &p.signals}} {
		w, always := &c.byPath.ways[purpose], c.byPath.always[purpose]
		if always >= least && (w.policy == nil || !c.byPath.longest) { // the carrier says this about every target
			return []Says{{"", robotstxt.FirstOfRules(nil)}}
		}
		add(string(c.carrier), w.policy, func(rule robotstxt.Rule) Preference { return w.says[rule.Line-1] }, always)
	}
	for i := range p.tokens {
		if t := &p.tokens[i]; t.Purpose == purpose {
			add(string(PurposeToken)+" "+t.Name, t.policy, func(rule robotstxt.Rule) Preference { return said(rule.Allow) }, Unknown)
		}
	}
	return all
}

// atLeast returns rules for the targets about which a policy says the preference least or a stricter one: the first
// rule that matches a target allows it if it is one of these. says returns the preference of a rule of the policy;
// otherwise is the preference if no rule matches. The result is nil if there are no such targets, or if policy is
// nil.
func atLeast(policy *robotstxt.Policy, says func(robotstxt.Rule) Preference, least, otherwise Preference) (rules []robotstxt.Rule) {
	if policy == nil {
		return nil
	}
	some := otherwise >= least
	for pattern := range policy.Patterns() {
		rule := pattern.Rule
		if rule.Line == 0 {
			rule.Pattern = "/robots.txt$" // the carriers say nothing about /robots.txt itself
		} else {
			rule.Allow = says(rule) >= least
		}
		some = some || rule.Allow
		rules = append(rules, rule)
	}
	if !some {
		return nil
	}
	return append(rules, robotstxt.Rule{Allow: otherwise >= least, Pattern: "/"})
}
