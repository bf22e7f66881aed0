package report

import (
	"slices"
	"strings"

	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/robotstxt/record"
)

// A Sheet is what a robots.txt says to some crawlers.
type Sheet struct {
	Source    string    `json:"source"` // of the robots.txt, as in an Answer
	Dialect   string    `json:"dialect"`
	Truncated bool      `json:"truncated,omitempty"` // the file is longer than what is read of it
	Crawlers  []Applies `json:"crawlers"`            // in the order in which they are asked about
	Sitemaps  []Record  `json:"sitemaps"`            // which hold for every crawler
	Records   []Record  `json:"records"`             // the others that do
}

// Applies is what a robots.txt says to one crawler.
type Applies struct {
	Agent      Agent            `json:"agent"`
	Everything string           `json:"everything,omitempty"` // "allowed" or "disallowed"; "": some is, and some is not
	Groups     []Chosen         `json:"groups"`               // that apply
	Rules      []Rule           `json:"rules"`                // in the order in which they decide: the first that matches
	Otherwise  string           `json:"otherwise"`            // where no rule matches: "allowed" or "disallowed"
	Reason     robotstxt.Reason `json:"reason"`               // of that
	Useless    []Rule           `json:"rules_without_effect"` // without a pattern, or with one that matches nothing
	CrawlDelay *Delay           `json:"crawl_delay,omitempty"`
	Records    []Record         `json:"records"` // of the groups, that are not of the protocol
}

// Chosen is a group that applies.
type Chosen struct {
	Group  int    `json:"group"` // counted from 1
	Line   int    `json:"line"`  // the User-agent line by which it is chosen
	Value  string `json:"user_agent"`
	Why    string `json:"why"`
	Length int    `json:"rules"`
}

// A Delay is a crawl delay and where it stands.
type Delay struct {
	Line    int     `json:"line"`
	Seconds float64 `json:"seconds"`
}

// A Record is a line that is not of the protocol, but of a known record.
type Record struct {
	Line    int    `json:"line"`
	Name    string `json:"name"` // as it is usually written
	Value   string `json:"value"`
	Record  any    `json:"record,omitempty"`
	Ignored bool   `json:"ignored,omitempty"` // it has no effect in the dialect
	Dead    bool   `json:"dead,omitempty"`    // no known crawler reads such records any more
	Error   string `json:"error,omitempty"`   // why it cannot be read
}

// SheetOf returns what a file says to crawlers, each by its product tokens.
func SheetOf(source string, f *robotstxt.File, crawlers [][]string) Sheet {
	s := Sheet{
		Source: TextOf(source).Text, Dialect: f.Dialect().String(),
		Crawlers: []Applies{}, Sitemaps: []Record{}, Records: []Record{},
	}
	of := groupLines{}
	for line := range f.Lines() {
		switch name, bound := boundTo(line); {
		case line.Notes.Has(robotstxt.NotePastLimit):
			s.Truncated = true
		case name == "":
		case bound:
			of.add(line)
		case line.Kind == robotstxt.KindSitemap:
			s.Sitemaps = append(s.Sitemaps, recordAt(line, f.Dialect()))
		default:
			s.Records = append(s.Records, recordAt(line, f.Dialect()))
		}
	}
	var known []Applies // by which groups apply: crawlers share what is said of them
	for _, tokens := range crawlers {
		a := Applies{Agent: AgentOf(tokens)}
		p := f.Agent(tokens...)
		a.choose(p)
		if i := slices.IndexFunc(known, a.SameAs); i >= 0 {
			agent, groups := a.Agent, a.Groups
			a = known[i]
			a.Agent, a.Groups = agent, groups
		} else {
			a.fill(p, f.Dialect(), of)
			known = append(known, a)
		}
		s.Crawlers = append(s.Crawlers, a)
	}
	return s
}

// groupLines are those lines of each group that its Rules do not tell about.
type groupLines map[int][]robotstxt.Line

func (g groupLines) add(line robotstxt.Line) { g[line.Group] = append(g[line.Group], line) }

// boundTo returns what a line is whose facts are not in the rules of its group: a rule
// without effect, or a known record; "": it is another line. Bound is whether it holds for
// its group only.
func boundTo(line robotstxt.Line) (name string, bound bool) {
	switch line.Kind {
	case robotstxt.KindAllow, robotstxt.KindDisallow:
		if isUseless(line) {
			return line.Kind.String(), true
		}
		return "", false
	}
	info := infoOf(line)
	return info.Name, info.Binding == record.BindsGroup
}

func isUseless(line robotstxt.Line) bool {
	return line.Value == "" || line.Notes.Has(robotstxt.NoteNoSlash)
}

// SameAs reports whether the same groups apply, so that all but the lines by which they
// are chosen is the same.
func (a Applies) SameAs(b Applies) bool {
	return a.Reason == b.Reason && slices.EqualFunc(a.Groups, b.Groups, func(a, b Chosen) bool { return a.Group == b.Group && a.Why == b.Why })
}

// choose sets which groups apply.
func (a *Applies) choose(p *robotstxt.Policy) {
	a.Groups = []Chosen{}
	t := p.Explain("/")
	for i, use := range t.Groups {
		if use.Role.Applies() {
			a.Groups = append(a.Groups, Chosen{i + 1, use.Agent.Line, TextOf(use.Agent.Value).Text, use.Role.String(), len(use.Group.Rules)})
		}
	}
	d := t.Decision
	if d.Reason == robotstxt.ByRule {
		d = robotstxt.Decision{Allowed: true, Reason: robotstxt.NoRuleMatched}
	}
	a.Otherwise, a.Reason = Verdict(d.Allowed), d.Reason
}

// fill sets what the groups say.
func (a *Applies) fill(p *robotstxt.Policy, d *robotstxt.Dialect, of groupLines) {
	a.Rules, a.Useless, a.Records = []Rule{}, []Rule{}, []Record{}
	useless := map[int]bool{}
	for _, g := range a.Groups {
		for _, line := range of[g.Group] {
			if line.Kind != robotstxt.KindOther {
				a.Useless = append(a.Useless, *RuleOf(robotstxt.Rule{Allow: line.Kind == robotstxt.KindAllow, Pattern: line.Value, Line: line.Number}))
				useless[line.Number] = true
				continue
			}
			a.Records = append(a.Records, recordAt(line, d))
			a.delay(line, d)
		}
	}
	for rule := range p.Rules() {
		if !useless[rule.Line] {
			a.Rules = append(a.Rules, *RuleOf(rule))
		}
	}
	a.Everything = a.everything(p)
}

// delay takes the crawl delay of a line, if it has the longest.
func (a *Applies) delay(line robotstxt.Line, d *robotstxt.Dialect) {
	value, _ := recordOf(line)
	if c, ok := value.(record.CrawlDelay); ok && !d.Ignores(line) && (a.CrawlDelay == nil || c.Delay.Seconds() > a.CrawlDelay.Seconds) {
		a.CrawlDelay = &Delay{line.Number, c.Delay.Seconds()}
	}
}

// everything returns the one answer to all questions; "": there is none, or it is not
// plain to see.
func (a *Applies) everything(p *robotstxt.Policy) string {
	allows := func(r Rule) bool { return r.Allow }
	disallows := func(r Rule) bool { return !r.Allow }
	switch d := p.Check("/"); {
	case !slices.ContainsFunc(a.Rules, disallows):
		return a.Otherwise
	case slices.ContainsFunc(a.Rules, allows), d.Allowed, strings.HasSuffix(d.Rule.Pattern, "$"):
		return ""
	}
	return Verdict(false) // a pattern without "$" that matches "/" matches every path
}

func recordAt(line robotstxt.Line, d *robotstxt.Dialect) Record {
	info := infoOf(line)
	value, err := recordOf(line)
	r := Record{Line: line.Number, Name: info.Name, Value: TextOf(line.Value).Text, Record: recordFields(value), Ignored: d.Ignores(line), Dead: info.Dead}
	if err != nil {
		r.Error = why(err)
	}
	return r
}
