package report

import "github.com/heed-robots/heed/robotstxt"

// An Answer is a Decision about a URL. The zero Answer denies.
type Answer struct {
	URL     string           `json:"url"` // as it was asked about: a path too, where a file was asked
	URLB64  []byte           `json:"url_b64,omitempty"`
	Allowed bool             `json:"allowed"`
	Reason  robotstxt.Reason `json:"reason"`
	Rule    *Rule            `json:"rule,omitempty"`  // that decides; nil: none does
	Error   string           `json:"error,omitempty"` // why there is no answer; "": there is one
}

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
