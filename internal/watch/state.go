package watch

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/origin"
)

// A state is what heed knows about a site, together with the site's events. The state and the events are stored at the same
// time, so they always agree.
type state struct {
	Told   *Version    `json:"told,omitempty"`   // the version of the last event, or the first version; each new answer is compared with it; nil: there was no answer yet
	Held   *heldChange `json:"held,omitempty"`   // a change that waits before it is reported; nil: none
	Down   *down       `json:"down,omitempty"`   // since when the site is unreachable; nil: the site is reachable
	Briefs []brief     `json:"briefs,omitempty"` // the last changes that were soon over, the newest last
	Count  int         `json:"count,omitempty"`  // number of events so far
	Events []pending   `json:"events,omitempty"` // all events that were not sent yet, and the last sent ones; the newest last
	Seen   time.Time   `json:"seen,omitzero"`    // the end of the last retrieval that changed Told, Held, Down or Count
}

// A heldChange is a change that is not reported for an hour, because the old version may come back in this time.
type heldChange struct {
	Since   time.Time `json:"since"` // when heed first found the change
	Version *Version  `json:"version"`
}

type down struct {
	Since time.Time `json:"since"`           // the time of the first failure; see maxGap
	Last  time.Time `json:"last"`            // the time of the last failure
	Means string    `json:"means,omitempty"` // what the last event said that the failures mean for crawlers; "": there was no event
}

// brief is a change after which the old version soon came back. The same change is reported only once a day.
type brief struct {
	Old     string    `json:"old"`     // the key of the version before and after the change
	Between string    `json:"between"` // the key of the version that was there for a short time
	Last    time.Time `json:"last"`    // when the version Between was last seen
}

type pending struct {
	Event   json.RawMessage `json:"event"`
	Waiting bool            `json:"waiting,omitempty"`

	head Head // the Head of Event
}

const (
	holdFor = time.Hour      // a change that is over within this time is Brief
	downFor = 24 * time.Hour // a site is reported as Unreachable after this time
	// If the time between two failures is longer than maxGap, the site may have been reachable between them.
	maxGap     = 26 * time.Hour
	quietFor   = 24 * time.Hour // the same Brief is reported again only after this time
	keptEvents = 16             // number of sent events that are kept
	keptBriefs = 16
	// maxWaiting limits the unsent events of a site. If a site has so many unsent events, heed ignores what changes until
	// an event was sent, and then reports all these changes as one event.
	maxWaiting     = 16
	compareAtMost  = time.Minute
	formatOfStates = "watch1"
)

type look struct {
	site    origin.Origin
	cached  bool      // the answer comes from the cache, without a retrieval
	at      time.Time // the end of the retrieval; the current time if the look made no retrieval
	next    time.Time // when the next retrieval is due
	version *Version  // what the site answered; nil: the site is unreachable
	means   string    // if the site is unreachable: what this means for crawlers
	why     string    // if the site is unreachable: the cause
}

// nextState returns the state after a look, with new events. It returns an error only if ctx ends.
func (s *state) nextState(ctx context.Context, c *comparer, l *look) (*state, error) {
	if l.cached && l.at.Before(s.Seen) {
		return s, nil // the state is newer than the cached copy, because the process was killed before the cache stored its record
	}
	next := *s
	next.Events = append([]pending(nil), s.Events...)
	if err := next.see(ctx, c, l); err != nil {
		return nil, err
	}
	if next.Told != s.Told || next.Held != s.Held || next.Down != s.Down || next.Count != s.Count {
		next.Seen = l.at
	}
	return &next, nil
}

func (s *state) see(ctx context.Context, c *comparer, l *look) error {
	if err := s.settle(ctx, c, l); err != nil {
		return err
	}
	if l.version == nil {
		if err := s.expire(ctx, c, l); err != nil {
			return err
		}
		s.fail(l)
		return nil
	}
	s.recover(l)
	return s.compare(ctx, c, l)
}

// settle reports the held change if it is older than an hour. A held change waits, because the old version may come
// back.
func (s *state) settle(ctx context.Context, c *comparer, l *look) error {
	if s.Held == nil || !l.at.After(s.Held.Since.Add(holdFor)) {
		return nil
	}
	return s.tellHeld(ctx, c, l)
}

// expire is called after a failed retrieval. If the next retrieval is too late to show that the held change was brief,
// expire reports the held change.
func (s *state) expire(ctx context.Context, c *comparer, l *look) error {
	if s.Held == nil || !l.next.After(s.Held.Since.Add(holdFor)) {
		return nil
	}
	return s.tellHeld(ctx, c, l)
}

func (s *state) tellHeld(ctx context.Context, c *comparer, l *look) error {
	change, err := c.changeBetween(ctx, s.Told, s.Held.Version)
	if err != nil {
		return err
	}
	s.tell(l, s.Held, change)
	return nil
}

// fail records that the site is unreachable. It adds an event if the site has been unreachable for a day.
func (s *state) fail(l *look) {
	d := down{Since: l.at}
	if was := s.Down; was != nil && (was.Means != "" || l.at.Sub(was.Last) <= maxGap && !l.at.Before(was.Since)) {
		d = *was
	}
	d.Last = l.at
	s.Down = &d
	if l.means == d.Means || d.Means == "" && l.at.Sub(d.Since) < downFor {
		return
	}
	d.Means = l.means
	s.add(l, &Event{Head: Head{What: []What{Unreachable}, Severity: High}, Since: new(d.Since), Means: l.means, Why: l.why})
}

// recover records that the site is reachable. It adds an event if there was an event that the site was unreachable.
func (s *state) recover(l *look) {
	if d := s.Down; d != nil && d.Means != "" {
		s.add(l, &Event{Head: Head{What: []What{Reachable}}, Since: new(d.Since), Until: new(l.at)})
	}
	s.Down = nil
}

func (s *state) compare(ctx context.Context, c *comparer, l *look) error {
	if s.Told == nil {
		s.Told = l.version
		return nil
	}
	change, err := c.changeBetween(ctx, s.Told, l.version)
	switch {
	case err != nil:
		return err
	case change == nil && s.Held != nil:
		err = s.endHeld(ctx, c, l)
		s.Told = s.Told.versionToKeep(l.version)
	case change == nil:
		s.Told = s.Told.versionToKeep(l.version)
	default:
		h := &heldChange{l.at, l.version}
		if s.Held != nil {
			h = &heldChange{s.Held.Since, s.Held.Version.versionToKeep(l.version)}
		}
		s.Held = h
		if l.next.After(h.Since.Add(holdFor)) { // the next retrieval is too late to show that the change is Brief
			s.tell(l, h, change)
		}
	}
	return err
}

// tell adds an event for the held change h. If c is nil, the change means nothing for crawlers, and tell adds no event.
func (s *state) tell(l *look, h *heldChange, c *change) {
	if c != nil {
		e := &Event{Head: Head{What: c.what, Severity: c.severity}, Old: s.Told, New: h.Version, Since: new(h.Since),
			Managed: c.managed, Preferences: c.preferences}
		if e.Has(VerdictsChanged) {
			e.Verdicts = c.verdicts
		}
		s.add(l, e)
	}
	s.Told, s.Held = h.Version, nil
}

// endHeld is called when the site has the old version again. It adds a Brief event, unless the same change was already
// there in the last 24 hours.
func (s *state) endHeld(ctx context.Context, c *comparer, l *look) error {
	h := s.Held
	s.Held = nil
	if s.cameBefore(brief{s.Told.key(), h.Version.key(), l.at}, h.Since) {
		return nil
	}
	change, err := c.changeBetween(ctx, s.Told, h.Version)
	if err != nil || change == nil {
		return err
	}
	s.add(l, &Event{Head: Head{What: []What{Brief}}, Old: s.Told, New: h.Version, Since: new(h.Since), Until: new(l.at),
		Verdicts: change.verdicts, Managed: change.managed, Preferences: change.preferences})
	return nil
}

// cameBefore records a brief change. It reports whether the same change came in the 24 hours before.
func (s *state) cameBefore(this brief, since time.Time) (came bool) {
	var kept []brief
	for _, b := range s.Briefs {
		switch {
		case b.Old == this.Old && b.Between == this.Between:
			came = since.Sub(b.Last) < quietFor
		case this.Last.Sub(b.Last) < quietFor+holdFor:
			kept = append(kept, b)
		}
	}
	kept = append(kept, this)
	s.Briefs = kept[max(0, len(kept)-keptBriefs):]
	return came
}

func (v *Version) key() string {
	if v.SHA256 == "" {
		return v.Means
	}
	return v.SHA256
}

func (s *state) add(l *look, e *Event) {
	s.Count++
	e.Site, e.Time = l.site, l.at
	id := sha256.Sum256(fmt.Appendf(nil, "%s %d %d", e.Site, e.Time.UnixNano(), s.Count))
	e.ID = hex.EncodeToString(id[:10])
	e.Text = e.sentence()
	for _, t := range []*time.Time{&e.Time, e.Since, e.Until} { // the same form as all times in JSON
		if t != nil {
			*t = t.Truncate(time.Second)
		}
	}
	s.Events = append(s.Events, pending{report.AppendJSON(nil, e), true, e.Head})
	s.forgetTold()
}

// forgetTold removes the oldest of the events that were sent. It keeps at most keptEvents of them.
func (s *state) forgetTold() {
	extra := len(s.Events) - s.waiting() - keptEvents
	kept := s.Events[:0:0]
	for _, p := range s.Events {
		if extra > 0 && !p.Waiting {
			extra--
			continue
		}
		kept = append(kept, p)
	}
	s.Events = kept
}

func (s *state) waiting() (n int) {
	for _, p := range s.Events {
		if p.Waiting {
			n++
		}
	}
	return n
}

func (s *state) first() *Message {
	for _, p := range s.Events {
		if p.Waiting {
			return p.message()
		}
	}
	return nil
}

func (p *pending) message() *Message { return &Message{p.head, p.Event, p.Waiting} }

func (s *state) told(id string) {
	for i := range s.Events {
		if s.Events[i].head.ID == id {
			s.Events[i].Waiting = false
		}
	}
	s.forgetTold()
}

func (s *state) bodies() (all []*Version) {
	if s.Told != nil {
		all = append(all, s.Told)
	}
	if s.Held != nil {
		all = append(all, s.Held.Version)
	}
	return all
}

// encode returns the state as a note: one line of JSON, followed by the bodies of its versions.
func (s *state) encode() []byte {
	note := append([]byte(formatOfStates+" "), report.AppendJSON(nil, s)...)
	note = append(note, '\n')
	for _, v := range s.bodies() {
		note = append(note, v.body...)
	}
	return note
}

var errWrongState = errors.New("heed cannot read in the store what it has already reported about this site")

// decode reads a note that encode has made. An empty note gives an empty state.
func decode(note []byte) (*state, error) {
	s := &state{}
	if len(note) == 0 {
		return s, nil
	}
	head, rest, _ := bytes.Cut(note, []byte("\n"))
	head, ours := bytes.CutPrefix(head, []byte(formatOfStates+" "))
	if !ours {
		return nil, fmt.Errorf("%w: another version of heed wrote it", errWrongState)
	}
	if err := json.Unmarshal(head, s); err != nil {
		return nil, fmt.Errorf("%w: %v", errWrongState, err)
	}
	for i := range s.Events {
		if err := json.Unmarshal(s.Events[i].Event, &s.Events[i].head); err != nil {
			return nil, fmt.Errorf("%w: %v", errWrongState, err)
		}
	}
	for _, v := range s.bodies() {
		if v.Bytes < 0 || v.Bytes > len(rest) {
			return nil, fmt.Errorf("%w: it is cut off", errWrongState)
		}
		v.body, rest = rest[:v.Bytes:v.Bytes], rest[v.Bytes:]
	}
	return s, nil
}
