package report

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/heed-robots/heed/compare"
	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/crawlernames"
	"github.com/heed-robots/heed/robotstxt"
)

// An Answer says whether a crawler may fetch a URL, and why. The zero Answer means that the URL is disallowed.
type Answer struct {
	URL    string `json:"url"` // the URL as it was given; for a robots.txt from a file, it may be only a path
	URLB64 []byte `json:"url_b64,omitempty"`
	Decision
	Error string      `json:"error,omitempty"` // why there is no decision; absent if there is one
	Usage Preferences `json:"usage,omitempty"` // whether the page may be used for the purposes in the question
	Agent Agent       `json:"agent,omitempty"` // the product tokens of the crawler
	Facts
	Meant   string `json:"meant,omitempty"`   // the crawler that a misspelt product token probably means; absent if the token is not misspelt, and in streams
	Dialect string `json:"dialect,omitempty"` // the dialect in which the robots.txt is read
	// The path or URL of the robots.txt, or "-" for standard input. Absent if the question contained the robots.txt.
	Source string `json:"source,omitempty"`
}

// A Decision says whether a URL is allowed, and why. Every JSON output of Heed has decisions in this form; see
// AppendDecision.
type Decision struct {
	Allowed bool             `json:"allowed"`        // false if the answer has an error
	Reason  robotstxt.Reason `json:"reason"`         // why the URL is allowed or not, such as "rule" or "no-rule-matched"
	Rule    *Rule            `json:"rule,omitempty"` // the rule that decides; absent if no rule decides
}

// An Agent has the product tokens of one crawler, the most specific first. In JSON, one token is a string.
type Agent []string

func (a Agent) IsEveryone() bool { return len(a) == 1 && a[0] == compare.Everyone }

// NamesOf returns the name of each agent, and crawlernames.WithoutGroup in place of "*".
func NamesOf(agents []Agent, name func(Agent) string) (names []string) {
	for _, agent := range agents {
		one := name(agent)
		if one == compare.Everyone {
			one = crawlernames.WithoutGroup
		}
		names = append(names, one)
	}
	return names
}

func AgentOf(tokens []string) Agent {
	a := make(Agent, len(tokens))
	for i, token := range tokens {
		a[i] = TextOf(token).Text
	}
	return a
}

// MarshalJSON returns a string for one token, and a list for several. It never returns an error.
func (a Agent) MarshalJSON() ([]byte, error) { return a.appendJSON(nil), nil }

// UnmarshalJSON reads a string or a list of strings. An empty list is an error.
func (a *Agent) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil && string(text) != "null" {
		*a = Agent{one}
		return nil
	}
	var several []*string // an element that is null in JSON becomes nil
	if json.Unmarshal(text, &several) != nil || len(several) == 0 || slices.Contains(several, nil) {
		return errors.New("expected a product token, such as \"Googlebot\", or a list of product tokens")
	}
	*a = make(Agent, len(several))
	for i, token := range several {
		(*a)[i] = *token
	}
	return nil
}

// A Rule is an Allow or Disallow line.
type Rule struct {
	Line       int    `json:"line"`    // the number of the line in the robots.txt, counted from 1
	Allow      bool   `json:"allow"`   // true for Allow, false for Disallow
	Pattern    string `json:"pattern"` // the pattern as written in the robots.txt
	PatternB64 []byte `json:"pattern_b64,omitempty"`
}

func (a *Answer) SetAgent(table *crawlers.Table, tokens []string) {
	a.Agent, a.Facts = AgentOf(tokens), FactsOf(table, tokens)
}

// Meant returns the crawler that a misspelt product token probably means. It returns "" if there is
// none.
func (a Agent) Meant(table *crawlers.Table) string {
	if len(a) != 1 {
		return ""
	}
	return crawlernames.Meant(table, a[0])
}

func AnswerOf(url string, d robotstxt.Decision) Answer {
	u := TextOf(url)
	return Answer{URL: u.Text, URLB64: u.B64, Decision: DecisionOf(d)}
}

func DecisionOf(d robotstxt.Decision) Decision { return Decision{d.Allowed, d.Reason, RuleOf(d.Rule)} }

// Because returns the deciding rule with its line, or the reason. The text is safe on a terminal.
func (d Decision) Because() string {
	if d.Rule == nil {
		return d.Reason.String()
	}
	return robotstxt.Rule{Allow: d.Rule.Allow, Pattern: d.Rule.Pattern, Line: d.Rule.Line}.String()
}

func RuleOf(r robotstxt.Rule) *Rule {
	if r == (robotstxt.Rule{}) {
		return nil
	}
	p := TextOf(r.Pattern)
	return &Rule{Line: r.Line, Allow: r.Allow, Pattern: p.Text, PatternB64: p.B64}
}

func Verdict(allowed bool) string {
	if allowed {
		return "allowed"
	}
	return "disallowed"
}

// VerdictOf returns "allowed", "disallowed" or "unreachable" (the robots.txt could not be fetched).
func VerdictOf(d robotstxt.Decision) string {
	if !d.Allowed && (d.Reason == robotstxt.Unreachable || d.Reason == robotstxt.Undecided) {
		return "unreachable"
	}
	return Verdict(d.Allowed)
}
