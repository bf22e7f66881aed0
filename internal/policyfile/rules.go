package policyfile

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/heed-robots/heed/compare"
	"github.com/heed-robots/heed/robotstxt"
)

type rule struct {
	robotstxt.Rule
	key      string // rules with the same key match the same URLs
	head     string // every path that the rule matches begins with this text
	isNormal bool
}

func newRule(r robotstxt.Rule) rule {
	return rule{r, keyOf(r.Pattern), headOf(r.Pattern), isNormal(r.Pattern)}
}

func (r *rule) isForSite() bool { return r.key == "/" }

func (r *rule) isLiteral() bool { return r.isNormal && len(r.head) == len(r.Pattern) }

// keyOf returns the normal form of a pattern, without wildcards at its end. Patterns with equal keys match the same URLs.
func keyOf(pattern string) string {
	if !isNormal(pattern) {
		for p := range robotstxt.LongestOf([]string{pattern}).Patterns() {
			pattern = strings.ReplaceAll(strings.Join(p.Segments, "*"), "$", "%24")
			if p.Anchored {
				pattern += "$"
			}
		}
	}
	return cmp.Or(strings.TrimRight(pattern, "*"), "/")
}

// inASCII returns the rules with the escapes that URLs have. Some old crawlers compare a pattern
// with a URL as both are written.
func inASCII(rules []rule) []rule {
	all := slices.Clone(rules)
	for i := range all {
		if r := &all[i]; !r.isNormal {
			r.Pattern = percentEncoded(r.Pattern, func(c rune) bool { return c < utf8.RuneSelf })
			*r = newRule(r.Rule)
		}
	}
	return all
}

// percentEncoded percent-encodes the characters that are not kept.
func percentEncoded(pattern string, isKept func(rune) bool) string {
	var b strings.Builder
	for len(pattern) > 0 {
		c, size := utf8.DecodeRuneInString(pattern)
		text := pattern[:size]
		pattern = pattern[size:]
		if isKept(c) {
			b.WriteString(text)
			continue
		}
		for _, c := range []byte(text) {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

func isNormal(pattern string) bool {
	for i := range len(pattern) {
		if isOdd(pattern[i]) || pattern[i] == '$' && i+1 < len(pattern) {
			return false
		}
	}
	query := strings.IndexByte(pattern, '?')
	return query < 0 || !strings.Contains(pattern[query:], "/")
}

func isOdd(c byte) bool { return c <= ' ' || c >= 0x7f || c == '%' }

func headOf(pattern string) string {
	end := strings.IndexFunc(pattern, func(c rune) bool { return c == '*' || c == '$' || c >= 0x80 || isOdd(byte(c)) })
	if end < 0 {
		end = len(pattern)
	}
	if query := strings.IndexByte(pattern[:end], '?'); query >= 0 && strings.Contains(pattern[query:], "/") {
		end = query // in a query, "/" and "%2F" mean the same
	}
	return pattern[:end]
}

// mayMeet returns false only if no URL matches both rules.
func mayMeet(a, b *rule) bool {
	return strings.HasPrefix(a.head, b.head) || strings.HasPrefix(b.head, a.head)
}

// An effort is how many comparisons of rules may still be made. When no comparisons are left, rules
// are not sorted, and no rules are left out.
type effort int

const maxEffort effort = 8 << 20

func (e *effort) spend(n int) bool {
	if n > int(*e) {
		return false
	}
	*e -= effort(n)
	return true
}

// maxHead is the maximum length of a path for longestPrefix, whose work grows with the square of the length.
const maxHead = 1000

// neededRules leaves out rules that change no verdict. If it leaves out a needed rule by mistake, the comparison of the
// policy with the robots.txt (see prove) finds this.
func neededRules(rules []rule, left *effort) (rest []rule) {
	literal := map[string]bool{} // the verdicts of rules without wildcards, by path
	var special []*rule
	for i := range rules {
		if r := &rules[i]; r.isLiteral() {
			literal[r.Pattern] = r.Allow
		} else {
			special = append(special, r)
		}
	}
	switch allows := func(r rule) bool { return r.Allow }; {
	case !slices.ContainsFunc(rules, func(r rule) bool { return !r.Allow }):
		return nil
	case !slices.ContainsFunc(rules, allows) && slices.ContainsFunc(rules, func(r rule) bool { return r.isForSite() }):
		return []rule{newRule(robotstxt.Rule{Pattern: "/"})}
	case !left.spend(2 * len(rules) * len(special)):
		return rules
	}
	for i := range rules {
		r := &rules[i]
		allowed, length := longestPrefix(r, literal)
		isNeeded := allowed != r.Allow || len(r.head) > maxHead ||
			slices.ContainsFunc(special, func(o *rule) bool { return isBetween(o, r, length) })
		for j := 0; !isNeeded && !r.isLiteral() && j < len(rules); j++ {
			isNeeded = isBetween(&rules[j], r, length)
		}
		if isNeeded {
			rest = append(rest, *r)
		}
	}
	return rest
}

// withoutIdle leaves out rules with wildcards that change no verdict. It leaves out one rule at a
// time, because another rule may then be needed.
func withoutIdle(rules []rule, left *effort) []rule {
	for {
		idle := idleOf(rules, left)
		if len(idle) > 0 {
			last := idle[len(idle)-1]
			rules = slices.Delete(slices.Clone(rules), last, last+1)
		}
		if len(idle) < 2 {
			return rules
		}
	}
}

// robotsOf returns a robots.txt with one group for all crawlers. The rules begin on line 2.
func robotsOf(rules []rule) string {
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	for i := range rules {
		b.WriteString(rules[i].Text() + "\n")
	}
	return b.String()
}

// idleOf returns the indexes of those rules with wildcards that could each be left out alone without changing a verdict. If
// the search takes too much work, it returns nil.
func idleOf(rules []rule, left *effort) (idle []int) {
	var lines []int
	for i := range rules {
		if !rules[i].isLiteral() {
			lines = append(lines, i+2)
		}
	}
	if len(lines) == 0 {
		return nil
	}
	text := robotsOf(rules)
	if len(text) > maxRobots {
		return nil
	}
	needed := map[int]bool{}
	for _, d := range slices.Concat(proved, old) {
		uses, work := compare.RulesWithin(int(*left), robotstxt.ParseString(text, d).Agent(), lines...)
		if !left.spend(work) {
			*left = 0 // this work is done, although not enough was left for it
			return nil
		}
		for _, use := range uses {
			if use.Use != compare.ChangesNothing && use.Use != compare.NeverDecides {
				needed[use.Rule.Line] = true
			}
		}
	}
	for _, line := range lines {
		if !needed[line] {
			idle = append(idle, line-2)
		}
	}
	return idle
}

// longestPrefix returns the verdict and the length of the longest path in the map with which the pattern of r begins. If
// there is none, it returns true and 0.
func longestPrefix(r *rule, verdicts map[string]bool) (allowed bool, length int) {
	for end := min(len(r.head), maxHead); end > 0; end-- {
		if v, ok := verdicts[r.head[:end]]; ok && (end < len(r.Pattern) || !r.isLiteral()) {
			return v, end
		}
	}
	return true, 0
}

// isBetween reports whether the opposite rule o may decide some URLs if r is left out. The parameter length is the length
// of the path that longestPrefix returned.
func isBetween(o, r *rule, length int) bool {
	return o.Allow != r.Allow && (len(o.Pattern) >= length || !o.isNormal) && !isLonger(o, r) && mayMeet(o, r)
}

// isLonger reports whether rule o is certainly longer than rule r in all dialects, which count some wildcards differently.
func isLonger(o, r *rule) bool {
	return o.isNormal && r.isNormal && !strings.Contains(o.key, "**") && len(o.key) > len(r.Pattern)
}

// inOrder sorts rules for old crawlers, for which the first match decides. If two rules contradict each other, the longer
// rule comes first.
func inOrder(rules []rule, left *effort) []rule {
	byVerdict := map[bool][]int{}
	for i, r := range rules {
		byVerdict[r.Allow] = append(byVerdict[r.Allow], i)
	}
	if !left.spend(2 * len(byVerdict[true]) * len(byVerdict[false])) {
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
			if len(rules[other].Pattern) > len(rules[i].Pattern) && mayMeet(&rules[other], &rules[i]) {
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

// strictestMeaning returns what all contents allow, with their longest crawl delay, all records, and the strictest preferences.
func strictestMeaning(ctx context.Context, all []*content, left *int) (joint meaning) {
	var rules [][]rule
	var wishes []wish
	for _, c := range all {
		rules, wishes = append(rules, c.rules), append(wishes, c.wishes...)
		if seconds(c.delay) > seconds(joint.delay) {
			joint.delay = c.delay
		}
		for _, record := range c.records {
			if !slices.Contains(joint.records, record) {
				joint.records = append(joint.records, record)
			}
		}
	}
	joint.rules, joint.wishes = strictest(ctx, rules, left), completeWishes(joinWishes(wishes))
	return joint
}

// joinRules returns the rules of all lists, each once. If one list allows a pattern and another disallows it, it is disallowed.
func joinRules(lists [][]rule) (joint []rule) {
	disallowed, seen := map[string]bool{}, map[string]bool{}
	for _, r := range slices.Concat(lists...) {
		disallowed[r.key] = disallowed[r.key] || !r.Allow
	}
	for _, r := range slices.Concat(lists...) {
		if text := r.Text(); !seen[text] && r.Allow != disallowed[r.key] {
			seen[text] = true
			joint = append(joint, r)
		}
	}
	return joint
}

// strictest returns rules that allow only what all lists of rules allow. It may leave out an Allow rule that would be
// correct for some URLs.
func strictest(ctx context.Context, lists [][]rule, left *int) []rule {
	joint := joinRules(lists)
	for slices.ContainsFunc(joint, func(r rule) bool { return r.Allow }) {
		opening, ok := openingRules(ctx, lists, joint, left)
		if ok && len(opening) == 0 {
			break
		}
		before := len(joint)
		joint = slices.DeleteFunc(joint, func(r rule) bool { return opening[r.Text()] })
		if !ok || len(joint) == before {
			return slices.DeleteFunc(joint, func(r rule) bool { return r.Allow })
		}
	}
	return joint
}

func policyOf(rules []rule, d *robotstxt.Dialect) *robotstxt.Policy {
	text := robotsOf(rules)
	return robotstxt.ParseString(text, d.WithLimit(len(text))).Agent()
}

// lostPath returns a path that all lists of rules allow, and the joint rules disallow. If it is not known whether there is such
// a path, it returns "" and true.
func lostPath(ctx context.Context, lists [][]rule, joint []rule, left *int) (path string, isLost bool) {
	for _, d := range proved {
		var old []*robotstxt.Policy
		for _, rules := range lists {
			old = append(old, policyOf(rules, d))
		}
		outcome, path, work := compare.LostWithin(ctx, *left, old, policyOf(joint, d))
		if *left -= work; outcome != compare.Equal {
			return path, true
		}
	}
	return "", false
}

// openingRules returns the texts of those Allow rules in the list joint that allow a URL which one of the lists disallows.
// If the search takes more than the work that is left, ok is false.
func openingRules(ctx context.Context, lists [][]rule, joint []rule, left *int) (opening map[string]bool, ok bool) {
	opening = map[string]bool{}
	for _, d := range proved {
		new := policyOf(joint, d)
		for _, rules := range lists {
			result := compare.Policies(ctx, policyOf(rules, d), new)
			*left -= result.Work + len(rules) + len(joint)
			if *left < 0 || result.Outcome == compare.Undecided || result.Undecided > 0 {
				return nil, false
			}
			for _, change := range result.Changes {
				if change.New.Reason == robotstxt.ByRule && change.New.Allowed {
					opening[change.New.Rule.Text()] = true
				}
			}
		}
	}
	return opening, true
}
