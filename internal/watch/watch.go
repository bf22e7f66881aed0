package watch

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"iter"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// A Watch reports changes of the robots.txt of sites. Its fields must not change after Run is called.
type Watch struct {
	Cache    *cache.Cache // fetches the robots.txt files; must use the same store as Notes
	Notes    cache.Noter  // stores which events were sent; no other Watch may use the same notes
	Dialect  *robotstxt.Dialect
	Table    *crawlers.Table // nil means crawlers.Known()
	Crawlers [][]string      // the crawlers whose changes are reported, each as its product tokens; empty: all crawlers

	Refresh bool // Once fetches each robots.txt again, even if its copy is fresh

	// Wants decides which events are sent. If it is nil, all events are sent.
	Wants func(*Head) bool
	// Tell sends an event. After an error, it is called again later. Events of one site come in order.
	Tell func(context.Context, *Message) error
	// Trouble is called after a failure, if the Watch will try again. It may be nil.
	Trouble func(origin.Origin, error)

	Now func() time.Time // nil means time.Now
	// After is like time.After, but uses the clock Now; nil means time.After.
	After func(time.Duration) <-chan time.Time

	once      sync.Once
	comparer  comparer
	comparing *semaphore.Weighted
	looks     *schedule
	outbox    *schedule
	unmarked  sync.Map        // the IDs of events that were sent, but whose note is not stored yet
	locks     [256]sync.Mutex // locks for the notes; a hash of the origin is the index
	seed      maphash.Seed
	working   sync.WaitGroup
	looked    atomic.Int64
}

const noteName = "watch"

// At most maxLooks looks are made at the same time, and at most maxTells calls of Tell.
const (
	maxLooks = 64
	maxTells = 4
)

// Pauses after failures that have another cause than the site, such as an error of the store.
const (
	firstRetry = time.Second // the pause before heed sends an event again; the pause doubles with each failure, up to lastRetry
	lastRetry  = time.Hour
	lookRetry  = time.Minute // the pause before heed looks at the site again
)

// spread is the time between the first retrievals of two new sites. Without this pause, all sites would be due at the same
// time each day.
const spread, day = time.Second, 24 * time.Hour

// Run watches the sites of the last received list until ctx ends. It also sends unsent events of earlier processes.
func (w *Watch) Run(ctx context.Context, lists <-chan []origin.Origin) {
	w.once.Do(w.begin)
	w.working.Go(func() { w.looks.run(ctx, w, maxLooks, w.lookAtSite) })
	w.working.Go(func() { w.outbox.run(ctx, w, maxTells, w.tell) })
	w.working.Go(func() { w.findWaiting(ctx, w.trouble) })
	for {
		select {
		case <-ctx.Done():
			w.working.Wait()
			return
		case list := <-lists:
			w.arrange(ctx, list)
		}
	}
}

// Once looks at each site whose copy is old, and tries to send each event, even if the change may be brief. told is the
// number of events that were sent, and failed is the number of sites with a failure. due is the earliest time at which a
// copy will be old; it is zero if there is no copy.
func (w *Watch) Once(ctx context.Context, list []origin.Origin) (told, failed int, due time.Time) {
	w.once.Do(w.begin)
	wrong := map[origin.Origin]bool{}
	var mu sync.Mutex // guards wrong and due
	fail := func(o origin.Origin, err error) {
		w.trouble(o, err)
		mu.Lock()
		defer mu.Unlock()
		wrong[o] = true
	}
	slots := semaphore.NewWeighted(maxLooks)
	var working sync.WaitGroup
	for _, o := range list {
		if slots.Acquire(ctx, 1) != nil {
			break
		}
		working.Go(func() {
			defer slots.Release(1)
			w.looked.Add(1)
			next, err := w.lookAt(ctx, o, way{w.siteOfToday, false, false})
			if err != nil {
				fail(o, err)
			}
			mu.Lock()
			defer mu.Unlock()
			if !next.IsZero() && (due.IsZero() || next.Before(due)) {
				due = next
			}
		})
	}
	working.Wait()
	w.findWaiting(ctx, fail)
	for _, o := range w.outbox.all() {
		for ctx.Err() == nil {
			if s, err := w.load(ctx, o); err == nil && s.first() == nil {
				break
			}
			if again := w.tell(ctx, o, 0); !again.IsZero() {
				wrong[o] = true
				break
			}
			told++
		}
	}
	if len(wrong) > 1 {
		delete(wrong, origin.Origin{}) // an error about the list of notes belongs to no site
	}
	return told, len(wrong), due
}

func (w *Watch) begin() {
	if w.Now == nil {
		w.Now = time.Now
	}
	if w.After == nil {
		w.After = time.After
	}
	w.looks, w.outbox = newSchedule(), newSchedule()
	w.seed = maphash.MakeSeed()
	w.comparer = comparer{w.Dialect, w.Table, w.Crawlers, compareAtMost}
	w.comparing = semaphore.NewWeighted(int64(runtime.GOMAXPROCS(0)))
}

// findWaiting puts each site that has events to send into the outbox. If a note cannot be read, it calls the function fail.
func (w *Watch) findWaiting(ctx context.Context, fail func(origin.Origin, error)) {
	for o, err := range w.Notes.Notes(ctx, noteName) {
		var s *state
		if err == nil {
			s, err = w.load(ctx, o)
		}
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			fail(o, err)
		case s.first() != nil:
			w.outbox.put(o, w.Now())
		}
	}
}

// arrange replaces the sites of the schedule. It looks immediately at new sites with a cached copy. The other new sites are
// fetched later, one after the other.
func (w *Watch) arrange(ctx context.Context, list []origin.Origin) {
	added := w.looks.replace(list)
	each := min(spread, day/time.Duration(max(len(list), 1)))
	at := w.Now()
	for _, o := range added {
		if ctx.Err() != nil {
			return
		}
		next, err := w.lookAt(ctx, o, way{w.Cache.PeekSite, true, true})
		if err != nil {
			w.trouble(o, err)
		}
		if !next.After(w.Now()) {
			next, at = at, at.Add(each)
		}
		w.looks.put(o, next)
	}
}

// lookAtSite looks at a site, and returns the time of the next look.
func (w *Watch) lookAtSite(ctx context.Context, o origin.Origin, _ int) time.Time {
	w.looked.Add(1)
	next, err := w.lookAt(ctx, o, way{w.Cache.Site, false, true})
	if err != nil && ctx.Err() == nil {
		w.trouble(o, err)
	}
	if next.IsZero() {
		return w.Now().Add(lookRetry)
	}
	return next
}

// almostDay is the age at which Once fetches again. A daily program may start some seconds earlier than the day before.
const almostDay = 23 * time.Hour

// siteOfToday does what Cache.Site does, but it also fetches if the copy is almost a day old, or if w.Refresh is true.
func (w *Watch) siteOfToday(ctx context.Context, o origin.Origin) (*cache.Site, error) {
	known, err := w.Cache.PeekSite(ctx, o)
	if err != nil {
		return nil, err
	}
	a, err := known.Check([]string{"*"}, "/")
	if err != nil {
		return nil, err
	}
	now := w.Now()
	if w.Refresh || known.Result() != nil && now.Before(a.NextRetrieval) && now.Sub(a.Fetched) >= almostDay {
		if err := w.Cache.Refresh(ctx, o); err != nil {
			return nil, err
		}
	}
	return w.Cache.Site(ctx, o)
}

// A way says how the robots.txt of a site is found for a look.
type way struct {
	get    func(context.Context, origin.Origin) (*cache.Site, error)
	cached bool // only a cached copy is used, without a retrieval
	holds  bool // a change may wait for the next look, which may show that the change is over
}

// lookAt looks at a site, and returns the time of the next retrieval. A failure of the site is not an error.
func (w *Watch) lookAt(ctx context.Context, o origin.Origin, by way) (time.Time, error) {
	site, err := by.get(ctx, o)
	if err != nil {
		return time.Time{}, err
	}
	a, err := site.Check([]string{"*"}, "/")
	if err != nil {
		return time.Time{}, err
	}
	var f *fetch.Failure
	switch {
	case errors.As(a.Err, &f) && f.Kind.Ours():
		return a.NextRetrieval, a.Err
	case site.Result() == nil:
		return a.NextRetrieval, nil
	}
	l := &look{site: o, cached: by.cached, at: a.Fetched.UTC(), next: a.NextRetrieval}
	if a.Outcome == fetch.Unreachable || a.Stale && !a.FailingSince.IsZero() {
		l.fail(w.failureOf(ctx, o, &a), w.Now())
	} else {
		l.version = versionOf(site, &a)
	}
	if !by.holds {
		l.next = l.at.Add(day)
	}
	err = w.update(ctx, o, func(s *state) (*state, error) {
		if s.waiting() >= maxWaiting {
			return s, nil
		}
		if l.version == nil && s.Told == nil && s.Down == nil { // the user may have misspelt the name of the site
			w.trouble(o, fmt.Errorf("the site was unreachable when heed fetched its robots.txt for the first time: %s", l.why))
		}
		if err := w.comparing.Acquire(ctx, 1); err != nil {
			return nil, err
		}
		defer w.comparing.Release(1)
		return s.nextState(ctx, &w.comparer, l)
	})
	if err != nil {
		return time.Time{}, err
	}
	if old := l.at.Add(almostDay); !by.holds && old.Before(a.NextRetrieval) {
		return old, nil
	}
	return a.NextRetrieval, nil
}

// failureOf returns a copy of the answer a with the status and the error of the last retrieval. If a has
// these already, or if they are not known, failureOf returns a.
func (w *Watch) failureOf(ctx context.Context, o origin.Origin, a *cache.Answer) *cache.Answer {
	if a.Outcome != fetch.Rules || w.Cache.Store == nil {
		return a
	}
	r, err := w.Cache.Store.Get(ctx, o)
	if err != nil || r.Failed == nil {
		return a
	}
	failed := *a
	failed.Status, failed.Page, failed.Err = r.Failed.Status, r.Failed.Page, r.Failed.Err
	return &failed
}

// fail records that the site is unreachable. If the answer is stale (it comes from an old copy), fail sets the time of the
// look to now.
func (l *look) fail(a *cache.Answer, now time.Time) {
	l.means = meaningOf(a.Outcome)
	if a.Stale {
		l.at = now.UTC()
	}
	l.why = fmt.Sprintf("status %d", a.Status)
	switch {
	case a.Err != nil:
		l.why = printable.Short(a.Err.Error())
	case a.Page != fetch.NoPage:
		l.why += ", " + a.Page.String()
	}
}

// update replaces the state of a site by the result of f, and schedules unsent events.
func (w *Watch) update(ctx context.Context, o origin.Origin, f func(*state) (*state, error)) error {
	lock := &w.locks[maphash.Comparable(w.seed, o)%uint64(len(w.locks))]
	lock.Lock()
	defer lock.Unlock()
	note, err := w.Notes.Note(ctx, o, noteName)
	if err != nil && !errors.Is(err, cache.ErrWrongRecord) {
		return err
	}
	var s *state
	if err == nil {
		s, err = decode(note)
	}
	if err != nil { // no other copy of the state exists, so the state begins again
		w.trouble(o, err)
		s = &state{}
	}
	next, err := f(s)
	if err != nil {
		return err
	}
	w.skip(next)
	if encoded := next.encode(); string(encoded) != string(note) {
		if err := w.Notes.PutNote(ctx, o, noteName, encoded); err != nil {
			return err
		}
	}
	if next.first() != nil {
		w.outbox.put(o, w.Now())
	}
	return nil
}

func (w *Watch) skip(s *state) {
	for i := range s.Events {
		if p := &s.Events[i]; p.Waiting && w.Wants != nil && !w.Wants(&p.head) {
			p.Waiting = false
		}
	}
	s.forgetTold()
}

func (w *Watch) load(ctx context.Context, o origin.Origin) (*state, error) {
	note, err := w.Notes.Note(ctx, o, noteName)
	if err != nil {
		return nil, err
	}
	return decode(note)
}

// tell sends the first unsent event of a site. If this fails, tell returns the time at which to try again; otherwise it
// returns the zero time.
func (w *Watch) tell(ctx context.Context, o origin.Origin, failures int) time.Time {
	s, err := w.load(ctx, o)
	if err == nil {
		e := s.first()
		if e == nil {
			return time.Time{}
		}
		if _, told := w.unmarked.Load(e.ID); !told {
			err = w.Tell(ctx, e)
		}
		if err == nil {
			err = w.mark(ctx, o, e)
		}
	}
	if err != nil && ctx.Err() == nil {
		w.trouble(o, err)
		return w.Now().Add(min(firstRetry<<min(failures, 16), lastRetry))
	}
	return time.Time{} // if there are more events, update has put the site into the outbox
}

func (w *Watch) mark(ctx context.Context, o origin.Origin, e *Message) error {
	err := w.update(context.WithoutCancel(ctx), o, func(s *state) (*state, error) { s.told(e.ID); return s, nil })
	if err != nil {
		w.unmarked.Store(e.ID, true)
		return err
	}
	w.unmarked.Delete(e.ID)
	return nil
}

// Known returns the sites with a note of this package, in no particular order: all sites that were ever watched.
func (w *Watch) Known(ctx context.Context) iter.Seq2[origin.Origin, error] {
	return w.Notes.Notes(ctx, noteName)
}

// Events returns the last events about a site, sent or not, the newest first.
func (w *Watch) Events(ctx context.Context, o origin.Origin) (events []*Message, err error) {
	s, err := w.load(ctx, o)
	if err != nil {
		return nil, err
	}
	for i := len(s.Events) - 1; i >= 0; i-- {
		events = append(events, s.Events[i].message())
	}
	return events, nil
}

type Counts struct {
	Sites   int // number of sites that are watched
	Looks   int // number of looks so far; each look is at one site
	Waiting int // number of sites with events that were not sent yet
}

func (w *Watch) Counts() Counts {
	w.once.Do(w.begin)
	return Counts{w.looks.size(), int(w.looked.Load()), w.outbox.size()}
}

func (w *Watch) trouble(o origin.Origin, err error) {
	if w.Trouble != nil {
		w.Trouble(o, err)
	}
}
