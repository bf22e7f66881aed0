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

// A state is what is known of a site, and what was told about it. It is a note of the store: whatever kills the process,
// the events and what they compare with are there together.
type state struct {
	Told   *Version  `json:"told,omitempty"`   // with which a new answer is compared: the last one that was told, or the first; nil: there was none
	Held   *held     `json:"held,omitempty"`   // a change that is not told yet; nil: there is none
	Down   *down     `json:"down,omitempty"`   // nil: the site is not unreachable
	Briefs []brief   `json:"briefs,omitempty"` // the last ones, the newest last
	Count  int       `json:"count,omitempty"`  // of the events so far
	Events []pending `json:"events,omitempty"` // the last ones, the newest last; all that are not told are here
	Seen   time.Time `json:"seen,omitzero"`    // end of the last retrieval that changed any of the others
}

// held is a change that may be over within the hour.
type held struct {
	Since   time.Time `json:"since"` // when it was first seen
	Version *Version  `json:"version"`
}

// down is a site that is unreachable.
type down struct {
	Since time.Time `json:"since"`           // of the first failure that counts
	Last  time.Time `json:"last"`            // of the last one
	Means string    `json:"means,omitempty"` // what was told that holds; "": nothing was told
}

// brief is a change that was over soon. If it comes again and again, it is not told each time.
type brief struct {
	Old     string    `json:"old"` // SHA-256 of the two, or what they mean
	Between string    `json:"between"`
	Last    time.Time `json:"last"` // when it was last seen
}

// pending is an event, and whether it is still to be told.
type pending struct {
	Event   json.RawMessage `json:"event"`
	Waiting bool            `json:"waiting,omitempty"`

	head Head // of the event
}

// The times of events.
const (
	holdFor        = time.Hour      // a change that is over after this or earlier is Brief
	downFor        = 24 * time.Hour // before Unreachable is told
	maxGap         = 26 * time.Hour // between two failures: after a longer time nobody knows what was between them
	quietFor       = 24 * time.Hour // before the same Brief is told again
	keptEvents     = 16             // that were told
	keptBriefs     = 16
	maxWaiting     = 16 // while so many wait to be told, a site is not looked at: what changes meanwhile is told later, as one change
	compareAtMost  = time.Minute
	formatOfStates = "watch1"
)

// A look is what a look at a site found.
type look struct {
	site    origin.Origin
	cached  bool      // there was no retrieval
	at      time.Time // end of the retrieval, or now if the answer comes from an older one
	next    time.Time // of the next retrieval
	version *Version  // nil: the site is unreachable
	means   string    // if it is unreachable: what holds
	why     string    // if it is unreachable
}

// after returns the state after a look. It is the only place that decides what is told. The error is that of the context.
func (s *state) after(ctx context.Context, c *comparer, l *look) (*state, error) {
	if l.cached && l.at.Before(s.Seen) {
		return s, nil // the process was killed before the record was written of which the state knows
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

// settle tells a change that was held for long enough.
func (s *state) settle(ctx context.Context, c *comparer, l *look) error {
	if s.Held == nil || !l.at.After(s.Held.Since.Add(holdFor)) {
		return nil
	}
	return s.tellHeld(ctx, c, l)
}

// expire tells a change that is held, if after a failure no retrieval within the hour can show that it is over.
func (s *state) expire(ctx context.Context, c *comparer, l *look) error {
	if s.Held == nil || !l.next.After(s.Held.Since.Add(holdFor)) {
		return nil
	}
	return s.tellHeld(ctx, c, l)
}

func (s *state) tellHeld(ctx context.Context, c *comparer, l *look) error {
	change, err := c.between(ctx, s.Told, s.Held.Version)
	if err != nil {
		return err
	}
	s.tell(l, s.Held, change)
	return nil
}

// fail notes that the site is unreachable, and tells that after a day.
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

// recover notes that the site is reachable, and tells that if it was told that it is not.
func (s *state) recover(l *look) {
	if d := s.Down; d != nil && d.Means != "" {
		s.add(l, &Event{Head: Head{What: []What{Reachable}}, Since: new(d.Since), Until: new(l.at)})
	}
	s.Down = nil
}

// compare compares an answer with the one that was told last.
func (s *state) compare(ctx context.Context, c *comparer, l *look) error {
	if s.Told == nil {
		s.Told = l.version
		return nil
	}
	change, err := c.between(ctx, s.Told, l.version)
	switch {
	case err != nil:
		return err
	case change == nil && s.Held != nil:
		err = s.over(ctx, c, l)
		s.Told = s.Told.again(l.version)
	case change == nil:
		s.Told = s.Told.again(l.version)
	default:
		h := &held{l.at, l.version}
		if s.Held != nil {
			h = &held{s.Held.Since, s.Held.Version.again(l.version)}
		}
		s.Held = h
		if l.next.After(h.Since.Add(holdFor)) { // no retrieval within the hour can show that it is over
			s.tell(l, h, change)
		}
	}
	return err
}

// tell adds the event of a change, if it is one.
func (s *state) tell(l *look, h *held, c *change) {
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

// over tells that a change is over.
func (s *state) over(ctx context.Context, c *comparer, l *look) error {
	h := s.Held
	s.Held = nil
	if s.cameBefore(brief{s.Told.key(), h.Version.key(), l.at}, h.Since) {
		return nil
	}
	change, err := c.between(ctx, s.Told, h.Version)
	if err != nil || change == nil {
		return err
	}
	s.add(l, &Event{Head: Head{What: []What{Brief}}, Old: s.Told, New: h.Version, Since: new(h.Since), Until: new(l.at),
		Verdicts: change.verdicts, Managed: change.managed, Preferences: change.preferences})
	return nil
}

// cameBefore notes a change that was over soon, and reports whether the same one was there in the 24 hours before.
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

// key identifies what a version says.
func (v *Version) key() string {
	if v.SHA256 == "" {
		return v.Means
	}
	return v.SHA256
}

// add adds an event that is to be told.
func (s *state) add(l *look, e *Event) {
	s.Count++
	e.Site, e.Time = l.site, l.at
	id := sha256.Sum256(fmt.Appendf(nil, "%s %d %d", e.Site, e.Time.UnixNano(), s.Count))
	e.ID = hex.EncodeToString(id[:10])
	e.Text = e.sentence()
	for _, t := range []*time.Time{&e.Time, e.Since, e.Until} { // as all times in JSON
		if t != nil {
			*t = t.Truncate(time.Second)
		}
	}
	s.Events = append(s.Events, pending{report.AppendJSON(nil, e), true, e.Head})
	s.forgetTold()
}

// forgetTold removes the oldest events that were told.
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

// waiting returns how many events are to be told.
func (s *state) waiting() (n int) {
	for _, p := range s.Events {
		if p.Waiting {
			n++
		}
	}
	return n
}

// first returns the first event that is to be told; nil: there is none.
func (s *state) first() *Message {
	for _, p := range s.Events {
		if p.Waiting {
			return p.message()
		}
	}
	return nil
}

func (p *pending) message() *Message { return &Message{p.head, p.Event, p.Waiting} }

// told notes that an event was told.
func (s *state) told(id string) {
	for i := range s.Events {
		if s.Events[i].head.ID == id {
			s.Events[i].Waiting = false
		}
	}
	s.forgetTold()
}

// bodies are the versions of a state with a text of their own.
func (s *state) bodies() (all []*Version) {
	if s.Told != nil {
		all = append(all, s.Told)
	}
	if s.Held != nil {
		all = append(all, s.Held.Version)
	}
	return all
}

// encode returns the state as a note: one line of JSON, then the bodies of its versions.
func (s *state) encode() []byte {
	note := append([]byte(formatOfStates+" "), report.AppendJSON(nil, s)...)
	note = append(note, '\n')
	for _, v := range s.bodies() {
		note = append(note, v.body...)
	}
	return note
}

var errWrongState = errors.New("what was told about it cannot be read")

// decode reads what encode returns. An empty note is a site of which nothing is known.
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
