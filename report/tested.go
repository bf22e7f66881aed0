package report

import "github.com/heed-robots/heed/robotstxt"

// A Tested is a case of a case file, and what came of it.
type Tested struct {
	CaseFile string    `json:"case_file"`
	Line     int       `json:"line"` // of the case file; 0: the file as a whole
	ID       string    `json:"id,omitempty"`
	From     string    `json:"case_source,omitempty"` // where the case comes from
	Passed   bool      `json:"passed"`
	Expected *Expected `json:"expected,omitempty"` // nil: the case could not be read
	URLFrom  string    `json:"url_from,omitempty"` // the line of another file that has the URL, such as "important.txt:3"
	Answer
}

// An Expected is the answer that a case must get.
type Expected struct {
	Allowed bool `json:"allowed"`
	Line    *int `json:"line,omitempty"` // of the rule that must decide, 0 for none; nil: any
}

// A Coverage is which rules of a robots.txt the cases of a run reach.
type Coverage struct {
	Robots  string   `json:"robots"` // as Answer.Source, or where it stands in a case file, such as "shop.cases:3"
	Rules   int      `json:"rules"`
	Reached int      `json:"reached"` // rules that decided a case
	Missed  []Missed `json:"missed"`
}

// A Missed is a line that no case reaches: a rule that decided none, or the first line of
// a group that applies to no crawler of a case.
type Missed struct {
	Line   int      `json:"line"`
	Rule   *Rule    `json:"rule,omitempty"`
	Agents []string `json:"agents,omitempty"` // that the group names
}

// MissedOf returns a line that no case reaches; group is nil for a rule. The line is the
// one of the file in which the robots.txt stands.
func MissedOf(group *robotstxt.Group, rule robotstxt.Rule, line int) Missed {
	m := Missed{Line: line, Rule: RuleOf(rule)}
	if group == nil {
		return m
	}
	for _, a := range group.Agents {
		m.Agents = append(m.Agents, TextOf(a.Value).Text)
	}
	return m
}
