package robotstxt

import (
	"fmt"
	"strings"

	"github.com/heed-robots/heed/internal/printable"
)

// Because returns the reason of a decision: the rule with its line, such as "line 3:
// Disallow: /cart", or why no rule decided. The text is escaped as in Decision.String.
func (d Decision) Because() string {
	if d.Reason == ByRule {
		return d.Rule.String()
	}
	return d.Reason.String()
}

// A Section is a part of an explanation: a title, and lines.
type Section struct {
	Title string
	Lines []string
}

// String explains the decision in several lines: the decision with its reason, the groups
// that apply, and the rules that match, the deciding one first. The text is escaped as that
// of Decision.String, except its own line ends.
func (t Trace) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n  %s\n", t.Headline(), t.Decision.Because())
	for _, s := range t.Sections() {
		fmt.Fprintf(&b, "\n%s\n", s.Title)
		for _, line := range s.Lines {
			fmt.Fprintf(&b, "  %s\n", line)
		}
	}
	return b.String()
}

// Headline returns the decision in one line, such as "/cart is disallowed for ExampleBot
// (RFC 9309)".
func (t Trace) Headline() string {
	target := t.Target
	if target == "" {
		target = `""`
	}
	return printable.Text(target) + " " + t.Answer()
}

// Answer returns the Headline without the target, such as "is disallowed for ExampleBot
// (RFC 9309)".
func (t Trace) Answer() string {
	verdict, while := "disallowed", ""
	switch {
	case t.Decision.Allowed:
		verdict = "allowed"
	case t.Decision.Reason == Unreachable:
		while = " while robots.txt is unreachable"
	}
	return printable.Text(fmt.Sprintf("is %s for %s%s (%s)", verdict, t.crawler(), while, t.Dialect.Title()))
}

// crawler returns the names of the crawler that the decision is for.
func (t *Trace) crawler() string {
	switch {
	case len(t.Agents) > 0:
		return strings.Join(t.Agents, ", ")
	case t.Decision.Reason == InvalidAgent:
		return "an agent that cannot be read"
	case t.policy == nil || t.policy.fixed != nil:
		return "every crawler"
	}
	return "a crawler that no group names"
}

// Sections returns the reasons in words: the groups that apply, and the rules that match if
// rules were compared. It returns none if the decision does not come from a parsed file.
func (t Trace) Sections() []Section {
	var sections []Section
	if t.policy != nil && t.policy.rules != nil {
		sections = append(sections, t.groupsInWords())
	}
	if t.Path != "" && t.RuleCount > 0 {
		sections = append(sections, t.rulesInWords())
	}
	return sections
}

func (t *Trace) groupsInWords() Section {
	s := Section{Title: "Groups that apply in " + t.Dialect.Title()}
	others := 0
	for _, use := range t.Groups {
		if use.Role.Applies() {
			s.Lines = append(s.Lines, use.inWords())
		} else {
			others++
		}
	}
	switch {
	case len(t.Groups) == 0:
		s.Lines = append(s.Lines, "none: the file has no group")
	case others == len(t.Groups) && t.Decision.Reason == IgnoresEveryone:
		s.Lines = append(s.Lines, fmt.Sprintf("none: the file has %s, for other crawlers or for \"*\", which this one does not follow", printable.Counted(others, "group")))
	case others == len(t.Groups):
		s.Lines = append(s.Lines, fmt.Sprintf("none: the file has %s, for other crawlers", printable.Counted(others, "group")))
	case others == 1:
		s.Lines = append(s.Lines, "1 other group does not apply")
	case others > 1:
		s.Lines = append(s.Lines, fmt.Sprintf("%d other groups do not apply", others))
	}
	return s
}

func (t *Trace) rulesInWords() Section {
	s := Section{Title: fmt.Sprintf("Rules that match %s (%d of %d)", printable.Text(t.Path), len(t.Candidates), t.RuleCount)}
	for _, c := range t.Candidates {
		rule, fate := c.InWords()
		s.Lines = append(s.Lines, fmt.Sprintf("%s  (%s)", rule, fate))
	}
	if len(t.Candidates) == 0 {
		s.Lines = append(s.Lines, "none")
	}
	return s
}

// inWords returns a User-agent line of the group and its role, such as
// "line 4: User-agent: a  (names others; 2 rules)".
func (u GroupUse) inWords() string {
	line := u.Agent
	if line == (Agent{}) && len(u.Group.Agents) > 0 {
		line = u.Group.Agents[0]
	}
	return fmt.Sprintf("%s  (%s; %s)", line, u.Role, printable.Counted(len(u.Group.Rules), "rule"))
}

// InWords returns the rule, such as "line 2: Disallow: /x", with its normal form if that
// differs; and its length and whether it decides, such as "2 octets; decides".
func (c Candidate) InWords() (rule, fate string) {
	rule = c.Rule.String()
	if c.Pattern != c.Rule.Pattern {
		rule += " as " + printable.Text(c.Pattern)
	}
	return rule, fmt.Sprintf("%s; %s", octets(c.Length), c.Beaten)
}
