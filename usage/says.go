package usage

import "github.com/heed-robots/heed/robotstxt"

// A Says is a set of targets (URLs or paths) about which one carrier, such as Content-Usage, says something. See Policy.Says.
type Says struct {
	// By is the carrier (a kind of line), such as "content-usage" or "purpose-token Google-Extended"; "" if the element is
	// about every URL.
	By     string
	Policy *robotstxt.Policy // allows the targets that are in the set, and disallows all others
}

// Says returns the URLs about which the robots.txt says something. These are the URLs for which the robots.txt
// disallows the purpose. If minimum is Allowed, the URLs for which the robots.txt allows the purpose are added. Each
// element is for one carrier (a kind of line). All elements together are what the robots.txt says (AI-4).
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
		w, always := &c.byPath.byPurpose[purpose], c.byPath.pathless[purpose]
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

// atLeast returns rules that allow exactly the targets whose preference is minimum or stricter. If there are no such
// targets, it returns nil. The parameter unmatched is the preference of the targets that no pattern matches.
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
