package report

import (
	"cmp"
	"context"
	"slices"

	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/crawlernames"
	"github.com/heed-robots/heed/robotstxt"
)

// An Explanation says, for each dialect, whether a crawler may fetch a URL, and why.
type Explanation struct {
	Question
	Verdicts
}

// A Question is the first half of an Explanation: the URL and the crawler.
type Question struct {
	URL    string   `json:"url"`
	URLB64 []byte   `json:"url_b64,omitempty"`
	Agents []string `json:"agents"` // the product tokens of the crawler in the dialect that decides, the most specific first
	Facts
	Meant   string `json:"meant,omitempty"` // as in Answer
	Dialect string `json:"dialect"`         // the dialect that decides; the other dialects are only for comparison
}

// Verdicts is the second half of an Explanation: the answer in each dialect.
type Verdicts struct {
	Dialects    []Trace      `json:"dialects"`        // the decision in each dialect
	Usage       Preferences  `json:"usage,omitempty"` // whether the page may be used for the purposes in the question
	Differences []Difference `json:"differences"`     // one for each dialect whose decision differs from the decision of the dialect in the Question
}

// A Trace is the decision in one dialect, with all its reasons.
type Trace struct {
	Dialect string `json:"dialect"`
	Decision
	Path       string      `json:"path"` // the part of the URL that is compared with rules, in normal form; "" if no rule was compared
	PathB64    []byte      `json:"path_b64,omitempty"`
	Groups     []Group     `json:"groups"`                    // all groups of the file
	Candidates []Candidate `json:"candidates"`                // the rules that match the path; the first one decides; at most 1,000
	More       int         `json:"more_candidates,omitempty"` // the number of candidates that are left out
}

// A Group is a group of the file, and whether it applies to the crawler.
type Group struct {
	Line    int    `json:"line"` // the number of the User-agent line that names the crawler or "*"; if there is none, of the first User-agent line of the group
	Applies bool   `json:"applies"`
	Why     string `json:"why"`   // in words, why the group applies or not
	Rules   int    `json:"rules"` // the number of rules in the group
}

// A Candidate is a rule that matches the path.
type Candidate struct {
	Rule    *Rule  `json:"rule"`
	Pattern string `json:"normal_form"` // the pattern in normal form
	Length  int    `json:"bytes"`       // the length of the normal form in bytes
	Beaten  string `json:"why"`         // in words, why the rule decides or not
	// The parts of the path that the pattern matches. Each part begins where the part before it ends. All candidates
	// together have at most 10,000 spans.
	Spans []Span `json:"spans"`
	// Use says whether the rule has an effect on any URL. Its fields are only present for a rule that does not decide
	// about this URL.
	Use
}

// A Span is a part of a path, matched by a "*" or by the text between two "*".
type Span struct {
	Start    int  `json:"start"`              // the offset of the first byte; the path begins at 0
	End      int  `json:"end"`                // the offset of the first byte after the span
	Wildcard bool `json:"wildcard,omitempty"` // true if a "*" matches the span; such a span may be empty
}

// A Difference says why a dialect decides differently from the dialect of the Question.
type Difference struct {
	Dialect string `json:"dialect"`
	Why     string `json:"why"` // in words, why the dialect decides differently
}

// Without these limits, a hostile file could make a very large answer.
const (
	maxSpans      = 10_000
	maxCandidates = 1_000
)

func candidatesOf(t *robotstxt.Trace) []robotstxt.Candidate {
	return t.Candidates[:min(len(t.Candidates), maxCandidates)]
}

func traceOf(t robotstxt.Trace, uses []UsedRule) Trace {
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
		j.Groups = append(j.Groups, Group{cmp.Or(use.Agent.Line, use.Group.Agents[0].Line), use.Role.Applies(), use.Role.String(), len(use.Group.Rules)})
	}
	shown, room := candidatesOf(&t), maxSpans
	j.More = len(t.Candidates) - len(shown)
	for _, c := range shown {
		spans := []Span{}
		if room -= len(c.Spans); room >= 0 {
			for _, s := range c.Spans {
				spans = append(spans, Span{s.Start, s.End, s.Star})
			}
		}
		use := Use{}
		if i := slices.IndexFunc(uses, func(u UsedRule) bool { return u.Line == c.Rule.Line }); i >= 0 {
			use = uses[i].Use
		}
		j.Candidates = append(j.Candidates, Candidate{RuleOf(c.Rule), TextOf(c.Pattern).Text, c.Length, c.Beaten.String(), spans, use})
	}
	return j
}

// An Explained has the decision in every dialect. Its method Explanation returns these decisions in the form for JSON.
type Explained struct {
	Table       *crawlers.Table                   // the table with the facts about the crawler, see FactsOf; the function Explain does not set it
	Agents      []string                          // the product tokens of the crawler in the dialect that decides, the most specific first
	Main        robotstxt.Trace                   // the decision in the dialect that decides
	All         []robotstxt.Trace                 // the decision in each dialect
	Contrast    func(a, b robotstxt.Trace) string // returns why two traces have different decisions; "" if the decisions are equal
	File        *robotstxt.File                   // the robots.txt, as the dialect that decides reads it
	Preferences Preferences                       // whether the page may be used for the purposes in the question
	Uses        []UsedRule                        // the use of each rule that matches but does not decide
}

// Explain explains the decision about a URL. The parameter body is the robots.txt as UTF-8, and d is the dialect that
// decides. If ctx ends before Explain returns, the result must not be used.
func Explain(ctx context.Context, body []byte, d *robotstxt.Dialect, agents crawlernames.InDialect, url string) Explained {
	e := Explained{Agents: agents(d), Contrast: robotstxt.Contrast}
	for _, each := range robotstxt.Dialects() {
		if ctx.Err() != nil {
			return e
		}
		file := robotstxt.Parse(body, each)
		if each == d {
			e.File = file
		}
		e.Add(file.Agent(agents(each)...).Explain(url), each == d)
	}
	e.AddUses()
	return e
}

func (e *Explained) Add(t robotstxt.Trace, isMain bool) {
	if isMain {
		e.Main = t
	}
	e.All = append(e.All, t)
}

func (e *Explained) AddUses() {
	var lines []int
	for _, c := range candidatesOf(&e.Main) {
		if c.Beaten != robotstxt.NotBeaten {
			lines = append(lines, c.Rule.Line)
		}
	}
	if len(lines) > 0 {
		e.Uses = UsesOf(e.File.Agent(e.Agents...), lines...)
	}
}

func (e *Explained) Explanation() Explanation {
	u := TextOf(e.Main.Target)
	made := Explanation{
		Question: Question{URL: u.Text, URLB64: u.B64, Agents: e.Agents, Facts: FactsOf(e.Table, e.Agents), Meant: Agent(e.Agents).Meant(e.Table), Dialect: e.Main.Dialect.String()},
		Verdicts: Verdicts{Dialects: []Trace{}, Usage: e.Preferences, Differences: []Difference{}},
	}
	for _, t := range e.All {
		var uses []UsedRule
		if t.Dialect == e.Main.Dialect {
			uses = e.Uses
		}
		made.Dialects = append(made.Dialects, traceOf(t, uses))
		if why := e.Contrast(e.Main, t); why != "" {
			made.Differences = append(made.Differences, Difference{t.Dialect.String(), why})
		}
	}
	return made
}
