package cache

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/redirect"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/usage"
)

// An entry contains what a Cache keeps in memory about an origin: the record, and what was computed from it.
type entry struct {
	record *Record // as it is in the store
	seen   *Record // what the record means with the HTTP statuses of this Cache; see seenRecord
	// ownFailure is the last retrieval, if that retrieval failed because of our own machine or network. In
	// all other cases, ownFailure is nil.
	ownFailure *fetch.Result
	// refusals is the number of failures in a row because Heed must not use the address or the port of the site.
	refusals int

	state      atomic.Pointer[state]        // nil until it is computed
	policies   atomic.Pointer[policy]       // the newest compiled policy, with a link to the older ones
	uses       atomic.Pointer[usage.Robots] // nil until it is needed
	sum        atomic.Pointer[string]       // of seen.Copy, in hexadecimal; nil until it is computed
	lastID     atomic.Pointer[siteID]
	refreshing atomic.Bool

	size atomic.Int64
	mu   sync.Mutex      // guards file; must also be held to change policies or size
	file *robotstxt.File // parsed from seen.Copy; nil until it is needed
}

func (v *view) newEntry(r *Record) *entry {
	e := &entry{record: r, seen: v.seenRecord(r)}
	e.size.Store(int64(entryBytes(e)))
	return e
}

// The record stays as before, because a failure on our side says nothing about the origin (see fetch.FailureKind.Ours).
func (v *view) newOwnFailureEntry(before *entry, failed *fetch.Result) *entry {
	e := v.newEntry(before.record)
	e.ownFailure = failed
	if failureKind(failed).Refused() {
		e.refusals = before.refusals + 1
	}
	e.size.Store(int64(entryBytes(e)))
	return e
}

func (e *entry) lastEnd() time.Time {
	if e.ownFailure != nil {
		return e.ownFailure.End
	}
	return e.record.lastEnd()
}

func (set *settings) stateOf(e *entry, now time.Time) *state {
	if s := e.state.Load(); s != nil && now.Before(s.end) && !now.Before(s.start) {
		return s
	}
	s := set.state(e.seen, now)
	if e.ownFailure != nil {
		s = set.ownFailureState(s, e, now)
	}
	s.start = e.lastEnd()
	s.answer = set.baseAnswer(&s, e)
	e.state.Store(&s)
	return &s
}

// The Answer has no Decision, Age and CrawlDelay yet. The rest is equal for all crawlers and URLs of the origin.
func (set *settings) baseAnswer(s *state, e *entry) Answer {
	a := Answer{
		Origin:        e.record.Origin,
		Outcome:       s.outcome,
		Stale:         s.stale,
		FailingSince:  e.seen.FailingSince,
		LastFailure:   cmp.Or(e.ownFailure, e.seen.Failed),
		NextRetrieval: s.due,
		Err:           ErrNotCached,
	}
	if r := s.result; r != nil {
		a.Status, a.Page, a.Err, a.Fetched = r.Status, r.Page, set.errorOf(r), r.End
		if len(r.Hops) > 1 {
			a.RedirectedTo = r.Hops[len(r.Hops)-1].URL
		}
	}
	return a
}

func (v *view) errorOf(r *fetch.Result) error {
	if failureKind(r).Ours() {
		return r.Err
	}
	return cmp.Or(redirect.CheckNumber(r.Redirects(), v.statuses.MaxRedirects), r.Err)
}

// A fixedAnswer allows or disallows everything, for example because there is no robots.txt.
type fixedAnswer struct {
	file   *robotstxt.File
	policy policy
}

// The index is the outcome; for fetch.Rules there is no answer.
type fixedFiles [fetch.Restricted + 1]fixedAnswer

func newFixed(d *robotstxt.Dialect) *fixedFiles {
	var all fixedFiles
	for o, f := range map[fetch.Outcome]*robotstxt.File{
		fetch.Unavailable: robotstxt.AllowAll(robotstxt.Unavailable, d),
		fetch.Restricted:  robotstxt.DisallowAll(robotstxt.Restricted, d),
		fetch.Unreachable: robotstxt.DisallowAll(robotstxt.Unreachable, d),
	} {
		all[o] = fixedAnswer{f, policy{Policy: f.Agent()}}
	}
	return &all
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

type siteID struct {
	retrieval *fetch.Result
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

// grow calls the function change while it holds e.mu. After the call, grow computes the size of the entry again, because the
// entry may be larger.
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

// The caller must hold e.mu.
func (set *settings) parsedFile(e *entry) *robotstxt.File {
	if e.file == nil {
		e.file = e.seen.Copy.FileBy(set.statuses, set.dialect)
	}
	return e.file
}
