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
	record     *Record       // as the store has it
	seen       *Record       // as the cache reads it
	ours       *fetch.Result // a failure of our own after it, which is in no record; nil: there was none
	refusals   int           // how many refusals of an address or a port there were in a row, up to ours
	standing   atomic.Pointer[standing]
	refreshing atomic.Bool

	once sync.Once
	copy *source // of the record's Copy, once it is asked for
	size atomic.Int64
}

func (d *reading) newEntry(r *Record) *entry {
	e := &entry{record: r, seen: d.read(r)}
	e.size.Store(int64(entryBytes(e)))
	return e
}

// newHeldBack returns the entry that follows another one where the origin could not be
// asked, because of a failure of our own. What is known of the origin is unchanged.
func (d *reading) newHeldBack(before *entry, ours *fetch.Result) *entry {
	e := d.newEntry(before.record)
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

// standOf returns how an entry stands.
func (c *rules) standOf(e *entry, now time.Time) *standing {
	if s := e.standing.Load(); s != nil && now.Before(s.end) && !now.Before(s.start) {
		return s
	}
	s := c.stand(e.seen, now)
	if e.ours != nil {
		s = c.heldBack(s, e, now)
	}
	s.start = e.lastEnd()
	s.answer = s.answerOf(e)
	e.standing.Store(&s)
	return &s
}

// answerOf returns what every answer about an entry that stands so has in common: all
// but the Decision, the Age and the CrawlDelay.
func (s *standing) answerOf(e *entry) Answer {
	a := Answer{
		Origin:       e.record.Origin,
		Outcome:      s.outcome,
		Stale:        s.stale,
		FailingSince: e.seen.FailingSince,
		AskAgain:     s.ask,
		Err:          ErrNothing,
	}
	if r := s.rests; r != nil {
		a.Status, a.HTML, a.Err, a.Fetched = r.Status, r.HTML, r.Err, r.End
	}
	return a
}

// source is a file with the policies that were asked for.
type source struct {
	file     *robotstxt.File
	policies atomic.Pointer[[]policy]
}

type policy struct {
	agents []string
	*robotstxt.Policy
	delay time.Duration
}

// fixed is what stands for the file of an origin that has none that counts.
type fixed struct {
	file   *robotstxt.File
	policy policy // the same for everybody
}

func newFixed(d *robotstxt.Dialect) map[fetch.Outcome]fixed {
	all := map[fetch.Outcome]fixed{}
	for _, o := range []fetch.Outcome{fetch.Unavailable, fetch.Restricted, fetch.Unreachable} {
		f := fileOf(o, d)
		all[o] = fixed{f, policy{Policy: f.Agent()}}
	}
	return all
}

// fileOf returns the file that stands for an outcome that is not fetch.Rules.
func fileOf(o fetch.Outcome, d *robotstxt.Dialect) *robotstxt.File {
	switch o {
	case fetch.Unavailable:
		return robotstxt.AllowAll(robotstxt.Unavailable, d)
	case fetch.Restricted:
		return robotstxt.DisallowAll(robotstxt.Restricted, d)
	}
	return robotstxt.DisallowAll(robotstxt.Unreachable, d)
}

// policy returns what an entry that stands so says to a crawler, and how much
// memory that took which was not in use before.
func (c *rules) policy(e *entry, s *standing, agents []string) (p policy, grown int) {
	if !s.copied {
		return c.fixed[s.outcome].policy, 0
	}
	return c.source(e).policy(agents, c.policyBytes)
}

// source returns the file of an entry's copy, which is parsed once.
func (c *rules) source(e *entry) *source {
	e.once.Do(func() { e.copy = &source{file: e.seen.Copy.FileBy(c.statuses, c.dialect)} })
	return e.copy
}

// maxPolicies is how many policies are kept of a file. A file that is asked
// about for more crawlers than that compiles some of them again.
const maxPolicies = 16

// policy returns the policy for a crawler, and how much more memory the policies
// that are kept take than before, of which they may take most.
func (s *source) policy(agents []string, most int) (p policy, grown int) {
	kept := s.policies.Load()
	var had []policy
	if kept != nil {
		had = *kept
		for i := range had {
			if slices.Equal(had[i].agents, agents) {
				return had[i], 0
			}
		}
	}
	p = newPolicy(s.file, agents)
	next := append(slices.Clone(had), p)
	for len(next) > maxPolicies || policiesBytes(next) > most {
		next = slices.Delete(next, 0, 1) // which lets go of it
	}
	if !s.policies.CompareAndSwap(kept, &next) {
		return p, 0 // somebody else keeps his, and this one is compiled again
	}
	return p, policiesBytes(next) - policiesBytes(had)
}

func newPolicy(f *robotstxt.File, agents []string) policy {
	p := policy{Policy: f.Agent(agents...)}
	p.delay, _ = p.CrawlDelay()
	for _, agent := range agents {
		p.agents = append(p.agents, strings.Clone(agent)) // it may be a part of much more
	}
	return p
}
