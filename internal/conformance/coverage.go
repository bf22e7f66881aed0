package conformance

import (
	"strings"

	"github.com/heed-robots/heed/robotstxt"
)

// A Coverage finds the rules and groups of robots.txt files that no case tests. The zero Coverage is empty.
type Coverage struct {
	files map[string]*fileCoverage
	order []*fileCoverage
}

type fileCoverage struct {
	name   string
	file   *robotstxt.File // read in the dialect of its first case
	rules  map[int]bool    // line numbers of rules that decided at least one case
	groups map[int]bool    // groups that apply to at least one case; the key is the number of a group's first line
	agents map[string]bool // the crawlers of the cases so far; the key is a crawler and a dialect
}

// Add adds the result of a case. Results with the same name belong to the same robots.txt.
func (c *Coverage) Add(name string, r Result) {
	if r.File == nil {
		return
	}
	if c.files == nil {
		c.files = map[string]*fileCoverage{}
	}
	f := c.files[name]
	if f == nil {
		f = &fileCoverage{name: name, file: r.File, rules: map[int]bool{}, groups: map[int]bool{}, agents: map[string]bool{}}
		c.files[name] = f
		c.order = append(c.order, f)
	}
	if r.Got.Reason == robotstxt.ByRule {
		f.rules[r.Got.Rule.Line] = true
	}
	agents := r.File.Dialect().String() + "\x00" + strings.Join(r.Case.Agents, "\x00")
	if f.agents[agents] {
		return
	}
	f.agents[agents] = true
	for _, use := range r.File.Agent(r.Case.Agents...).Explain("/").Groups {
		if use.Role.Applies() {
			f.groups[use.Group.Agents[0].Line] = true
		}
	}
}

// A Covered is the coverage of one robots.txt. Lines without a pattern are not counted.
type Covered struct {
	Name    string
	Rules   int      // the number of rules
	Reached int      // the number of rules that decided at least one case
	Missed  []Missed // sorted by line number
}

// A Missed is a group that applies to no crawler of a case, or a rule that decided no case.
type Missed struct {
	Line  int              // the line of the rule, or the first line of the group
	Group *robotstxt.Group // the group; nil if a rule was missed
	Rule  robotstxt.Rule   // the rule; zero if a group was missed
}

// String returns a rule, or a group such as "User-agent: GPTBot, CCBot (1 rule)". The text is safe on a terminal.
func (m Missed) String() string {
	if m.Group != nil {
		return m.Group.String()
	}
	rule := m.Rule
	rule.Line = 0 // the text must have no line number
	return rule.String()
}

// Files returns the coverage of each robots.txt, read in the dialect of its first case.
func (c *Coverage) Files() (all []Covered) {
	for _, f := range c.order {
		all = append(all, f.covered())
	}
	return all
}

func (f *fileCoverage) covered() Covered {
	c := Covered{Name: f.name}
	for g := range f.file.Groups() {
		isUsed := f.groups[g.Agents[0].Line]
		if !isUsed {
			c.Missed = append(c.Missed, Missed{Line: g.Agents[0].Line, Group: &g})
		}
		for _, rule := range g.Rules {
			switch {
			case f.rules[rule.Line]:
				c.Reached++
			case rule.Pattern == "":
				continue
			case isUsed:
				c.Missed = append(c.Missed, Missed{Line: rule.Line, Rule: rule})
			}
			c.Rules++
		}
	}
	return c
}
