package robotstxt

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"
	"unsafe"

	"github.com/heed-robots/heed/robotstxt/record"
)

// A Policy has the rules of a File for one crawler. It is safe for concurrent use and must not be copied. The zero Policy
// disallows everything.
type Policy struct {
	file            *File
	dialect         *Dialect // copied, so that a decision need not read the File
	agents          []string
	agent           [1]string // the memory of agents if there is only one
	fixed           *Decision // the decision about every target; nil if the rules decide
	rules           *ruleSet  // the rules of the groups that apply; nil if fixed is set
	ignoresEveryone bool      // no group applies, because the crawler does not follow the "*" groups
}

// Agent returns the policy for a crawler with the given product tokens, the most specific first. The first token that a
// group names decides: all groups that name this token apply. If no token has a group, the "*" groups apply (R-3, G-11).
//
// If a token contains no name (see ReadAgent), everything is disallowed (InvalidAgent), except by a File of AllowAll. If the
// crawler does not follow "*", add the token [NotEveryone].
func (f *File) Agent(tokens ...string) *Policy {
	p := &Policy{file: f, dialect: f.Dialect(), fixed: f.fixed}
	if p.fixed != nil {
		return p
	}
	p.agents = p.agent[:0]
	d, onlyNamed := f.Dialect(), false
	for _, token := range tokens {
		if token == NotEveryone {
			onlyNamed = true
			continue
		}
		agent, ok := d.ReadAgent(token)
		if !ok {
			p.fixed = &Decision{Reason: InvalidAgent}
			return p
		}
		p.agents = append(p.agents, agent)
	}
	if onlyNamed && len(p.agents) == 0 { // a client may send NotEveryone as its User-Agent
		p.fixed = &Decision{Reason: InvalidAgent}
		return p
	}
	var room [4]int32
	chosen := f.choose(room[:0], p.agents)
	if onlyNamed && len(chosen) > 0 {
		// "*" groups and other groups are never chosen together, so the first group is enough.
		if _, everyone := f.nameAt(int(chosen[0])); everyone {
			chosen, p.ignoresEveryone = nil, true
		}
	}
	p.rules = f.rulesOf(chosen)
	return p
}

// NotEveryone, as a token of File.Agent, says that the crawler does not follow the "*" groups. If there is no group for the
// crawler, everything is allowed (IgnoresEveryone). It is not a valid product token.
const NotEveryone = "!*"

// choose appends, for each group that applies, the first User-agent line with the crawler's name or "*", as an index in
// f.agentLines.
func (f *File) choose(chosen []int32, agents []string) []int32 {
	d := f.Dialect()
	if names := f.namesInOrder(); names != nil {
		return names.choose(chosen, agents)
	}
	n := f.nameFinder(agents)
	bestRank, lastGroup := len(agents)+1, int32(-1)
	for i := range f.agentLines {
		a := &f.agentLines[i]
		if !n.mayName(a) {
			continue
		}
		rank := n.rank(i)
		switch {
		case rank < bestRank:
			bestRank, lastGroup = rank, a.group
			chosen = append(chosen[:0], int32(i))
		case rank == bestRank && a.group != lastGroup && d.mergesGroups(rank < len(agents)):
			lastGroup = a.group
			chosen = append(chosen, int32(i))
		}
	}
	if bestRank > len(agents) {
		return nil
	}
	return chosen
}

// usesGroup searches in logarithmic time, because a hostile file may have many groups.
func (p *Policy) usesGroup(group int) bool {
	_, found := slices.BinarySearchFunc(p.rules.groups, int32(group), func(g groupPart, group int32) int {
		return cmp.Compare(p.file.agentLines[g.named].group, group)
	})
	return found
}

func (d *Dialect) mergesGroups(isNamed bool) bool {
	if isNamed {
		return d.mergeNamed
	}
	return d.mergeDefault
}

// Check decides about a target: an absolute URL, or a path and query that begins with "/". Any other target is disallowed
// (InvalidTarget), except in the Google dialect, and by a File of AllowAll or DisallowAll. A fragment is ignored. Only the
// call that compiles the rules allocates memory.
func (p *Policy) Check(target string) (d Decision) {
	p.decide(&d, target, nil)
	return d
}

// decide returns true only if all clients request the path as the target has it. A browser, for example, changes "\" to "/".
func (p *Policy) decide(d *Decision, target string, t *Trace) (isNormal bool) {
	switch {
	case p.file == nil:
		return false
	case p.fixed != nil:
		*d = *p.fixed
		return false
	}
	where := location{}
	path, ok := quickPath(target)
	if ok {
		bytes, isNormal := p.dialect.scan(path)
		if isNormal {
			s := p.dialect.subject(path, bytes)
			p.match(d, &s, t)
			return true
		}
		where.path = p.dialect.cut(path)
	} else if where, ok = p.dialect.locate(target); !ok {
		d.Reason = InvalidTarget
		return false
	}
	p.normalize(d, where, t)
	return false
}

func (p *Policy) normalize(d *Decision, where location, t *Trace) {
	var small [512]byte
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
	buf = p.dialect.appendPath(buf, where.path)
	// Nothing writes to the buffer while the path is in use.
	path := unsafe.String(unsafe.SliceData(buf), len(buf))
	bytes, _ := p.dialect.scan(path)
	s := p.dialect.subject(path, bytes)
	s.slashes = p.dialect.form == canonicalForm && strings.Contains(path, encodedSlash)
	p.match(d, &s, t)
}

// largeBuffers are for the normal forms of long URLs, because Check must not allocate memory.
var largeBuffers = sync.Pool{New: func() any { return new([]byte) }}

func (p *Policy) match(d *Decision, s *subject, t *Trace) {
	if t != nil {
		t.Path = strings.Clone(s.path)
	}
	if p.dialect.robotsAllowed && s.path == "/robots.txt" {
		d.Allowed, d.Reason = true, RobotsTxtItself
		return
	}
	if t != nil {
		p.traceMatches(s, t)
	}
	m, ok := p.rules.decide(s)
	countSteps(s.work)
	if !ok {
		d.Allowed, d.Reason = true, p.unmatched()
		return
	}
	d.Reason, d.Rule = ByRule, m.rule(p.file.body)
	d.Allowed = m.allow || m.size == 0
}

func (p *Policy) unmatched() Reason {
	switch {
	case p.ignoresEveryone:
		return IgnoresEveryone
	case len(p.rules.groups) == 0:
		return NoGroup
	}
	return NoRuleMatched
}

func (p *Policy) traceMatches(s *subject, t *Trace) {
	all, _ := p.rules.patterns(nil, nil)
	all = slices.DeleteFunc(all, func(m pattern) bool { return s.lacksBytes(m.bytes) || !s.matches(m.text, m.traits) })
	for _, at := range p.dialect.order(all) {
		t.add(p, &all[at], s.path)
	}
}

// Dialect returns the dialect of the policy's file.
func (p *Policy) Dialect() *Dialect { return p.dialect.orDefault() }

// GroupsThatApply returns the numbers of the groups that apply, counted from 0 in file order.
func (p *Policy) GroupsThatApply() (groups []int) {
	if p.rules == nil {
		return nil
	}
	for _, g := range p.rules.groups {
		groups = append(groups, int(p.file.agentLines[g.named].group))
	}
	return groups
}

// IsNamed reports whether the groups that apply name the crawler. It is false if the "*" groups or no groups apply.
func (p *Policy) IsNamed() bool {
	if p.rules == nil || len(p.rules.groups) == 0 {
		return false
	}
	n := p.file.nameFinder(p.agents)
	return n.groupRank(p.rules.groups[0].named) < len(p.agents)
}

// Agents returns the names of the crawler, as ReadAgent returned them, or no names if Agent was called without tokens.
func (p *Policy) Agents() []string { return slices.Clone(p.agents) }

// Rules yields the rules of the groups that apply, sorted so that the first one that matches decides (R-5, S96-3). Some
// rules match no URL. Rules without a pattern are yielded only in the Google dialect, where they can decide.
func (p *Policy) Rules() iter.Seq[Rule] {
	return func(yield func(Rule) bool) {
		if p.rules == nil {
			return
		}
		for _, m := range p.rules.byPrecedence() {
			if !m.is(indexPage) && !yield(m.rule(p.file.body)) { // an Allow of an index page has two patterns
				return
			}
		}
	}
}

// CrawlDelay returns the longest crawl delay of the groups that apply. If there is none, ok is false. A crawl delay never
// changes a Decision. The Google dialect has no crawl delays (G-10).
func (p *Policy) CrawlDelay() (delay time.Duration, ok bool) {
	for _, r := range p.Records() {
		if c, is := r.(record.CrawlDelay); is {
			delay, ok = max(delay, c.Delay), true
		}
	}
	return delay, ok
}

// Records returns the records of the groups that apply, in file order. Records for the whole file, such as Sitemap, and
// unreadable values are left out. The Google dialect has none (G-10).
func (p *Policy) Records() []record.Value {
	if p.rules == nil || !p.file.Dialect().delays {
		return nil
	}
	var records []record.Value
	for _, g := range p.rules.groups {
		for e := p.file.partAfter(p.file.openingLine(g.named)).reader(p.file.index); e.next(); {
			// This also skips records after a blank line, which ends the group in some dialects.
			if e.entry.kind != boundEntry {
				continue
			}
			if v := p.file.recordOf(e.entry); v != nil {
				records = append(records, v)
			}
		}
	}
	return records
}

func (f *File) recordOf(e entry) record.Value {
	var c content
	f.Dialect().read(f.body, e.start, e.end, &c)
	name, value := f.body[c.keyStart:c.keyEnd], f.body[c.valueStart:c.valueEnd]
	if info, ok := record.Lookup(name); !ok || info.BindsFile {
		return nil
	}
	v, err := record.Parse(name, value)
	if err != nil {
		return nil
	}
	return v
}

// Size returns about how many bytes of memory the policy takes besides its File, for caches with a limit.
func (p *Policy) Size() int {
	size := policySize + stringSize*max(len(p.agents)-1, 0)
	for _, agent := range p.agents {
		size += len(agent)
	}
	if p.rules != nil && !p.file.keeps(p.rules) {
		size += p.rules.size()
	}
	return size
}

// SizeWithFile returns about how many bytes the policy and its File take. Use it if no other policy uses the File.
func (p *Policy) SizeWithFile() int {
	if p.file == nil {
		return p.Size()
	}
	return p.Size() + p.file.Size()
}

const (
	policySize = 80 // with one agent
	stringSize = 16
)
