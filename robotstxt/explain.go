package robotstxt

import (
	"slices"
	"strings"

	"github.com/heed-robots/heed/internal/printable"
)

// A Trace is a Decision with all its reasons.
type Trace struct {
	Decision Decision
	Dialect  *Dialect
	Agents   []string // the names of the crawler, as Policy.Agents returns them
	Target   string
	// Path is the part of the target that is compared with patterns, in normal form. It is "" if nothing was compared.
	Path       string
	Groups     []GroupUse  // every group of the file, in file order
	Candidates []Candidate // the rules that match; the deciding rule is the first
	RuleCount  int         // the number of all rules in the groups that apply

	policy *Policy
}

// A GroupUse is a group and its role for an agent.
type GroupUse struct {
	Group Group
	Role  Role
	Agent Agent // the line that names the crawler or "*"; zero if the Role is NamesOthers
}

// A Role says whether a group applies to an agent, and why.
type Role uint8

const (
	// NamesOthers: no line of the group names the crawler.
	NamesOthers Role = iota
	// NamesAgent: the group names the crawler, by its most specific token, and applies.
	NamesAgent
	// NamesEveryone: the group is for "*" and applies, because no group names the crawler.
	NamesEveryone
	// DefaultUnused: the group is for "*", but another group names the crawler.
	DefaultUnused
	// NotFirst: an earlier group applies, and in this dialect only one group applies.
	NotFirst
	// LessSpecific: the group names a token of the crawler, but another group names a more specific token.
	LessSpecific
	// NotFollowed: the group is for "*", which the crawler does not follow.
	NotFollowed
	// NamesFallback: the group names a token of the crawler and applies, because no group names a more specific token.
	NamesFallback
)

var roleTexts = [...]string{
	NamesOthers:   "does not name the crawler",
	NamesAgent:    "names the crawler",
	NamesEveryone: `for "*", and no group names the crawler`,
	DefaultUnused: `for "*", but a group names the crawler`,
	NotFirst:      "only the first such group applies",
	LessSpecific:  "a group names a more specific token",
	NotFollowed:   `for "*", which the crawler does not follow`,
	NamesFallback: "no group names a more specific token",
}

// String returns the role in words, such as "names the crawler".
func (r Role) String() string { return printable.Name(roleTexts[:], r, "unknown role") }

// Applies reports whether a group with this role applies.
func (r Role) Applies() bool { return r == NamesAgent || r == NamesFallback || r == NamesEveryone }

// A Candidate is a rule that matches.
type Candidate struct {
	Rule      Rule
	Pattern   string // in normal form
	Length    int    // length of Pattern in bytes; in most dialects the longest pattern decides
	IndexPage bool   // the rule allows an index page, such as "/d/index.html", and matches its directory "/d/" (M-6)
	Beaten    Beaten
	Spans     []Span // the parts of Trace.Path that the pattern matches, from the start of the path, without gaps
}

// A Span is a part of Trace.Path. It is matched by one "*" of a pattern, or by one text before, between or after the "*"s.
// The path after the last Span is not compared.
type Span struct {
	Start, End int // positions in Trace.Path, in bytes; they are equal if a "*" matches nothing
	Star       bool
}

// Beaten says why a rule that matches does not decide.
type Beaten uint8

const (
	// NotBeaten: this rule decides.
	NotBeaten Beaten = iota
	// ByLength: the pattern of the deciding rule is longer.
	ByLength
	// ByAllow: the patterns of this rule and of the deciding rule are equally long, and the deciding rule is an Allow.
	ByAllow
	// ByOrder: the deciding rule is earlier in the file.
	ByOrder
)

var beatenTexts = [...]string{
	NotBeaten: "decides",
	ByLength:  "beaten by a longer pattern",
	ByAllow:   "beaten by an Allow of the same length",
	ByOrder:   "beaten by an earlier line",
}

// String returns the reason in words, such as "beaten by an earlier line".
func (b Beaten) String() string { return printable.Name(beatenTexts[:], b, "unknown") }

// Explain makes the same decision as Check, and returns all the reasons for it.
func (p *Policy) Explain(target string) Trace {
	t := Trace{
		Target: target,
		Agents: p.Agents(),
		policy: p,
	}
	if p.rules != nil {
		p.rules.eachRule(func(entry) { t.RuleCount++ })
	}
	if p.file != nil {
		t.Dialect = p.file.Dialect()
		t.Groups = p.roles()
	}
	p.decide(&t.Decision, target, &t)
	return t
}

func (t *Trace) add(p *Policy, m *pattern, path string) {
	d := p.file.Dialect()
	c := Candidate{Rule: m.rule(p.file.body), IndexPage: m.is(indexPage)}
	form, isAnchored := d.normalPattern(c.Rule.Pattern)
	if c.IndexPage {
		form, _ = indexDirectory(form)
		isAnchored = true
	}
	c.Pattern, c.Length = strings.Clone(form), len(form)
	c.Spans = d.spans(form, isAnchored, path)
	if isAnchored {
		c.Pattern += "$"
		c.Length++
	}
	if len(t.Candidates) > 0 {
		winner := t.Candidates[0]
		switch {
		case winner.Rule.Line == c.Rule.Line:
			return // the rule is in the list already: an index page and its directory are one rule
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

func (p *Policy) roles() []GroupUse {
	n := p.file.nameFinder(p.agents)
	chosen := p.chosenAgent(&n)
	var uses []GroupUse
	firstLine := 0
	for group := range p.file.Groups() {
		use := GroupUse{Group: group}
		applies := p.rules != nil && p.usesGroup(len(uses))
		namedLines, everyoneLine := n.linesIn(group, firstLine)
		firstLine += len(group.Agents)
		switch {
		case applies && chosen == 0:
			use.Role, use.Agent = NamesAgent, use.Group.Agents[namedLines[chosen]]
		case applies && chosen > 0:
			use.Role, use.Agent = NamesFallback, use.Group.Agents[namedLines[chosen]]
		case applies:
			use.Role, use.Agent = NamesEveryone, use.Group.Agents[everyoneLine]
		case chosen >= 0 && namedLines[chosen] >= 0:
			use.Role, use.Agent = NotFirst, use.Group.Agents[namedLines[chosen]]
		case p.ignoresEveryone && everyoneLine >= 0:
			use.Role, use.Agent = NotFollowed, use.Group.Agents[everyoneLine]
		default:
			use.Role, use.Agent = unusedRole(use.Group, namedLines, everyoneLine, chosen)
		}
		uses = append(uses, use)
	}
	return uses
}

func unusedRole(g Group, namedLines []int, everyoneLine, chosenAgent int) (Role, Agent) {
	for _, line := range namedLines {
		if line >= 0 {
			return LessSpecific, g.Agents[line]
		}
	}
	switch {
	case everyoneLine < 0:
		return NamesOthers, Agent{}
	case chosenAgent >= 0:
		return DefaultUnused, g.Agents[everyoneLine]
	}
	return NotFirst, g.Agents[everyoneLine]
}

func (p *Policy) chosenAgent(n *nameFinder) int {
	if p.rules == nil || len(p.rules.groups) == 0 {
		return -1
	}
	if rank := n.groupRank(p.rules.groups[0].named); rank < len(p.agents) {
		return rank
	}
	return -1
}

func (n *nameFinder) linesIn(g Group, firstLine int) (namedLines []int, everyoneLine int) {
	for agent := range n.agents {
		line := 0
		for line < len(g.Agents) && !n.namesAgent(firstLine+line, agent) {
			line++
		}
		if line == len(g.Agents) {
			line = -1
		}
		namedLines = append(namedLines, line)
	}
	return namedLines, slices.IndexFunc(g.Agents, func(a Agent) bool { return a.Everyone })
}
