package usage

import "github.com/heed-robots/heed/robotstxt"

// Says is the set of targets about which one carrier in a robots.txt says something, for example disallows a purpose. See Policy.Says.
type Says struct {
	By     string            // the carrier, and the name of a purpose token; "": a carrier that says so about every target
	Policy *robotstxt.Policy // allows the targets of the set, and disallows all others
}

// Says returns for which targets the robots.txt disallows a purpose, if least is Disallowed, or allows or disallows it, if least is
// Allowed. These are the targets that at least one of the policies allows (AI-4). A carrier without such targets is left out. With Says
// programs can compare what two files say about all targets.
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
		if always >= least && (w.policy == nil || !c.byPath.longest) { // the carrier says so about every target
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

// atLeast returns rules that allow the targets about which a policy says at least the preference least, and disallow all others. The first
// rule that matches decides. atLeast returns nil if there is no such target, or if policy is nil. otherwise is what is said about a target
// that no pattern of the policy matches.
func atLeast(policy *robotstxt.Policy, says func(robotstxt.Rule) Preference, least, otherwise Preference) (rules []robotstxt.Rule) {
	if policy == nil {
		return nil
	}
	some := otherwise >= least
	for pattern := range policy.Patterns() {
		rule := pattern.Rule
		if rule.Line == 0 {
			rule.Pattern = "/robots.txt$" // nothing is said about /robots.txt itself
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
