package report

import (
	"github.com/heed-robots/heed/robotstxt"
)

// An Answer is a Decision about a URL. The zero Answer denies.
type Answer struct {
	URL     string           `json:"url"` // as it was asked about: a path too, where a file was asked
	URLB64  []byte           `json:"url_b64,omitempty"`
	Allowed bool             `json:"allowed"`
	Reason  robotstxt.Reason `json:"reason"`
	Rule    *Rule            `json:"rule,omitempty"`  // that decides; nil: none does
	Error   string           `json:"error,omitempty"` // why there is no answer; "": there is one
	Agent   Agent            `json:"agent,omitempty"` // who was asked about
	Dialect string           `json:"dialect,omitempty"`
	Source  string           `json:"source,omitempty"` // of the robots.txt: a path as given, "-" for standard input, or a URL; "": it came with the question
}

// An Agent is a crawler, by its product tokens, the most specific first. In JSON one
// token is a string and several are a list.
type Agent []string

// AgentOf returns the crawler that goes by the given product tokens.
func AgentOf(tokens []string) Agent {
	a := make(Agent, len(tokens))
	for i, token := range tokens {
		a[i] = TextOf(token).Text
	}
	return a
}

// MarshalJSON returns the JSON of the crawler.
func (a Agent) MarshalJSON() ([]byte, error) { return a.appendJSON(nil), nil }

// A Rule is an Allow or Disallow line.
type Rule struct {
	Line       int    `json:"line"` // counted from 1
	Allow      bool   `json:"allow"`
	Pattern    string `json:"pattern"` // as written
	PatternB64 []byte `json:"pattern_b64,omitempty"`
}

// AnswerOf returns a Decision about a URL.
func AnswerOf(url string, d robotstxt.Decision) Answer {
	u := TextOf(url)
	return Answer{URL: u.Text, URLB64: u.B64, Allowed: d.Allowed, Reason: d.Reason, Rule: RuleOf(d.Rule)}
}

// RuleOf returns a rule; nil for the zero Rule.
func RuleOf(r robotstxt.Rule) *Rule {
	if r == (robotstxt.Rule{}) {
		return nil
	}
	p := TextOf(r.Pattern)
	return &Rule{Line: r.Line, Allow: r.Allow, Pattern: p.Text, PatternB64: p.B64}
}
