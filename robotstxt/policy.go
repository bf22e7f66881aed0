package robotstxt

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/heed-robots/heed/robotstxt/record"
)

// A Policy is what a File says to one agent, compiled: it answers any number
// of questions. It is safe for concurrent use and must not be copied. The zero
// Policy denies everything.
type Policy struct {
	file     *File
	agents   []string  // as ReadAgent reads them
	groups   []int     // that apply, in file order
	fixed    *Decision // the answer to everything, unless nil
	rules    int       // of the groups that apply
	patterns []pattern // in the order in which they decide

	asked  atomic.Uint32 // questions, until there is a lookup
	lookup atomic.Pointer[lookup]
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
	if p.fixed != nil {
		return p
	}
	d := f.Dialect()
	for _, token := range tokens {
		agent, ok := d.ReadAgent(token)
		if !ok {
			p.fixed = &Decision{Reason: InvalidAgent}
			return p
		}
		p.agents = append(p.agents, agent)
	}
	p.compile(p.choose())
	return p
}

// choose finds the groups that apply to an agent of several names. It returns
// for each a reader that stands behind the line which names the agent.
func (p *Policy) choose() []entryReader {
	var chosen []entryReader
	d := p.file.Dialect()
	best, last := len(p.agents)+1, -1 // the rank of the groups chosen, and the last of them
	for r := p.file.entries(); r.next(); {
		if r.entry.kind != agentEntry {
			continue
		}
		rank := d.rankOf(p.file.body[r.entry.start:r.entry.end], p.agents)
		switch {
		case rank < best:
			best, last = rank, r.group
			chosen = append(chosen[:0], r)
		case rank == best && r.group != last && d.merges(rank < len(p.agents)):
			last = r.group
			chosen = append(chosen, r)
		}
	}
	if best > len(p.agents) {
		return nil
	}
	return chosen
}

// applies reports whether a group of the file applies. A hostile file has many.
func (p *Policy) applies(group int) bool {
	_, found := slices.BinarySearch(p.groups, group)
	return found
}

// rankOf returns which of the agents the value of a User-agent line names; the
// number of agents for a line that means everyone, and more for any other.
func (d *Dialect) rankOf(value string, agents []string) int {
	for i, agent := range agents {
		if d.namedBy(value, agent) {
			return i
		}
	}
	if _, everyone := d.agentName(value); everyone {
		return len(agents)
	}
	return len(agents) + 1
}

// merges reports whether all groups that name an agent apply, or all "*"
// groups, and not just the first.
func (d *Dialect) merges(named bool) bool {
	if named {
		return d.merge
	}
	return d.mergeDefault
}

// compile brings the rules of the groups that apply to the form that matches.
func (p *Policy) compile(groups []entryReader) {
	d := p.file.Dialect()
	unsorted := unsortedPatterns.Get().(*[]pattern)
	patterns := (*unsorted)[:0]
	for _, r := range groups {
		p.groups = append(p.groups, r.group)
		for group := r.group; r.next() && r.group == group; {
			e := &r.entry
			if e.kind != allowEntry && e.kind != disallowEntry {
				continue
			}
			p.rules++
			if e.start == e.end && !d.emptyDecides {
				continue // no rule (R-10, S94-9)
			}
			patterns = append(patterns, pattern{})
			last := &patterns[len(patterns)-1]
			d.compile(last, p.file.body, e)
			if d.indexPages && last.allow {
				if dir, ok := last.directory(); ok {
					patterns = append(patterns, dir)
				}
			}
		}
	}
	p.patterns = make([]pattern, len(patterns))
	if d.longest {
		sortByPrecedence(p.patterns, patterns)
	} else {
		copy(p.patterns, patterns)
	}
	clear(patterns) // they hold on to the body
	*unsorted = patterns
	unsortedPatterns.Put(unsorted)
	if wantsLookup(p.patterns) {
		p.lookup.Store(newLookup(p.patterns))
	}
}

// unsortedPatterns holds room for the patterns of a policy that is compiled.
var unsortedPatterns = sync.Pool{New: func() any { return new([]pattern) }}

// rule returns the rule that a pattern was compiled from.
func (p *Policy) rule(m *pattern) Rule {
	return Rule{Allow: m.allow, Pattern: p.file.body[m.start:][:m.size], Line: int(m.line)}
}

// Check decides about a target: an absolute URL, or a path with its query,
// which begins with "/". A fragment is left out. It does not allocate.
func (p *Policy) Check(target string) Decision {
	return p.decide(target, nil)
}

// decide is the one way to a Decision. With a trace it also records every
// other rule that matches.
func (p *Policy) decide(target string, t *Trace) Decision {
	switch {
	case p.file == nil:
		return Decision{}
	case p.fixed != nil:
		return *p.fixed
	}
	d := p.file.Dialect()
	where := location{}
	path, ok := quickPath(target)
	if ok {
		octets, normal := d.scan(path)
		if normal {
			return p.match(subject{path, octets, false}, t)
		}
		where.path = d.cut(path)
	} else if where, ok = d.locate(target); !ok {
		return Decision{Reason: InvalidTarget}
	}
	return p.normalize(where, t)
}

// normalize decides about a location that is not in normal form.
func (p *Policy) normalize(where location, t *Trace) Decision {
	d := p.file.Dialect()
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
	buf = d.appendPath(buf, where.path)
	// The buffer is not written to again while the path is in use.
	path := unsafe.String(unsafe.SliceData(buf), len(buf))
	octets, _ := d.scan(path)
	slashes := d.form == canonicalForm && strings.Contains(path, encodedSlash)
	return p.match(subject{path, octets, slashes}, t)
}

// maxGrowth is how many octets of a normal form one octet becomes at most: %XX.
const maxGrowth = 3

// largeBuffers holds the normal forms of long URLs, so that Check need not allocate.
var largeBuffers = sync.Pool{New: func() any { return new([]byte) }}

// subject is the path of a URL in normal form. Nothing keeps it: it may lie in
// a buffer that is used again.
type subject struct {
	path    string
	octets  uint64 // that it holds, see octetBits
	slashes bool   // it holds an encodedSlash
}

// match decides about a path.
func (p *Policy) match(s subject, t *Trace) Decision {
	d := p.file.Dialect()
	if t != nil {
		t.Path = d.formText(s.path)
	}
	if d.robotsAllowed && s.path == "/robots.txt" {
		return Decision{Allowed: true, Reason: RobotsTxtItself}
	}
	if t != nil {
		p.record(s, t)
	}
	first := p.first(s)
	switch {
	case first != none:
		rule := p.rule(&p.patterns[first])
		return Decision{Allowed: rule.Allow || rule.Pattern == "", Reason: ByRule, Rule: rule}
	case len(p.groups) == 0:
		return Decision{Allowed: true, Reason: NoGroup}
	}
	return Decision{Allowed: true, Reason: NoRuleMatched}
}

// first returns the first pattern that matches, or none.
func (p *Policy) first(s subject) int32 {
	if l := p.lookup.Load(); l != nil {
		return l.find(p.patterns, s)
	}
	if len(p.patterns) > fewPatterns && p.asked.Add(1) == oftenAsked {
		p.lookup.Store(newLookup(p.patterns))
	}
	for i := range p.patterns {
		if p.patterns[i].matches(s.path, s.slashes) {
			return int32(i)
		}
	}
	return none
}

// record adds every pattern that matches to a trace.
func (p *Policy) record(s subject, t *Trace) {
	for i := range p.patterns {
		if p.patterns[i].matches(s.path, s.slashes) {
			t.add(p, &p.patterns[i])
		}
	}
}

// Agents returns the names that the policy is for, as they were read; none
// for the crawler that no group names.
func (p *Policy) Agents() []string { return slices.Clone(p.agents) }

// CrawlDelay returns the crawl delay of the groups that apply: the longest, if
// there are several, which satisfies them all. It never affects a Decision,
// and the Google dialect knows none (G-10).
func (p *Policy) CrawlDelay() (delay time.Duration, ok bool) {
	for _, r := range p.Records() {
		if c, is := r.(record.CrawlDelay); is {
			delay, ok = max(delay, c.Delay), true
		}
	}
	return delay, ok
}

// Records returns the records of the groups that apply which are not of the
// protocol and whose values can be read, in file order; none in the Google
// dialect, where they have no effect (G-10).
func (p *Policy) Records() []record.Value {
	if p.file == nil || !p.file.Dialect().delays {
		return nil
	}
	var records []record.Value
	for r := p.file.entries(); r.next(); {
		e := r.entry
		if e.kind != recordEntry || !e.marked || !p.applies(r.group) {
			continue
		}
		var c content
		p.file.Dialect().read(p.file.body, e.start, e.end, &c)
		name, value := p.file.body[c.keyStart:c.keyEnd], p.file.body[c.valueStart:c.valueEnd]
		if info, ok := record.Lookup(name); !ok || info.Binding != record.BindsGroup {
			continue
		}
		if v, err := record.Parse(name, value); err == nil {
			records = append(records, v)
		}
	}
	return records
}

// Size returns how many bytes of memory the policy takes beside its File, about,
// for caches that are bounded.
func (p *Policy) Size() int {
	size := policySize + patternSize*len(p.patterns) + 8*len(p.groups)
	for i := range p.patterns {
		m := &p.patterns[i]
		if !strings.HasPrefix(p.file.body[m.start:], m.text) { // a normal form that is not a part of the file
			size += len(m.text)
		}
	}
	for _, agent := range p.agents {
		size += len(agent)
	}
	return size
}

// Measured: a pattern is 32 bytes, and as many again in a lookup.
const (
	policySize  = 300
	patternSize = 70
)
