package report

import (
	"slices"

	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/robotstxt"
)

// An Explanation says in all dialects if a crawler may fetch a URL, and why.
type Explanation struct {
	Question
	Verdicts
}

// A Question is the first half of an Explanation: the URL and the crawler.
type Question struct {
	URL    string   `json:"url"`
	URLB64 []byte   `json:"url_b64,omitempty"`
	Agents []string `json:"agents"` // the product tokens of the crawler, the most specific first
	Facts
	Dialect string `json:"dialect"` // the one that decides; the others are there to compare
}

// Verdicts is the second half of an Explanation: the answer in each dialect.
type Verdicts struct {
	Dialects    []Trace      `json:"dialects"`    // one for each dialect
	Differences []Difference `json:"differences"` // one for each dialect that decides differently from the one in the Question
}

// A Trace is the decision in one dialect, with all its reasons.
type Trace struct {
	Dialect string `json:"dialect"`
	Decision
	Path       string      `json:"path"` // the part of the URL that rules are compared with, in normal form; "" if none was
	PathB64    []byte      `json:"path_b64,omitempty"`
	Groups     []Group     `json:"groups"`     // all groups of the file
	Candidates []Candidate `json:"candidates"` // the rules that match; the first one decides
}

// A Group is a group of the file, and whether it applies to the crawler.
type Group struct {
	Line    int    `json:"line"` // of its first User-agent line
	Applies bool   `json:"applies"`
	Why     string `json:"why"`   // why it applies or not, in words
	Rules   int    `json:"rules"` // number of its rules
}

// A Candidate is a rule that matches the path.
type Candidate struct {
	Rule    *Rule  `json:"rule"`
	Pattern string `json:"normal_form"` // of the pattern
	Length  int    `json:"octets"`      // of the normal form
	Beaten  string `json:"why"`         // why it decides or not, in words
	Spans   []Span `json:"spans"`       // the parts of the path that it matches, in order and without gaps, from the beginning of the path; none if this list and those before it would have more than 10,000
	Use            // of a rule that is beaten in the dialect of the Question, for all URLs
}

// A Span is a part of the path of a Trace, which one part of the pattern matches.
type Span struct {
	Start    int  `json:"start"`              // in octets; the path begins at 0
	End      int  `json:"end"`                // the first octet that is not part of it
	Wildcard bool `json:"wildcard,omitempty"` // a "*" matches it; it may be empty
}

// A Difference says why a dialect decides differently from the one of the Question.
type Difference struct {
	Dialect string `json:"dialect"`
	Why     string `json:"why"` // the reason, in words
}

// A Contrast returns why two dialects decide differently, or "" if they do not.
// robotstxt.Contrast is one.
type Contrast func(a, b robotstxt.Trace) string

// ExplanationOf returns the explanation of the decision main. all has the decisions of all
// dialects, main included; contrast compares each with main. table has the facts about the crawler, see
// FactsOf.
func ExplanationOf(table *crawlers.Table, agents []string, main robotstxt.Trace, all []robotstxt.Trace, contrast Contrast) Explanation {
	u := TextOf(main.Target)
	e := Explanation{
		Question: Question{URL: u.Text, URLB64: u.B64, Agents: agents, Facts: FactsOf(table, agents), Dialect: main.Dialect.String()},
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

// maxSpans limits the spans of a Trace. A hostile file has many rules that each match in thousands
// of parts, which would make an answer of many times its size.
const maxSpans = 10_000

// TraceOf returns a trace as data.
func TraceOf(t robotstxt.Trace) Trace {
	path := TextOf(t.Path)
	j := Trace{
		Dialect:    t.Dialect.String(),
		Decision:   DecisionOf(t.Decision),
		Path:       path.Text,
		PathB64:    path.B64,
		Groups:     []Group{},
		Candidates: []Candidate{},
	}
	for _, use := range t.Groups {
		j.Groups = append(j.Groups, Group{use.Group.Agents[0].Line, use.Role.Applies(), use.Role.String(), len(use.Group.Rules)})
	}
	room := maxSpans
	for _, c := range t.Candidates {
		spans := []Span{}
		if room -= len(c.Spans); room >= 0 {
			for _, s := range c.Spans {
				spans = append(spans, Span{s.Start, s.End, s.Star})
			}
		}
		j.Candidates = append(j.Candidates, Candidate{RuleOf(c.Rule), TextOf(c.Pattern).Text, c.Length, c.Beaten.String(), spans, Use{}})
	}
	return j
}

// AddUses adds the use of rules to the candidates in the dialect of the Question.
func (e *Explanation) AddUses(uses []UsedRule) {
	for _, t := range e.Dialects {
		if t.Dialect != e.Dialect {
			continue
		}
		for i, c := range t.Candidates {
			if u := slices.IndexFunc(uses, func(u UsedRule) bool { return u.Line == c.Rule.Line }); u >= 0 {
				t.Candidates[i].Use = uses[u].Use
			}
		}
	}
}
