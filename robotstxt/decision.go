package robotstxt

import (
	"strconv"

	"github.com/heed-robots/heed/internal/printable"
)

// A Decision says whether a crawler may fetch a URL, and why. The zero Decision disallows the URL: nothing has been decided.
type Decision struct {
	Allowed bool
	Reason  Reason
	Rule    Rule // the rule that decided; zero if Reason is not ByRule
}

// A Rule is an Allow or Disallow line. The zero Rule means that there is no rule.
type Rule struct {
	Allow   bool
	Pattern string // as written in the file, without a comment and without white space around it
	Line    int    // counted from 1; 0 if the rule is not on a line
}

// String returns the decision with its line or reason, such as "disallowed by line 3: Disallow: /cart". The text is one
// line, and is safe to print on a terminal.
func (d Decision) String() string {
	s := "disallowed"
	if d.Allowed {
		s = "allowed"
	}
	if d.Reason == ByRule && d.Rule.Line > 0 {
		return s + " by " + d.Rule.String()
	}
	return s + ": " + d.Reason.String()
}

// Text returns the rule as a line of a robots.txt, such as "Disallow: /cart". Control characters are not escaped.
func (r Rule) Text() string {
	return r.key() + ": " + r.Pattern
}

func (r Rule) key() string {
	if r.Allow {
		return "Allow"
	}
	return "Disallow"
}

// String returns the rule with its line, such as "line 3: Disallow: /cart", or "no rule" for the zero Rule. The text is
// escaped as in Decision.String.
func (r Rule) String() string {
	if r == (Rule{}) {
		return "no rule"
	}
	return numbered(r.Line, r.key(), r.Pattern)
}

func numbered(line int, key, value string) string {
	s := key + ":"
	if value != "" {
		s += " " + printable.Text(value)
	}
	if line == 0 {
		return s
	}
	return "line " + strconv.Itoa(line) + ": " + s
}

// A Reason says why a URL is allowed or disallowed.
type Reason uint8

const (
	// Undecided is the reason of the zero Decision, which means disallowed.
	Undecided Reason = iota
	// ByRule: the Rule of the Decision matched and decided.
	ByRule
	// NoRuleMatched: a group applies, but none of its rules matches. The URL is allowed.
	NoRuleMatched
	// NoGroup: there is no group for the agent and there is no "*" group. The URL is allowed.
	NoGroup
	// RobotsTxtItself: /robots.txt is always allowed in RFC9309 and Draft2019.
	RobotsTxtItself
	// Unavailable: the origin has no robots.txt. The URL is allowed.
	Unavailable
	// Unreachable: the robots.txt could not be fetched. The URL is disallowed.
	Unreachable
	// Restricted: the server refused the robots.txt (status 401 or 403). In the dialects Standard1994 and Draft1996, this
	// disallows the whole site (S96-1).
	Restricted
	// OtherOrigin: the URL does not belong to the origin of the robots.txt. The URL is disallowed.
	OtherOrigin
	// InvalidAgent: the agent contains no product token. The URL is disallowed. In the Google dialect, this happens
	// only if NotEveryone is the only token.
	InvalidAgent
	// InvalidTarget: the target is neither an absolute URL nor a path that begins with "/". It is disallowed. The Google
	// dialect accepts every target.
	InvalidTarget
	// IgnoresEveryone: there is no group for the agent, and the agent does not follow the "*" groups. The URL is allowed.
	IgnoresEveryone
)

var reasonTexts = [...]string{
	Undecided:       "nothing was decided",
	ByRule:          "a rule matches",
	NoRuleMatched:   "no rule matches",
	NoGroup:         "no group applies",
	RobotsTxtItself: "/robots.txt is always allowed",
	Unavailable:     "robots.txt is unavailable",
	Unreachable:     "robots.txt is unreachable",
	Restricted:      "robots.txt is restricted",
	OtherOrigin:     "the URL is of another origin",
	InvalidAgent:    "the agent is not a product token",
	InvalidTarget:   "neither an absolute URL nor a path",
	IgnoresEveryone: `there is no group for the crawler, and it does not follow the groups for "*"`,
}

// String returns the reason in a few words.
func (r Reason) String() string {
	return printable.Name(reasonTexts[:], r, "unknown reason")
}

var reasonNames = [...]string{
	Undecided:       "undecided",
	ByRule:          "rule",
	NoRuleMatched:   "no-rule-matched",
	NoGroup:         "no-group",
	RobotsTxtItself: "robots-txt-itself",
	Unavailable:     "unavailable",
	Unreachable:     "unreachable",
	Restricted:      "restricted",
	OtherOrigin:     "other-origin",
	InvalidAgent:    "invalid-agent",
	InvalidTarget:   "invalid-target",
	IgnoresEveryone: "ignores-everyone",
}

// Name returns the stable name of the reason, for programs.
func (r Reason) Name() string { return printable.Name(reasonNames[:], r, "unknown") }

// MarshalText returns what Name returns.
func (r Reason) MarshalText() ([]byte, error) { return []byte(r.Name()), nil }
