package report

import (
	"slices"
	"strings"

	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/robotstxt/record"
)

// A Sheet contains the rules and records of a robots.txt for some crawlers.
type Sheet struct {
	Source    string    `json:"source"`              // the path or URL of the robots.txt, or "-" for standard input
	Dialect   string    `json:"dialect"`             // the dialect in which the robots.txt was read
	Truncated bool      `json:"truncated,omitempty"` // the file is longer than what the dialect reads
	Crawlers  []Applies `json:"crawlers"`            // in the order in which the crawlers were given
	Sitemaps  []Record  `json:"sitemaps"`            // all Sitemap lines; they apply to every crawler
	Records   []Record  `json:"records"`             // all records that apply to every crawler, except Sitemap lines
}

// Applies contains the rules and records of a robots.txt for one crawler.
type Applies struct {
	Agent Agent `json:"agent"`
	Facts
	// "allowed" or "disallowed" if every URL has this verdict. Absent if URLs have different verdicts, or if it takes long
	// to find out.
	Everything string           `json:"everything,omitempty"`
	Groups     []Chosen         `json:"groups"`                // the groups that apply to the crawler
	Rules      []UsedRule       `json:"rules"`                 // the rules of these groups; the first rule that matches a URL decides
	Otherwise  string           `json:"otherwise"`             // the verdict for a URL that no rule matches: "allowed" or "disallowed"
	Reason     robotstxt.Reason `json:"reason"`                // the reason for the verdict in "otherwise"
	Useless    []Rule           `json:"rules_without_effect"`  // lines whose pattern is missing or matches no URL
	CrawlDelay *Delay           `json:"crawl_delay,omitempty"` // the longest crawl delay in the groups that apply
	Records    []Record         `json:"records"`               // the records in the groups that apply
}

// Chosen is a group that applies to a crawler.
type Chosen struct {
	Group  int    `json:"group"`      // the number of the group, counted from 1
	Line   int    `json:"line"`       // the number of the User-agent line that names the crawler or "*"
	Value  string `json:"user_agent"` // the value of this User-agent line
	Why    string `json:"why"`        // in words, why the group applies
	Length int    `json:"rules"`      // the number of rules in the group
}

// A Delay is a crawl delay.
type Delay struct {
	Line    int     `json:"line"` // the number of the line in the robots.txt
	Seconds float64 `json:"seconds"`
}

// A Record is a Sitemap line, or a line with a known key that the protocol does not define.
type Record struct {
	Line    int    `json:"line"`
	Name    string `json:"name"`              // the usual spelling of the key
	Value   string `json:"value"`             // the value as written
	Record  any    `json:"record,omitempty"`  // the value as JSON data, such as {"seconds":5} for Crawl-delay
	Ignored bool   `json:"ignored,omitempty"` // the record has no effect in the dialect
	Dead    bool   `json:"dead,omitempty"`    // no known crawler reads records with this key
	Error   string `json:"error,omitempty"`   // why the value cannot be read
}

// SheetOf returns the sheet of a file for some crawlers. Each crawler is a list of product tokens. For the table, see
// FactsOf.
func SheetOf(table *crawlers.Table, source string, f *robotstxt.File, crawlers [][]string) Sheet {
	s := Sheet{
		Source: TextOf(source).Text, Dialect: f.Dialect().String(),
		Crawlers: []Applies{}, Sitemaps: []Record{}, Records: []Record{},
	}
	lines := s.readFile(f)
	ends := onlyRules(f)
	var known []Applies // the results so far; crawlers to which the same groups apply share one result
	for _, tokens := range crawlers {
		a := Applies{Agent: AgentOf(tokens), Facts: FactsOf(table, tokens)}
		p := f.Agent(tokens...)
		a.choose(p)
		if i := slices.IndexFunc(known, a.SameAs); i >= 0 {
			agent, facts, groups := a.Agent, a.Facts, a.Groups
			a = known[i]
			a.Agent, a.Facts, a.Groups = agent, facts, groups
		} else {
			a.fill(p, f.Dialect(), lines)
			for i, r := range a.Rules {
				a.Rules[i].EndsNames = ends[r.Line]
			}
			known = append(known, a)
		}
		s.Crawlers = append(s.Crawlers, a)
	}
	return s
}

func (s *Sheet) readFile(f *robotstxt.File) groupLines {
	lines := groupLines{}
	for line := range f.Lines() {
		switch name, bound := boundTo(line); {
		case line.Notes.Has(robotstxt.NotePastLimit):
			s.Truncated = true
		case name == "":
		case bound:
			lines[line.Group] = append(lines[line.Group], line)
		case line.Kind == robotstxt.KindSitemap:
			s.Sitemaps = append(s.Sitemaps, recordAt(line, f.Dialect()))
		default:
			s.Records = append(s.Records, recordAt(line, f.Dialect()))
		}
	}
	return lines
}

// Records has the records of a robots.txt for some crawlers: a Sheet without rules.
type Records struct {
	Crawlers []RecordsFor `json:"crawlers"` // in the order in which the crawlers were given
	Sitemaps []Record     `json:"sitemaps"` // all Sitemap lines; they apply to every crawler
	Records  []Record     `json:"records"`  // all records that apply to every crawler, except Sitemap lines
}

// RecordsFor has the records for one crawler.
type RecordsFor struct {
	CrawlDelay *Delay   `json:"crawl_delay,omitempty"` // the longest crawl delay in the groups that apply to the crawler
	Records    []Record `json:"records"`               // the records in the groups that apply to the crawler
}

// RecordsOf returns the records of a file for some crawlers. It is much faster than SheetOf.
func RecordsOf(f *robotstxt.File, crawlers [][]string) *Records {
	s := Sheet{Sitemaps: []Record{}, Records: []Record{}}
	lines := s.readFile(f)
	each := []RecordsFor{}
	for _, tokens := range crawlers {
		var a Applies
		a.choose(f.Agent(tokens...))
		a.addLines(f.Dialect(), lines)
		each = append(each, RecordsFor{a.CrawlDelay, a.Records})
	}
	return &Records{each, s.Sitemaps, s.Records}
}

// groupLines has the records, and the rules without effect, of each group. The key is the number of the group.
type groupLines map[int][]robotstxt.Line

// The name is "" for a rule with an effect, and for an unknown record. If isBound is true, the line applies only to its
// group.
func boundTo(line robotstxt.Line) (name string, isBound bool) {
	switch line.Kind {
	case robotstxt.KindAllow, robotstxt.KindDisallow:
		if line.Value == "" || line.Notes.Has(robotstxt.NoteNoSlash) {
			return line.Kind.String(), true
		}
		return "", false
	}
	info, _, _ := line.Record()
	return info.Name, !info.BindsFile
}

// SameAs reports whether the same groups apply to two crawlers, for the same reasons. Their rules and records are then
// equal.
func (a Applies) SameAs(b Applies) bool {
	return a.Reason == b.Reason && slices.EqualFunc(a.Groups, b.Groups, func(a, b Chosen) bool { return a.Group == b.Group && a.Why == b.Why })
}

func (a *Applies) choose(p *robotstxt.Policy) {
	a.Groups = []Chosen{}
	t := p.Explain("/")
	for i, use := range t.Groups {
		if use.Role.Applies() {
			a.Groups = append(a.Groups, Chosen{i + 1, use.Agent.Line, TextOf(use.Agent.Value).Text, use.Role.String(), len(use.Group.Rules)})
		}
	}
	d := t.Decision // the decision about "/"; a rule may have made it, but a.Otherwise must be the decision without a rule
	if d.Reason == robotstxt.ByRule {
		d = robotstxt.Decision{Allowed: true, Reason: robotstxt.NoRuleMatched}
	}
	a.Otherwise, a.Reason = Verdict(d.Allowed), d.Reason
}

func (a *Applies) fill(p *robotstxt.Policy, d *robotstxt.Dialect, lines groupLines) {
	a.addLines(d, lines)
	useless := map[int]bool{}
	for _, rule := range a.Useless {
		useless[rule.Line] = true
	}
	a.Rules = []UsedRule{}
	for _, rule := range UsesOf(p) {
		if !useless[rule.Line] {
			a.Rules = append(a.Rules, rule)
		}
	}
	a.Everything = a.commonVerdict(p)
}

func (a *Applies) addLines(d *robotstxt.Dialect, lines groupLines) {
	a.Useless, a.Records = []Rule{}, []Record{}
	for _, g := range a.Groups {
		for _, line := range lines[g.Group] {
			if line.Kind != robotstxt.KindOther {
				a.Useless = append(a.Useless, *RuleOf(robotstxt.Rule{Allow: line.Kind == robotstxt.KindAllow, Pattern: line.Value, Line: line.Number}))
				continue
			}
			a.Records = append(a.Records, recordAt(line, d))
			a.delay(line, d)
		}
	}
}

func (a *Applies) delay(line robotstxt.Line, d *robotstxt.Dialect) {
	_, value, _ := line.Record()
	if c, ok := value.(record.CrawlDelay); ok && !d.Ignores(line) && (a.CrawlDelay == nil || c.Delay.Seconds() > a.CrawlDelay.Seconds) {
		a.CrawlDelay = &Delay{line.Number, c.Delay.Seconds()}
	}
}

// commonVerdict returns "" if verdicts differ, or if this cannot be found out quickly.
func (a *Applies) commonVerdict(p *robotstxt.Policy) string {
	allows := func(r UsedRule) bool { return r.Allow }
	disallows := func(r UsedRule) bool { return !r.Allow }
	switch d := p.Check("/"); {
	case !slices.ContainsFunc(a.Rules, disallows):
		return a.Otherwise
	case slices.ContainsFunc(a.Rules, allows), d.Allowed, strings.HasSuffix(d.Rule.Pattern, "$"):
		return ""
	}
	return Verdict(false) // a pattern without "$" that matches "/" matches every path
}

func recordAt(line robotstxt.Line, d *robotstxt.Dialect) Record {
	info, value, err := line.Record()
	r := Record{Line: line.Number, Name: info.Name, Value: TextOf(line.Value).Text, Record: recordFields(value), Ignored: d.Ignores(line), Dead: info.Dead}
	if err != nil {
		r.Error = reasonOf(err)
	}
	return r
}
