package report

import "github.com/heed-robots/heed/robotstxt"

// A Tested is a case of a case file, with its result.
type Tested struct {
	CaseFile string    `json:"case_file"`
	Line     int       `json:"line"`                  // the number of the line in the case file; 0 if the whole file could not be used
	ID       string    `json:"id,omitempty"`          // the name of the case
	From     string    `json:"case_source,omitempty"` // the value of "source" of the case in the case file
	Passed   bool      `json:"passed"`
	Expected *Expected `json:"expected,omitempty"` // absent if the case could not be read
	URLFrom  string    `json:"url_from,omitempty"` // the file and line of the URL, such as "important.txt:3"; absent if the URL is in the case file
	Answer             // the answer that heed gave for the case
}

// An Expected is the answer that a case must get.
type Expected struct {
	Allowed *bool `json:"allowed"`        // the expected value; null if the case accepts both verdicts
	Line    *int  `json:"line,omitempty"` // the number of the line of the rule that must decide; 0 if no rule may decide; absent if any rule may decide
	// What the page may be used for, such as "train-ai=n". Absent if the case has no expectation about this.
	Usage string `json:"usage,omitempty"`
}

type Coverage struct {
	// The path or URL of the robots.txt, or its place in a case file, such as "shop.cases:3".
	Robots  string   `json:"robots"`
	Rules   int      `json:"rules"`   // the number of rules in the robots.txt
	Reached int      `json:"reached"` // the number of rules that decided at least one case
	Missed  []Missed `json:"missed"`
}

// A Missed is a rule that decided no case, or a whole group that applies to no crawler in the cases.
type Missed struct {
	Line   int      `json:"line"`             // the number of the line of the rule, or of the first line of the group
	Rule   *Rule    `json:"rule,omitempty"`   // the rule; absent for a group
	Agents []string `json:"agents,omitempty"` // the values of the User-agent lines; absent for a rule
}

// MissedOf returns a Missed for a group, or for a rule if group is nil.
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
