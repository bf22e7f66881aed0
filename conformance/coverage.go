package conformance

import (
	"strings"

	"github.com/heed-robots/heed/robotstxt"
)

// A Coverage finds out which lines of robots.txt files no case reaches. The zero
// Coverage is empty.
type Coverage struct {
	files map[string]*fileCoverage
	order []*fileCoverage
}

// fileCoverage is what the cases of one robots.txt reached, by the numbers of lines.
type fileCoverage struct {
	name   string
	file   *robotstxt.File
	rules  map[int]bool    // that decided
	groups map[int]bool    // that apply to a crawler of a case, by their first line
	agents map[string]bool // the crawlers of the cases
}

// Add counts a case. name is what the robots.txt is called in Files; cases with the same
// name count together.
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

// A Covered is what cases reach of a robots.txt. Rules without a pattern, which decide
// nothing, are not counted.
type Covered struct {
	Name           string
	Rules, Reached int
	Missed         []Missed // in file order
}

// A Missed is a line that no case reaches: the first line of a group that applies to
// no crawler of a case, or a rule of another group that decided no case.
type Missed struct {
	Line  int
	Group *robotstxt.Group // nil: the line is a rule
	Rule  robotstxt.Rule
}

// String says what stands there, safe on a terminal: "Disallow: /cart", or "User-agent:
// GPTBot, CCBot (1 rule)".
func (m Missed) String() string {
	if m.Group != nil {
		return m.Group.String()
	}
	rule := m.Rule
	rule.Line = 0
	return rule.String()
}

// Files returns what was reached of each robots.txt, in the order of their first cases.
// The groups are those of the dialect of its first case.
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
