package robotstxt

import (
	"bytes"
	"cmp"
	"slices"
	"sync"
	"time"
)

// A Policy is what a File says to one agent, compiled: it answers any number
// of questions. It is immutable and safe for concurrent use. The zero Policy
// denies everything.
type Policy struct {
	file     *File
	agents   []string // as ReadAgent reads them
	groups   []int    // that apply
	fixed    Decision // the answer to everything, unless Undecided
	rules    []Rule   // of the groups that apply, in file order
	patterns []pattern
}

// Agent returns the policy for the crawler that goes by the given product
// tokens, the most specific first, such as "googlebot-news", "googlebot": the
// groups that name the first token apply, or else those that name the second,
// and so on; only if there are none, the "*" groups apply (R-3, G-11). Without
// tokens, that is the policy for a crawler that no group names.
//
// A token may also be given as a User-Agent header; see ReadAgent. Where no
// name can be read from one, everything is denied with the reason InvalidAgent.
func (f *File) Agent(tokens ...string) *Policy {
	p := &Policy{file: f, fixed: f.fixed}
	if p.fixed.Reason != Undecided {
		return p
	}
	d := f.Dialect()
	for _, token := range tokens {
		agent, ok := d.ReadAgent(token)
		if !ok {
			p.fixed = Decision{Reason: InvalidAgent}
			return p
		}
		p.agents = append(p.agents, agent)
	}
	p.groups = f.groupsFor(p.agents)
	for _, i := range p.groups {
		p.rules = append(p.rules, f.rulesOf(i)...)
	}
	p.patterns = d.compileAll(p.rules)
	return p
}

// groupsFor returns the groups that apply to an agent of several names.
func (f *File) groupsFor(agents []string) []int {
	d := f.Dialect()
	for _, agent := range agents {
		if groups := f.groupsWhere(d.merge, func(a agentLine) bool { return d.namedBy(a.value, agent) }); groups != nil {
			return groups
		}
	}
	return f.groupsWhere(d.mergeDefault, func(a agentLine) bool {
		_, everyone := d.agentName(a.value)
		return everyone
	})
}

// groupsWhere returns the groups with an agent line that names, all or the first.
func (f *File) groupsWhere(all bool, names func(agentLine) bool) []int {
	var groups []int
	for i := range f.groups {
		if !slices.ContainsFunc(f.agentsOf(i), names) {
			continue
		}
		groups = append(groups, i)
		if !all {
			break
		}
	}
	return groups
}

// compileAll returns the patterns of the rules in the order in which they
// decide: the first that matches wins.
func (d *Dialect) compileAll(rules []Rule) []pattern {
	patterns := make([]pattern, 0, len(rules))
	for i, rule := range rules {
		if rule.Pattern == "" && !d.emptyDecides {
			continue // no rule (R-10, S94-9)
		}
		p := d.compile(rule, i)
		patterns = append(patterns, p)
		if dir, ok := p.directory(d); ok {
			patterns = append(patterns, dir)
		}
	}
	if d.longest {
		slices.SortStableFunc(patterns, precedence)
	}
	return patterns
}

// precedence orders the longer pattern first, and Allow before Disallow where
// they are equally long (R-5, M3, M4).
func precedence(a, b pattern) int {
	if a.length != b.length {
		return cmp.Compare(b.length, a.length)
	}
	switch {
	case a.allow == b.allow:
		return 0
	case a.allow:
		return -1
	}
	return 1
}

// Check decides about a target: an absolute URL, or a path with its query,
// which begins with "/". A fragment is left out. It does not allocate, and its
// work is at most the length of the target times that of the rules.
func (p *Policy) Check(target string) Decision {
	return p.decide(target, nil)
}

// decide is the one way to a Decision. With a trace it also records every
// other rule that matches.
func (p *Policy) decide(target string, t *Trace) Decision {
	if p.file == nil || p.fixed.Reason != Undecided {
		return p.fixed
	}
	d := p.file.Dialect()
	where, ok := d.locate(target)
	if !ok {
		return Decision{Reason: InvalidTarget}
	}
	var small [1024]byte
	buf := small[:0]
	if need := maxGrowth*len(where.path) + 1; need > len(small) {
		large := largeBuffers.Get().(*[]byte)
		defer largeBuffers.Put(large)
		*large = slices.Grow((*large)[:0], need)
		buf = *large
	}
	if where.addSlash {
		buf = append(buf, '/')
	}
	return p.match(d.appendPath(buf, where.path), t)
}

// maxGrowth is how many octets of a normal form one octet becomes at most: %XX.
const maxGrowth = 3

// largeBuffers holds the normal forms of long URLs, so that Check need not allocate.
var largeBuffers = sync.Pool{New: func() any { return new([]byte) }}

// match decides about a path in normal form.
func (p *Policy) match(path []byte, t *Trace) Decision {
	d := p.file.Dialect()
	if t != nil {
		t.Path = d.formText(path)
	}
	if d.robotsAllowed && string(path) == "/robots.txt" {
		return Decision{Allowed: true, Reason: RobotsTxtItself}
	}
	slashes := bytes.Contains(path, encodedSlash)
	decision := Decision{Allowed: true, Reason: NoRuleMatched}
	if len(p.groups) == 0 {
		decision.Reason = NoGroup
	}
	for i := range p.patterns {
		pattern := &p.patterns[i]
		if !pattern.matches(path, slashes) {
			continue
		}
		if decision.Reason != ByRule {
			rule := p.rules[pattern.rule]
			decision = Decision{Allowed: rule.Allow || rule.Pattern == "", Reason: ByRule, Rule: rule}
		}
		if t == nil {
			break
		}
		t.add(p, pattern)
	}
	return decision
}

// Agents returns the names that the policy is for, as they were read; none
// for the crawler that no group names.
func (p *Policy) Agents() []string { return slices.Clone(p.agents) }

// CrawlDelay returns the crawl delay of the groups that apply: the longest, if
// there are several, which satisfies them all. It never affects a Decision,
// and the Google dialect knows none (G-10).
func (p *Policy) CrawlDelay() (delay time.Duration, ok bool) {
	for _, r := range p.Records() {
		if c, is := r.(CrawlDelay); is {
			delay, ok = max(delay, c.Delay), true
		}
	}
	return delay, ok
}

// Records returns the records of the groups that apply which are not of the
// protocol and whose values can be read, in file order; none in the Google
// dialect, where they have no effect (G-10).
func (p *Policy) Records() []Record {
	if p.file == nil || !p.file.Dialect().delays {
		return nil
	}
	var records []Record
	for _, line := range p.file.records {
		info, ok := LookupRecord(line.name)
		if !ok || info.Binding != BindsGroup || !slices.Contains(p.groups, line.group) {
			continue
		}
		if r, err := ParseRecord(line.name, line.value); err == nil {
			records = append(records, r)
		}
	}
	return records
}
