package robotstxt

import "slices"

// A Trace is a Decision with all its reasons.
type Trace struct {
	Decision   Decision
	Dialect    *Dialect
	Agents     []string // the names asked for, as they were read
	Target     string
	Path       string      // what of the target was compared, in normal form; empty if nothing was
	Groups     []GroupUse  // every group of the file, in file order
	Candidates []Candidate // the rules that match, the one that decides first
	RuleCount  int         // rules of the groups that apply, matching or not

	policy *Policy
}

// A GroupUse is a group and the part it plays for an agent.
type GroupUse struct {
	Group Group
	Role  Role
	Agent Agent // the line by which it is chosen or would be; zero for a group that names others
}

// Role says whether a group applies to an agent, and why.
type Role uint8

const (
	// NamesOthers: none of its lines names the agent.
	NamesOthers Role = iota
	// NamesAgent: it names the agent and applies.
	NamesAgent
	// NamesEveryone: it is for "*", no group names the agent, and it applies.
	NamesEveryone
	// DefaultUnused: it is for "*", but a group names the agent.
	DefaultUnused
	// NotFirst: an earlier group was chosen, and the dialect takes only one.
	NotFirst
	// LessSpecific: it names one of the agent's less specific tokens.
	LessSpecific
)

var roleTexts = [...]string{
	NamesOthers:   "names others",
	NamesAgent:    "names the agent",
	NamesEveryone: `for "*", and no group names the agent`,
	DefaultUnused: `for "*", but a group names the agent`,
	NotFirst:      "only the first such group counts",
	LessSpecific:  "a group names a more specific token",
}

// String returns the role in words.
func (r Role) String() string {
	if int(r) < len(roleTexts) {
		return roleTexts[r]
	}
	return "unknown role"
}

// Applies reports whether a group in that role applies.
func (r Role) Applies() bool { return r == NamesAgent || r == NamesEveryone }

// A Candidate is a rule that matches.
type Candidate struct {
	Rule      Rule
	Pattern   string // in normal form
	Length    int    // in octets of the normal form: what makes it specific
	IndexPage bool   // it matches as the directory of an index page (M-6)
	Beaten    Beaten
	Spans     []Span // how it matches: the parts of Trace.Path from its start on, without gaps
}

// A Span is a part of Trace.Path that a part of a pattern matches: a "*", or a segment
// between those. What lies behind the last Span of a Candidate is not compared.
type Span struct {
	Start, End int // in octets; a "*" may match none
	Star       bool
}

// Beaten says by what the rule that decides beats another that matches.
type Beaten uint8

const (
	// NotBeaten: this is the rule that decides.
	NotBeaten Beaten = iota
	// ByLength: the pattern that decides is longer.
	ByLength
	// ByAllow: it is as long, and Allow wins.
	ByAllow
	// ByOrder: it comes earlier in the file.
	ByOrder
)

var beatenTexts = [...]string{
	NotBeaten: "decides",
	ByLength:  "beaten by a longer pattern",
	ByAllow:   "beaten by an Allow of the same length",
	ByOrder:   "beaten by an earlier line",
}

// String returns in words what beat the rule.
func (b Beaten) String() string {
	if int(b) < len(beatenTexts) {
		return beatenTexts[b]
	}
	return "unknown"
}

// Explain decides as Check does and returns all the reasons.
func (p *Policy) Explain(target string) Trace {
	t := Trace{
		Target: target,
		Agents: p.Agents(),
		policy: p,
	}
	if p.rules != nil {
		t.RuleCount = p.rules.count
	}
	if p.file != nil {
		t.Dialect = p.file.Dialect()
		t.Groups = p.roles()
	}
	t.Decision = p.decide(target, &t)
	return t
}

// add records a rule that matches a path.
func (t *Trace) add(p *Policy, m *pattern, path string) {
	d := p.file.Dialect()
	c := Candidate{Rule: p.rule(m), IndexPage: m.is(indexPage)}
	form, _, ends := d.normalPattern(c.Rule.Pattern)
	if c.IndexPage {
		form, _ = indexDirectory(form)
		ends = true
	}
	c.Pattern, c.Length = d.formText(form), len(form)
	c.Spans = d.spans(form, ends, path)
	if ends {
		c.Pattern += "$"
		c.Length++
	}
	if len(t.Candidates) > 0 {
		winner := t.Candidates[0]
		switch {
		case winner.Rule.Line == c.Rule.Line:
			return // an index page and its directory are one rule
		case !d.longest:
			c.Beaten = ByOrder
		case winner.Length > c.Length:
			c.Beaten = ByLength
		case winner.Rule.Allow != c.Rule.Allow:
			c.Beaten = ByAllow
		default:
			c.Beaten = ByOrder
		}
	}
	t.Candidates = append(t.Candidates, c)
}

// roles returns the part that every group plays.
func (p *Policy) roles() []GroupUse {
	groups := slices.Collect(p.file.Groups())
	chosen := p.chosenAgent(groups)
	var uses []GroupUse
	for i, group := range groups {
		use := GroupUse{Group: group}
		applies := p.rules != nil && p.applies(i)
		named, everyone := p.naming(use.Group)
		switch {
		case applies && chosen >= 0:
			use.Role, use.Agent = NamesAgent, use.Group.Agents[named[chosen]]
		case applies:
			use.Role, use.Agent = NamesEveryone, use.Group.Agents[everyone]
		case chosen >= 0 && named[chosen] >= 0:
			use.Role, use.Agent = NotFirst, use.Group.Agents[named[chosen]]
		default:
			use.Role, use.Agent = unusedRole(use.Group, named, everyone, chosen)
		}
		uses = append(uses, use)
	}
	return uses
}

// unusedRole returns the role of a group that does not name the chosen agent.
func unusedRole(g Group, named []int, everyone, chosen int) (Role, Agent) {
	for _, line := range named {
		if line >= 0 {
			return LessSpecific, g.Agents[line]
		}
	}
	switch {
	case everyone < 0:
		return NamesOthers, Agent{}
	case chosen >= 0:
		return DefaultUnused, g.Agents[everyone]
	}
	return NotFirst, g.Agents[everyone]
}

// chosenAgent returns which of the agents the groups that apply name, or -1
// where none does.
func (p *Policy) chosenAgent(groups []Group) int {
	if p.rules == nil || len(p.rules.lines) == 0 {
		return -1
	}
	chosen := groups[p.file.agentLines[p.rules.lines[0]].group]
	return slices.IndexFunc(p.agents, func(agent string) bool { return p.lineNaming(chosen, agent) >= 0 })
}

// naming returns which line of the group names each agent, and which is for
// everyone; -1: none.
func (p *Policy) naming(g Group) (named []int, everyone int) {
	for _, agent := range p.agents {
		named = append(named, p.lineNaming(g, agent))
	}
	return named, slices.IndexFunc(g.Agents, func(a Agent) bool { return a.Everyone })
}

func (p *Policy) lineNaming(g Group, agent string) int {
	d := p.file.Dialect()
	return slices.IndexFunc(g.Agents, func(a Agent) bool { return d.namedBy(a.Value, agent) })
}
