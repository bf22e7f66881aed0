package report

import "github.com/heed-robots/heed/robotstxt"

// An Explanation is why a crawler may or may not fetch a URL, in several dialects.
type Explanation struct {
	Question
	Verdicts
}

// A Question is what is asked.
type Question struct {
	URL     string   `json:"url"`
	URLB64  []byte   `json:"url_b64,omitempty"`
	Agents  []string `json:"agents"`  // the product tokens of the crawler, the most specific first
	Dialect string   `json:"dialect"` // the one that answers; the others are there to compare
}

// Verdicts are the answers.
type Verdicts struct {
	Dialects    []Trace      `json:"dialects"`
	Differences []Difference `json:"differences"` // empty: all answer the same
}

// A Trace is a decision in one dialect with all its reasons.
type Trace struct {
	Dialect    string           `json:"dialect"`
	Allowed    bool             `json:"allowed"`
	Reason     robotstxt.Reason `json:"reason"`
	Rule       *Rule            `json:"rule,omitempty"`
	Path       string           `json:"path"` // in normal form; "": none was compared
	PathB64    []byte           `json:"path_b64,omitempty"`
	Groups     []Group          `json:"groups"`
	Candidates []Candidate      `json:"candidates"` // the rules that match, the one that decides first
}

// A Group is the part that a group of the file plays.
type Group struct {
	Line    int    `json:"line"` // of its first User-agent line
	Applies bool   `json:"applies"`
	Why     string `json:"why"`
	Rules   int    `json:"rules"`
}

// A Candidate is a rule that matches.
type Candidate struct {
	Rule    *Rule  `json:"rule"`
	Pattern string `json:"normal_form"`
	Length  int    `json:"octets"` // of the normal form
	Beaten  string `json:"why"`
	Spans   []Span `json:"spans"` // how it matches: from the start of the path on, without gaps
}

// A Span is a part of the path of a Trace that a part of a pattern matches.
type Span struct {
	Start    int  `json:"start"` // in octets of the path
	End      int  `json:"end"`
	Wildcard bool `json:"wildcard,omitempty"` // a "*" matches it, which may be nothing
}

// A Difference says why a dialect does not answer as the one of the Question does.
type Difference struct {
	Dialect string `json:"dialect"`
	Why     string `json:"why"`
}

// A Contrast says why two dialects answer differently; "": they do not.
// robotstxt.Contrast is one.
type Contrast func(a, b robotstxt.Trace) string

// ExplanationOf returns the explanation of a decision, and of those of all dialects, that
// one among them, which are contrasted with it.
func ExplanationOf(agents []string, main robotstxt.Trace, all []robotstxt.Trace, contrast Contrast) Explanation {
	u := TextOf(main.Target)
	e := Explanation{
		Question: Question{URL: u.Text, URLB64: u.B64, Agents: agents, Dialect: main.Dialect.String()},
		Verdicts: Verdicts{Dialects: []Trace{}, Differences: []Difference{}},
	}
	for _, t := range all {
		e.Dialects = append(e.Dialects, TraceOf(t))
		if why := contrast(main, t); why != "" {
			e.Differences = append(e.Differences, Difference{t.Dialect.String(), why})
		}
	}
	return e
}

// TraceOf returns a decision with its reasons.
func TraceOf(t robotstxt.Trace) Trace {
	path := TextOf(t.Path)
	j := Trace{
		Dialect:    t.Dialect.String(),
		Allowed:    t.Decision.Allowed,
		Reason:     t.Decision.Reason,
		Rule:       RuleOf(t.Decision.Rule),
		Path:       path.Text,
		PathB64:    path.B64,
		Groups:     []Group{},
		Candidates: []Candidate{},
	}
	for _, use := range t.Groups {
		j.Groups = append(j.Groups, Group{use.Group.Agents[0].Line, use.Role.Applies(), use.Role.String(), len(use.Group.Rules)})
	}
	for _, c := range t.Candidates {
		spans := []Span{}
		for _, s := range c.Spans {
			spans = append(spans, Span{s.Start, s.End, s.Star})
		}
		j.Candidates = append(j.Candidates, Candidate{RuleOf(c.Rule), TextOf(c.Pattern).Text, c.Length, c.Beaten.String(), spans})
	}
	return j
}
