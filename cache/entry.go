package cache

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/robotstxt"
)

// entry is what is in memory of an origin.
type entry struct {
	state    atomic.Pointer[state]
	policies atomic.Pointer[policy] // that are kept, the one compiled last; it leads to the others

	record     *Record       // as the store has it
	seen       *Record       // as the cache reads it
	ours       *fetch.Result // a failure of our own after it, which is in no record; nil: there was none
	refusals   int           // how many refusals of an address or a port there were in a row, up to ours
	refreshing atomic.Bool

	size atomic.Int64
	mu   sync.Mutex      // guards what follows, and is held where policies or size are set
	file *robotstxt.File // of the Copy seen, once it is asked for
}

func (v *view) newEntry(r *Record) *entry {
	e := &entry{record: r, seen: v.seen(r)}
	e.size.Store(int64(entryBytes(e)))
	return e
}

// newHeldBack returns the entry that follows another one where the origin could not be
// asked, because of a failure of our own. What is known of the origin is unchanged.
func (v *view) newHeldBack(before *entry, ours *fetch.Result) *entry {
	e := v.newEntry(before.record)
	e.ours = ours
	if kind := failureKind(ours); kind == fetch.AddressRefused || kind == fetch.PortRefused {
		e.refusals = before.refusals + 1
	}
	e.size.Store(int64(entryBytes(e)))
	return e
}

// lastEnd is when the last retrieval ended.
func (e *entry) lastEnd() time.Time {
	if e.ours != nil {
		return e.ours.End
	}
	return e.record.lastEnd()
}

// stateOf returns the state of an entry at a time.
func (set *settings) stateOf(e *entry, now time.Time) *state {
	if s := e.state.Load(); s != nil && now.Before(s.end) && !now.Before(s.start) {
		return s
	}
	s := set.state(e.seen, now)
	if e.ours != nil {
		s = set.heldBack(s, e, now)
	}
	s.start = e.lastEnd()
	s.answer = s.answerOf(e)
	e.state.Store(&s)
	return &s
}

// answerOf returns what all answers about an entry in this state have in common: everything
// but the Decision, the Age and the CrawlDelay.
func (s *state) answerOf(e *entry) Answer {
	a := Answer{
		Origin:       e.record.Origin,
		Outcome:      s.outcome,
		Stale:        s.stale,
		FailingSince: e.seen.FailingSince,
		AskAgain:     s.due,
		Err:          ErrNothing,
	}
	if r := s.result; r != nil {
		a.Status, a.HTML, a.Err, a.Fetched = r.Status, r.HTML, r.Err, r.End
	}
	return a
}

// fixed is what stands for the file of an origin that has none that counts.
type fixed struct {
	file   *robotstxt.File
	policy policy // the same for everybody
}

// fixedFiles are those of the outcomes but fetch.Rules.
type fixedFiles [fetch.Restricted + 1]fixed

func newFixed(d *robotstxt.Dialect) *fixedFiles {
	var all fixedFiles
	for _, o := range []fetch.Outcome{fetch.Unavailable, fetch.Restricted, fetch.Unreachable} {
		f := standIn(o, d)
		all[o] = fixed{f, policy{Policy: f.Agent()}}
	}
	return &all
}

// standIn returns the file that stands for an outcome that is not fetch.Rules.
func standIn(o fetch.Outcome, d *robotstxt.Dialect) *robotstxt.File {
	switch o {
	case fetch.Unavailable:
		return robotstxt.AllowAll(robotstxt.Unavailable, d)
	case fetch.Restricted:
		return robotstxt.DisallowAll(robotstxt.Restricted, d)
	}
	return robotstxt.DisallowAll(robotstxt.Unreachable, d)
}

// A policy is what a file says to a crawler, in a list of those that are kept.
type policy struct {
	*robotstxt.Policy
	delay  time.Duration
	agents []string
	older  *policy // the one compiled before it; nil: it is the oldest
	number int     // of this one and all that are older
}

// policyFor returns what the file of an entry's Copy says to a crawler.
func (c *Cache) policyFor(e *entry, agents []string) *policy {
	if p := e.kept(agents); p != nil {
		return p
	}
	return c.compile(e, agents)
}

// compile returns the policy for a crawler, which it compiles and keeps unless somebody
// just did.
func (c *Cache) compile(e *entry, agents []string) (p *policy) {
	c.grow(e, func() {
		if p = e.kept(agents); p == nil {
			p = newPolicy(c.settings.parsed(e), agents)
			e.keep(p, c.settings.policyBytes)
		}
	})
	return p
}

// fileOf returns the file of an entry's Copy.
func (c *Cache) fileOf(e *entry) (f *robotstxt.File) {
	c.grow(e, func() { f = c.settings.parsed(e) })
	return f
}

// grow does what may make an entry larger, and accounts for that.
func (c *Cache) grow(e *entry, do func()) {
	e.mu.Lock()
	do()
	now := int64(entryBytes(e))
	before := e.size.Swap(now)
	e.mu.Unlock()
	if now != before {
		c.memory.weigh(e.record.Origin, e)
	}
}

// parsed returns the file of an entry's Copy, which is parsed once. It may make the entry
// larger.
func (set *settings) parsed(e *entry) *robotstxt.File {
	if e.file == nil {
		e.file = e.seen.Copy.FileBy(set.statuses, set.dialect)
	}
	return e.file
}

// kept returns the policy for a crawler; nil: none is kept.
func (e *entry) kept(agents []string) *policy {
	for p := e.policies.Load(); p != nil; p = p.older {
		if slices.Equal(p.agents, agents) {
			return p
		}
	}
	return nil
}

// maxPolicies is how many policies are kept of a file: finding one of so many takes less than
// compiling it again.
const maxPolicies = 128

// keep keeps a policy. Where all would be too many, or take more than most, the others
// are let go of. It makes the entry larger.
func (e *entry) keep(p *policy, most int) {
	p.number = 1
	older := e.policies.Load()
	if older != nil && older.number < maxPolicies && policiesBytes(older)+policyBytes(p) <= most {
		p.older, p.number = older, p.number+older.number
	}
	e.policies.Store(p)
}

func newPolicy(f *robotstxt.File, agents []string) *policy {
	p := &policy{agents: make([]string, len(agents))}
	for i, agent := range agents {
		p.agents[i] = strings.Clone(agent) // it may be a part of much more
	}
	p.Policy = f.Agent(p.agents...)
	p.delay, _ = p.CrawlDelay()
	return p
}
