package cache

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/usage"
)

// An entry contains what a Cache keeps in memory about an origin: the record, and what was computed from it.
type entry struct {
	record *Record // the record, as it is in the store
	seen   *Record // the record as seenRecord returns it, for the HTTP statuses of this Cache
	// ourFailure is the last retrieval, if it failed on our side, for example because of a missing route; otherwise
	// nil.
	ourFailure *fetch.Result
	// refusals counts the retrievals in a row that failed because Heed must not use the address or the port.
	refusals int

	state      atomic.Pointer[state]        // the state that was computed last; nil if none was computed yet
	policies   atomic.Pointer[policy]       // the list of compiled policies
	uses       atomic.Pointer[usage.Robots] // what the robots.txt says about the use of content; nil until somebody asks
	sum        atomic.Pointer[string]       // the SHA-256 of seen.Copy, in hexadecimal; nil until it is computed
	lastID     atomic.Pointer[siteID]       // the ID that Site.ID computed last, with its retrieval; nil if there is none
	refreshing atomic.Bool                  // a retrieval in the background is under way

	size atomic.Int64    // the size of the entry in bytes
	mu   sync.Mutex      // guards file; must also be held to change policies or size
	file *robotstxt.File // the parsed seen.Copy; nil until it is parsed
}

func (v *view) newEntry(r *Record) *entry {
	e := &entry{record: r, seen: v.seenRecord(r)}
	e.size.Store(int64(entryBytes(e)))
	return e
}

// newAfterOurs returns the entry of an origin after a retrieval that failed on our side (see fetch.FailureKind.Ours). The
// record stays the same.
func (v *view) newAfterOurs(before *entry, ours *fetch.Result) *entry {
	e := v.newEntry(before.record)
	e.ourFailure = ours
	if failureKind(ours).Refused() {
		e.refusals = before.refusals + 1
	}
	e.size.Store(int64(entryBytes(e)))
	return e
}

func (e *entry) lastEnd() time.Time {
	if e.ourFailure != nil {
		return e.ourFailure.End
	}
	return e.record.lastEnd()
}

// stateOf returns the state of an entry at the given time. The last state is kept while it is valid.
func (set *settings) stateOf(e *entry, now time.Time) *state {
	if s := e.state.Load(); s != nil && now.Before(s.end) && !now.Before(s.start) {
		return s
	}
	s := set.state(e.seen, now)
	if e.ourFailure != nil {
		s = set.afterOurs(s, e, now)
	}
	s.start = e.lastEnd()
	s.answer = s.answerOf(e)
	e.state.Store(&s)
	return &s
}

// answerOf returns what all answers about an entry in this state have in common: everything except the Decision, the Age and
// the CrawlDelay.
func (s *state) answerOf(e *entry) Answer {
	a := Answer{
		Origin:        e.record.Origin,
		Outcome:       s.outcome,
		Stale:         s.stale,
		FailingSince:  e.seen.FailingSince,
		LastFailure:   cmp.Or(e.ourFailure, e.seen.Failed),
		NextRetrieval: s.due,
		Err:           ErrNotCached,
	}
	if r := s.result; r != nil {
		a.Status, a.Page, a.Err, a.Fetched = r.Status, r.Page, r.Err, r.End
		if len(r.Hops) > 1 {
			a.RedirectedTo = r.Hops[len(r.Hops)-1].URL
		}
	}
	return a
}

// A fixedAnswer contains a file without rules, for an outcome such as fetch.Unavailable. It allows or disallows everything.
type fixedAnswer struct {
	file   *robotstxt.File
	policy policy // the policy of this file, which is the same for every crawler
}

// fixedFiles contains a file for each outcome other than fetch.Rules. The index is the outcome.
type fixedFiles [fetch.Restricted + 1]fixedAnswer

func newFixed(d *robotstxt.Dialect) *fixedFiles {
	var all fixedFiles
	for _, o := range []fetch.Outcome{fetch.Unavailable, fetch.Restricted, fetch.Unreachable} {
		f := fixedFile(o, d)
		all[o] = fixedAnswer{f, policy{Policy: f.Agent()}}
	}
	return &all
}

func fixedFile(o fetch.Outcome, d *robotstxt.Dialect) *robotstxt.File {
	switch o {
	case fetch.Unavailable:
		return robotstxt.AllowAll(robotstxt.Unavailable, d)
	case fetch.Restricted:
		return robotstxt.DisallowAll(robotstxt.Restricted, d)
	}
	return robotstxt.DisallowAll(robotstxt.Unreachable, d)
}

// A policy is the compiled policy of a crawler, in a linked list with the newest first. Policies in the list do not change,
// so readers need no lock.
type policy struct {
	*robotstxt.Policy
	delay  time.Duration // the crawl delay that the robots.txt asks for
	agents []string      // the product tokens of the crawler
	older  *policy       // the policy that was compiled before this one; nil if there is none
	length int           // the number of policies from this one to the end of the list
}

func (c *Cache) policyFor(e *entry, agents []string) *policy {
	if p := e.keptPolicy(agents); p != nil {
		return p
	}
	return c.compile(e, agents)
}

// compile adds the policy of a crawler to the list, unless another goroutine has just done it.
func (c *Cache) compile(e *entry, agents []string) (p *policy) {
	c.grow(e, func() {
		if p = e.keptPolicy(agents); p == nil {
			p = newPolicy(c.settings.parsedFile(e), agents)
			e.keep(p, c.settings.policyBytes)
		}
	})
	return p
}

func (c *Cache) usageFor(e *entry, agents []string) *usage.Policy {
	uses := e.uses.Load()
	if uses == nil {
		c.grow(e, func() {
			if e.uses.Load() == nil {
				e.uses.Store(usage.Read(c.settings.parsedFile(e)))
			}
		})
		uses = e.uses.Load()
	}
	before := uses.Size()
	policy := uses.For(usage.Options{}, agents...)
	if uses.Size() != before {
		c.grow(e, func() {})
	}
	return policy
}

func (c *Cache) fileOf(e *entry) (f *robotstxt.File) {
	c.grow(e, func() { f = c.settings.parsedFile(e) })
	return f
}

func (c *Cache) sumOf(e *entry) string {
	sum := e.seen.Copy.SHA256()
	c.grow(e, func() { e.sum.Store(&sum) })
	return sum
}

// A siteID keeps the result of Site.ID for one retrieval.
type siteID struct {
	retrieval *fetch.Result // nil if nothing was fetched
	id        string
}

func (c *Cache) computeID(s *Site) string {
	text := strings.Join([]string{s.Origin().String(), c.settings.dialect.String(), s.SHA256(), ""}, " ")
	var ended time.Time
	if r := s.Result(); r != nil {
		ended = r.End
	}
	sum := sha256.Sum256(binary.BigEndian.AppendUint64([]byte(text), uint64(ended.UnixNano())))
	id := base64.RawURLEncoding.EncodeToString(sum[:16])
	c.grow(s.entry, func() { s.entry.lastID.Store(&siteID{s.Result(), id}) })
	return id
}

// grow calls change, which may make the entry larger, and computes the size of the entry again. It holds e.mu while change
// runs.
func (c *Cache) grow(e *entry, change func()) {
	e.mu.Lock()
	change()
	now := int64(entryBytes(e))
	before := e.size.Swap(now)
	e.mu.Unlock()
	if now != before {
		c.memory.weigh(e.record.Origin, e)
	}
}

// parsedFile returns the robots.txt of an entry, and parses it at the first call. Call it only inside grow, which holds e.mu.
func (set *settings) parsedFile(e *entry) *robotstxt.File {
	if e.file == nil {
		e.file = e.seen.Copy.FileBy(set.statuses, set.dialect)
	}
	return e.file
}

func (e *entry) keptPolicy(agents []string) *policy {
	for p := e.policies.Load(); p != nil; p = p.older {
		if slices.Equal(p.agents, agents) {
			return p
		}
	}
	return nil
}

// maxPolicies limits the list of policies. To find a policy in such a list takes less time than to compile it again.
const maxPolicies = 128

// keep adds a policy to the list. If the list would have too many policies or bytes, the new policy begins a new list,
// without the older policies. The caller holds e.mu.
func (e *entry) keep(p *policy, maxBytes int) {
	p.length = 1
	older := e.policies.Load()
	if older != nil && older.length < maxPolicies && policiesBytes(older)+policyBytes(p) <= maxBytes {
		p.older, p.length = older, older.length+1
	}
	e.policies.Store(p)
}

func newPolicy(f *robotstxt.File, agents []string) *policy {
	p := &policy{agents: make([]string, len(agents))}
	for i, agent := range agents {
		// The agent may be a part of a large string, which would stay in memory without this copy.
		p.agents[i] = strings.Clone(agent)
	}
	p.Policy = f.Agent(p.agents...)
	p.delay, _ = p.CrawlDelay()
	return p
}
