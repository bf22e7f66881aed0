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

// An entry is an origin in memory.
type entry struct {
	state    atomic.Pointer[state]
	policies atomic.Pointer[policy] // the one that was compiled last, which links to those before it

	record     *Record       // as the store has it
	seen       *Record       // the same, as the view of the cache sees it
	ours       *fetch.Result // a failure of our own after the record, which has no such failures; nil: there was none
	refusals   int           // how many failures of our own in a row were refused addresses or ports
	refreshing atomic.Bool   // a retrieval in the background is under way

	size atomic.Int64
	mu   sync.Mutex      // guards file, and is held while policies or size are set
	file *robotstxt.File // of the Copy seen; nil: it is not parsed yet
}

func (v *view) newEntry(r *Record) *entry {
	e := &entry{record: r, seen: v.seen(r)}
	e.size.Store(int64(entryBytes(e)))
	return e
}

// newHeldBack returns the entry that follows another one after a failure of our own. Its
// record is the same.
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
		Origin:        e.record.Origin,
		Outcome:       s.outcome,
		Stale:         s.stale,
		FailingSince:  e.seen.FailingSince,
		NextRetrieval: s.due,
		Err:           ErrNotCached,
	}
	if r := s.result; r != nil {
		a.Status, a.HTML, a.Err, a.Fetched = r.Status, r.HTML, r.Err, r.End
	}
	return a
}

// fixed is the file that is used for an outcome that is not fetch.Rules: an empty one that
// allows or disallows everything.
type fixed struct {
	file   *robotstxt.File
	policy policy // the same for each crawler
}

// fixedFiles are the files of all such outcomes.
type fixedFiles [fetch.Restricted + 1]fixed

func newFixed(d *robotstxt.Dialect) *fixedFiles {
	var all fixedFiles
	for _, o := range []fetch.Outcome{fetch.Unavailable, fetch.Restricted, fetch.Unreachable} {
		f := standIn(o, d)
		all[o] = fixed{f, policy{Policy: f.Agent()}}
	}
	return &all
}

// standIn returns the file that is used for an outcome that is not fetch.Rules.
func standIn(o fetch.Outcome, d *robotstxt.Dialect) *robotstxt.File {
	switch o {
	case fetch.Unavailable:
		return robotstxt.AllowAll(robotstxt.Unavailable, d)
	case fetch.Restricted:
		return robotstxt.DisallowAll(robotstxt.Restricted, d)
	}
	return robotstxt.DisallowAll(robotstxt.Unreachable, d)
}

// A policy is the compiled policy of a crawler. The policies of an entry are a linked list,
// the one that was compiled last first.
type policy struct {
	*robotstxt.Policy
	delay  time.Duration
	agents []string
	older  *policy // the one that was compiled before it; nil: there is none
	number int     // of policies from this one to the end of the list
}

// policyFor returns the policy of a crawler, of the file of an entry's Copy.
func (c *Cache) policyFor(e *entry, agents []string) *policy {
	if p := e.kept(agents); p != nil {
		return p
	}
	return c.compile(e, agents)
}

// compile compiles the policy of a crawler and keeps it, unless another goroutine just did.
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

// grow does something that may make an entry larger, and counts its bytes again.
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

// kept returns the policy of a crawler that is kept; nil: there is none.
func (e *entry) kept(agents []string) *policy {
	for p := e.policies.Load(); p != nil; p = p.older {
		if slices.Equal(p.agents, agents) {
			return p
		}
	}
	return nil
}

// maxPolicies is how many policies of a file are kept: finding one of so many takes less time
// than compiling it again.
const maxPolicies = 128

// keep puts a policy in front of the list. If the list would then have too many policies, or
// take more than so many bytes, the others are dropped. It may make the entry larger.
func (e *entry) keep(p *policy, bytes int) {
	p.number = 1
	older := e.policies.Load()
	if older != nil && older.number < maxPolicies && policiesBytes(older)+policyBytes(p) <= bytes {
		p.older, p.number = older, p.number+older.number
	}
	e.policies.Store(p)
}

func newPolicy(f *robotstxt.File, agents []string) *policy {
	p := &policy{agents: make([]string, len(agents))}
	for i, agent := range agents {
		p.agents[i] = strings.Clone(agent) // it may be part of a large string
	}
	p.Policy = f.Agent(p.agents...)
	p.delay, _ = p.CrawlDelay()
	return p
}
