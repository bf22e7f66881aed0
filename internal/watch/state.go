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

// A state is stored together with the events that are not sent yet. So no event is lost if the process is killed.
type state struct {
	Told   *Version    `json:"told,omitempty"`   // new answers are compared with this version; nil if there was no answer yet
	Held   *heldChange `json:"held,omitempty"`   // a change that is not reported yet, because it may soon be over; may be nil
	Down   *down       `json:"down,omitempty"`   // nil if the site is reachable
	Briefs []brief     `json:"briefs,omitempty"` // the newest last
	Count  int         `json:"count,omitempty"`  // events so far
	Events []pending   `json:"events,omitempty"` // those not sent yet, and the last ones that were sent; the newest last
	Seen   time.Time   `json:"seen,omitzero"`    // the end of the last retrieval that changed the state
}

// A held change is not reported for an hour, because the old version may come back.
type heldChange struct {
	Since   time.Time `json:"since"`
	Version *Version  `json:"version"`
}

type down struct {
	Since time.Time `json:"since"`           // the first failure
	Last  time.Time `json:"last"`            // the last failure
	Means string    `json:"means,omitempty"` // Event.Means of the last event; "" if there was none
}

// A brief change was over within an hour. The same change is reported only once a day.
type brief struct {
	Old     string    `json:"old"`     // Version.key of the version before, which came back
	Between string    `json:"between"` // Version.key of the version that was soon over
	Last    time.Time `json:"last"`    // when Between was last seen
}

type pending struct {
	Event   json.RawMessage `json:"event"`
	Waiting bool            `json:"waiting,omitempty"`

	head Head // a part of Event
}

const (
	holdFor = time.Hour      // a change that is over within this time is Brief
	downFor = 24 * time.Hour // a site that is unreachable for this time is Unreachable
	// If two failures are further apart, the site may have been reachable between them.
	maxGap     = 26 * time.Hour
	quietFor   = 24 * time.Hour // the same Brief is reported only after this time again
	keptEvents = 16             // events that are kept after they were sent
	keptBriefs = 16
	// A site with so many unsent events is no longer compared. Later, one event has all changes since then.
	maxWaiting     = 16
	compareAtMost  = time.Minute
	formatOfStates = "watch1"
)

type look struct {
	site    origin.Origin
	cached  bool      // from the cache, without a retrieval
	time    time.Time // the end of the retrieval, or the current time if there was none
	next    time.Time // when the next retrieval is due
	version *Version  // nil if the site is unreachable
	means   string    // if the site is unreachable: what this means for crawlers
	why     string    // if the site is unreachable: the failure
}

// nextState returns an error only if ctx ends.
func (s *state) nextState(ctx context.Context, c *comparer, l *look) (*state, error) {
	if l.cached && l.time.Before(s.Seen) {
		return s, nil // the process was killed after the state was stored, and before the cache stored its copy
	}
	next := *s
	next.Events = append([]pending(nil), s.Events...)
	if err := next.see(ctx, c, l); err != nil {
		return nil, err
	}
	if next.Told != s.Told || next.Held != s.Held || next.Down != s.Down || next.Count != s.Count {
		next.Seen = l.time
	}
	return &next, nil
}

func (s *state) see(ctx context.Context, c *comparer, l *look) error {
	if h := s.Held; h != nil && l.time.Before(h.Since) { // a clock was set back
		s.Held = &heldChange{l.time, h.Version}
	}
	if err := s.settle(ctx, c, l, l.time); err != nil {
		return err
	}
	if l.version == nil {
		// The held change is settled here, because the next retrieval may come too late to show that this change lasted
		// only a short time.
		if err := s.settle(ctx, c, l, l.next); err != nil {
			return err
		}
		s.fail(l)
		return nil
	}
	s.recover(l)
	return s.compare(ctx, c, l)
}

// If the held change is older than an hour at the time now, settle reports it.
func (s *state) settle(ctx context.Context, c *comparer, l *look, now time.Time) error {
	if s.Held == nil || !now.After(s.Held.Since.Add(holdFor)) {
		return nil
	}
	change, err := c.changeBetween(ctx, s.Told, s.Held.Version)
	if err != nil {
		return err
	}
	s.tell(l, s.Held, change)
	return nil
}

func (s *state) fail(l *look) {
	d := down{Since: l.time}
	if was := s.Down; was != nil && (was.Means != "" || l.time.Sub(was.Last) <= maxGap && !l.time.Before(was.Since)) {
		d = *was
	}
	d.Last = l.time
	s.Down = &d
	if l.means == d.Means || d.Means == "" && l.time.Sub(d.Since) < downFor {
		return
	}
	d.Means = l.means
	s.add(l, &Event{Head: Head{What: []What{Unreachable}, Severity: High}, Since: new(d.Since), Means: l.means, Why: l.why})
}

func (s *state) recover(l *look) {
	if d := s.Down; d != nil && d.Means != "" {
		s.add(l, &Event{Head: Head{What: []What{Reachable}}, Since: new(d.Since), Until: new(l.time)})
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
		h := &heldChange{l.time, l.version}
		if s.Held != nil {
			h = &heldChange{s.Held.Since, s.Held.Version.versionToKeep(l.version)}
		}
		s.Held = h
		if l.next.After(h.Since.Add(holdFor)) { // the next retrieval is too late to show that the change is soon over
			s.tell(l, h, change)
		}
	}
	return err
}

// If c is nil, the change means nothing for crawlers. Then there is no event.
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

func (s *state) endHeld(ctx context.Context, c *comparer, l *look) error {
	h := s.Held
	s.Held = nil
	if s.cameBefore(brief{s.Told.key(), h.Version.key(), l.time}, h.Since) {
		return nil
	}
	change, err := c.changeBetween(ctx, s.Told, h.Version)
	if err != nil || change == nil {
		return err
	}
	s.add(l, &Event{Head: Head{What: []What{Brief}}, Old: s.Told, New: h.Version, Since: new(h.Since), Until: new(l.time),
		Verdicts: change.verdicts, Managed: change.managed, Preferences: change.preferences})
	return nil
}

func (s *state) cameBefore(this brief, since time.Time) (came bool) {
	var kept []brief
	for _, b := range s.Briefs {
		switch {
		case b.Old == this.Old && b.Between == this.Between:
			came = since.Sub(b.Last) < quietFor && !since.Before(b.Last)
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
	e.Site, e.Time = l.site, l.time
	id := sha256.Sum256(fmt.Appendf(nil, "%s %d %d", e.Site, e.Time.UnixNano(), s.Count))
	e.ID = hex.EncodeToString(id[:10])
	e.Text = e.sentence()
	for _, t := range []*time.Time{&e.Time, e.Since, e.Until} {
		if t != nil {
			*t = t.Truncate(time.Second)
		}
	}
	s.Events = append(s.Events, pending{report.AppendJSON(nil, e), true, e.Head})
	s.forgetTold()
}

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

// A note is one line of JSON, followed by the bodies of the versions.
func (s *state) encode() []byte {
	note := append([]byte(formatOfStates+" "), report.AppendJSON(nil, s)...)
	note = append(note, '\n')
	for _, v := range s.bodies() {
		note = append(note, v.body...)
	}
	return note
}

var errWrongState = errors.New("heed cannot read its note about this site in the store, so it treats the next answer of the site as the first")

func decode(note []byte) (*state, error) {
	s := &state{}
	if len(note) == 0 {
		return s, nil
	}
	head, rest, _ := bytes.Cut(note, []byte("\n"))
	head, ours := bytes.CutPrefix(head, []byte(formatOfStates+" "))
	if !ours {
		return nil, fmt.Errorf("%w: another version of heed wrote the note", errWrongState)
	}
	if err := json.Unmarshal(head, s); err != nil {
		return nil, fmt.Errorf("%w: %v", errWrongState, err)
	}
	for i := range s.Events {
		if err := json.Unmarshal(s.Events[i].Event, &s.Events[i].head); err != nil {
			return nil, fmt.Errorf("%w: %v", errWrongState, err)
		}
	}
	if h := s.Held; h != nil && (h.Version == nil || s.Told == nil) {
		return nil, fmt.Errorf("%w: a version is missing", errWrongState)
	}
	for _, v := range s.bodies() {
		if v.Bytes < 0 || v.Bytes > len(rest) {
			return nil, fmt.Errorf("%w: the end of the note is missing", errWrongState)
		}
		v.body, rest = rest[:v.Bytes:v.Bytes], rest[v.Bytes:]
	}
	return s, nil
}
