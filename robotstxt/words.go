package robotstxt

import (
	"fmt"
	"strings"

	"github.com/heed-robots/heed/internal/printable"
)

// Because returns the reason of a decision: the rule, such as "line 3: Disallow: /cart", or why no rule decided. The text
// is escaped as in Decision.String.
func (d Decision) Because() string {
	if d.Reason == ByRule {
		return d.Rule.String()
	}
	return d.Reason.String()
}

// String explains the decision in three parts: the decision with its reason, the groups that apply, and the rules that
// match. Without a parsed file, the text has only the first part. The text has several lines. Each line is escaped as
// in Decision.String.
func (t Trace) String() string {
	var b strings.Builder
	target := t.Target
	if target == "" {
		target = `""`
	}
	fmt.Fprintf(&b, "%s %s\n  %s\n", printable.Text(target), printable.Text(t.verdict()), t.Decision.Because())
	if t.policy != nil && t.policy.rules != nil {
		t.writeGroups(&b)
	}
	if t.Path != "" && t.RuleCount > 0 {
		t.writeRules(&b)
	}
	return b.String()
}

func (t *Trace) verdict() string {
	verdict, while := "disallowed", ""
	switch {
	case t.Decision.Allowed:
		verdict = "allowed"
	case t.Decision.Reason == Unreachable:
		while = " while robots.txt is unreachable"
	}
	return fmt.Sprintf("is %s for %s%s (%s)", verdict, t.crawler(), while, t.Dialect.Title())
}

func (t *Trace) crawler() string {
	switch {
	case len(t.Agents) > 0:
		return strings.Join(t.Agents, ", ")
	case t.Decision.Reason == InvalidAgent:
		return "an agent that cannot be read"
	case t.policy == nil || t.policy.fixed != nil:
		return "every crawler"
	}
	return "a crawler without a group"
}

func (t *Trace) writeGroups(b *strings.Builder) {
	fmt.Fprintf(b, "\nGroups that apply in %s\n", t.Dialect.InSentence())
	others := 0
	for _, use := range t.Groups {
		if use.Role.Applies() {
			fmt.Fprintf(b, "  %s\n", use.inWords())
		} else {
			others++
		}
	}
	switch {
	case len(t.Groups) == 0:
		b.WriteString("  none: the file has no group\n")
	case others == len(t.Groups) && t.Decision.Reason == IgnoresEveryone:
		b.WriteString("  none: no group names the crawler, which does not follow groups for \"*\"\n")
	case others == len(t.Groups):
		b.WriteString("  none: no group names the crawler, and none is for \"*\"\n")
	case others == 1:
		b.WriteString("  1 other group does not apply\n")
	case others > 1:
		fmt.Fprintf(b, "  %d other groups do not apply\n", others)
	}
}

func (t *Trace) writeRules(b *strings.Builder) {
	fmt.Fprintf(b, "\nRules that match %s (%d of %d)\n", printable.Text(t.Path), len(t.Candidates), t.RuleCount)
	for _, c := range t.Candidates {
		rule, fate := c.InWords()
		fmt.Fprintf(b, "  %s  (%s)\n", rule, fate)
	}
	if len(t.Candidates) == 0 {
		b.WriteString("  none\n")
	}
}

func (u GroupUse) inWords() string {
	line := u.Agent
	if line == (Agent{}) && len(u.Group.Agents) > 0 {
		line = u.Group.Agents[0]
	}
	return fmt.Sprintf("%s  (%s; %s)", line, u.Role, printable.Counted(len(u.Group.Rules), "rule"))
}

// InWords returns the rule, such as "line 2: Disallow: /x", and adds the normal form of the pattern if it differs. The
// result fate says how long the pattern is, and whether the rule decides, as in "2 bytes; decides".
func (c Candidate) InWords() (rule, fate string) {
	rule = c.Rule.String()
	if c.Pattern != c.Rule.Pattern {
		rule += " as " + printable.Text(c.Pattern)
	}
	return rule, fmt.Sprintf("%s; %s", inBytes(c.Length), c.Beaten)
}
