package policyfile

import (
	"cmp"
	"strings"

	"github.com/heed-robots/heed/robotstxt"
)

// These bound the work with the rules of one group; beyond it, rules are written as they are.
const (
	maxOrdered = 4 << 20 // pairs of rules
	maxNeeded  = 2000    // rules with wildcards
)

// needed returns the rules without those that another one with a shorter path makes superfluous. It looks at the text of
// paths only, and keeps a rule if it is not sure; what is written is proved afterwards.
func needed(rules []rule) (rest []rule) {
	verdict := map[string]bool{} // by the text of paths without wildcards
	var special []rule           // with wildcards, or with a normal form of their own
	hasAllow, hasDisallow := false, false
	for _, r := range rules {
		hasAllow, hasDisallow = hasAllow || r.Allow, hasDisallow || !r.Allow
		if r.isLiteral() {
			verdict[r.Pattern] = r.Allow
		} else {
			special = append(special, r)
		}
	}
	switch {
	case !hasDisallow:
		return nil
	case len(special) > maxNeeded:
		return rules
	}
	for _, r := range rules {
		head := r.head()
		allowed, length := true, 0 // what decides without the rule about a URL that begins with its text
		for end := len(head); end > 0; end-- {
			if v, ok := verdict[head[:end]]; ok && (end < len(head) || !r.isLiteral()) {
				allowed, length = v, end
				break
			}
		}
		if !hasAllow && verdict["/"] == false && r.Pattern != "/" {
			if _, ok := verdict["/"]; ok {
				continue // "Disallow: /" is enough
			}
		}
		if allowed != r.Allow || !r.isLiteral() && hasBetween(rules, r, length) || hasBetween(special, r, length) {
			rest = append(rest, r)
		}
	}
	return rest
}

// hasBetween reports whether a rule with the opposite verdict may decide about a URL that r matches, in the place of one
// of the given length.
func hasBetween(rules []rule, r rule, length int) bool {
	for _, o := range rules {
		if o.Allow != r.Allow && (len(o.Pattern) >= length || !isPlain(o.Pattern)) && mayMeet(o, r) {
			return true
		}
	}
	return false
}

// isLiteral reports whether a rule matches every URL that begins with its pattern.
func (r rule) isLiteral() bool { return isPlain(r.Pattern) && !strings.ContainsAny(r.Pattern, "*$") }

// head returns what every URL begins with that a rule matches, or less.
func (r rule) head() string {
	for i := range len(r.Pattern) {
		if c := r.Pattern[i]; c == '*' || c == '$' || !isPlain(r.Pattern[i:i+1]) {
			return r.Pattern[:i]
		}
	}
	return r.Pattern
}

// mayMeet reports whether two rules may match the same URL.
func mayMeet(a, b rule) bool {
	x, y := a.head(), b.head()
	return strings.HasPrefix(x, y) || strings.HasPrefix(y, x)
}

// inOrder returns rules in an order in which the first one that matches is the one that decides, as far as possible, since old
// crawlers take the first: a rule with a longer path is before one with the opposite verdict. Otherwise the order stays.
func inOrder(rules []rule) []rule {
	byVerdict := map[bool][]int{}
	for i, r := range rules {
		byVerdict[r.Allow] = append(byVerdict[r.Allow], i)
	}
	if len(byVerdict[true])*len(byVerdict[false]) > maxOrdered {
		return rules
	}
	var sorted []rule
	isWritten := make([]bool, len(rules))
	var write func(i int)
	write = func(i int) {
		if isWritten[i] {
			return
		}
		isWritten[i] = true
		for _, other := range byVerdict[!rules[i].Allow] {
			if len(rules[other].Pattern) > len(rules[i].Pattern) && mayMeet(rules[other], rules[i]) {
				write(other)
			}
		}
		sorted = append(sorted, rules[i])
	}
	for i := range rules {
		write(i)
	}
	return sorted
}

// ruleOf returns a rule about a path; "" is the whole site.
func ruleOf(allow bool, path string) robotstxt.Rule {
	return robotstxt.Rule{Allow: allow, Pattern: cmp.Or(path, "/")}
}
