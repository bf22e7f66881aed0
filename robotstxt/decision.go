package robotstxt

import (
	"strconv"

	"github.com/heed-robots/heed/internal/printable"
)

// A Decision is the answer to "may this agent fetch this URL?".
// The zero Decision denies: nothing has been decided.
type Decision struct {
	Allowed bool
	Reason  Reason
	Rule    Rule // the rule that decided; zero unless Reason is ByRule
}

// A Rule is an Allow or Disallow line. The zero Rule is no rule.
type Rule struct {
	Allow   bool
	Pattern string // as written in the file, without the space and comment around it
	Line    int    // counted from 1; 0: no line
}

// String says whether the URL is allowed, and by which line or why, such as
// "disallowed by line 3: Disallow: /cart" or "allowed: no rule matches". What the
// file chose is escaped, so that it is safe on a terminal and one line of a log.
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

// String returns the rule with its line, such as "line 3: Disallow: /cart", safe to
// show as that of Decision is, and "no rule" for the zero Rule.
func (r Rule) String() string {
	if r == (Rule{}) {
		return "no rule"
	}
	key := "Disallow"
	if r.Allow {
		key = "Allow"
	}
	return numbered(r.Line, key, r.Pattern)
}

// numbered returns key and value of a line, behind its number unless that is 0.
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

// Reason says what a Decision rests on.
type Reason uint8

const (
	// Undecided is the reason of the zero Decision: denied.
	Undecided Reason = iota
	// ByRule: the Rule of the Decision matched and decided.
	ByRule
	// NoRuleMatched: a group applies, none of its rules matches: allowed.
	NoRuleMatched
	// NoGroup: no group names the agent and there is no "*" group: allowed.
	NoGroup
	// RobotsTxtItself: /robots.txt is always allowed.
	RobotsTxtItself
	// Unavailable: the server says that there is no robots.txt: allowed.
	Unavailable
	// Unreachable: the robots.txt could not be fetched: denied.
	Unreachable
	// Restricted: the server does not let anybody read the robots.txt, which
	// 1996 takes for the whole site: denied (S96-1).
	Restricted
	// OtherOrigin: the URL is not of the origin that the file speaks for: denied.
	OtherOrigin
	// InvalidAgent: the name asked about is no product token and holds none
	// that could be found: denied, since a group may well name it.
	InvalidAgent
	// InvalidTarget: what was asked about is neither an absolute URL nor a
	// path that begins with "/": denied.
	InvalidTarget
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
}

// String returns the reason in a few words.
func (r Reason) String() string {
	if int(r) < len(reasonTexts) {
		return reasonTexts[r]
	}
	return "unknown reason"
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
}

// MarshalText returns the reason's stable name for machines.
func (r Reason) MarshalText() ([]byte, error) {
	if int(r) < len(reasonNames) {
		return []byte(reasonNames[r]), nil
	}
	return []byte("unknown"), nil
}
