package usage

import "github.com/heed-robots/heed/robotstxt"

// Says is where one carrier in a robots.txt says at least some preference about a purpose.
type Says struct {
	By     string            // the carrier, and which purpose token; "": one that says so about every target
	Policy *robotstxt.Policy // it allows the targets about which the carrier says so, and disallows all others
}

// Says returns where the robots.txt says at least a preference about a purpose: Disallowed, or Allowed or Disallowed. It does so about
// each target that any of the policies allows, and about no other one (AI-4); a carrier that says so nowhere is left out.
// So programs can compare what two files say about all targets at once.
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
		if always >= least && (w.policy == nil || !c.byPath.longest) { // no path can say less
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

// atLeast returns rules, of which the first one decides, that allow the targets about which a policy says at least a preference; nil if
// it says so nowhere. The policy nil has no rules.
func atLeast(policy *robotstxt.Policy, says func(robotstxt.Rule) Preference, least, otherwise Preference) (rules []robotstxt.Rule) {
	if policy == nil {
		return nil
	}
	some := otherwise >= least
	for pattern := range policy.Patterns() {
		rule := pattern.Rule
		if rule.Line == 0 {
			rule.Pattern = "/robots.txt$" // itself, of which nothing is said
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
