package watch

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
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

// A Watch looks at sites whenever their copies are no longer fresh, and tells what changes. Its fields must not change
// after Run is called.
type Watch struct {
	Cache    *cache.Cache // retrieves, with the store of Notes
	Notes    cache.Noter  // has what was told; no other Watch may have the same
	Dialect  *robotstxt.Dialect
	Table    *crawlers.Table // nil: crawlers.Known()
	Crawlers [][]string      // tells only of these, each as its tokens; none: of all

	// Wants decides which events are told; nil: all.
	Wants func(*Head) bool
	// Tell tells an event. After an error it is called again with the same event, after a back-off. The events of a site come
	// in their order, those of several sites at the same time.
	Tell func(context.Context, *Message) error
	// Trouble is called if something does not work that will be tried again; nil: nobody wants to know.
	Trouble func(origin.Origin, error)

	Now func() time.Time // nil: time.Now
	// After is time.After for the clock Now; nil: time.After.
	After func(time.Duration) <-chan time.Time

	once      sync.Once
	comparer  comparer
	comparing *semaphore.Weighted
	looks     *schedule
	outbox    *schedule
	unmarked  sync.Map        // the IDs of events that were told, but the note does not say so yet
	locks     [256]sync.Mutex // of the notes, by origin
	seed      maphash.Seed
	working   sync.WaitGroup
	looked    atomic.Int64
}

// noteName is the name of the notes of this package.
const noteName = "watch"

// How much is done at the same time.
const (
	maxLooks = 64
	maxTells = 4
)

// The back-off after something of our own failed, which doubles from one to the other.
const (
	firstRetry = time.Second
	lastRetry  = time.Hour
	lookRetry  = time.Minute
)

// spread is the least time between two sites that are looked at because they are new, or because their copies became
// stale while nobody looked: so all are not due at the same time each day.
const spread, day = time.Second, 24 * time.Hour

// Run watches the sites of the last list that it received, until the context ends. Each list replaces the one before. Events
// that were not told before are told, also of sites that are in no list now.
func (w *Watch) Run(ctx context.Context, lists <-chan []origin.Origin) {
	w.once.Do(w.begin)
	w.working.Go(func() { w.looks.run(ctx, w, maxLooks, w.look) })
	w.working.Go(func() { w.outbox.run(ctx, w, maxTells, w.tell) })
	w.working.Go(func() { w.findWaiting(ctx) })
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

// findWaiting finds the events of the store that are to be told.
func (w *Watch) findWaiting(ctx context.Context) {
	for o, err := range w.Notes.Notes(ctx, noteName) {
		if err != nil {
			w.trouble(o, err)
			continue
		}
		if s, err := w.load(ctx, o); err == nil && s.first() != nil {
			w.outbox.put(o, w.Now())
		}
	}
}

// arrange puts the sites of a list into the schedule, and takes the others out of it. What is cached already is looked
// at now, without a retrieval. The first retrievals of the others are spread over the day.
func (w *Watch) arrange(ctx context.Context, list []origin.Origin) {
	added := w.looks.replace(list)
	each := min(spread, day/time.Duration(max(len(list), 1)))
	at := w.Now()
	for _, o := range added {
		if ctx.Err() != nil {
			return
		}
		next, err := w.lookAt(ctx, o, true)
		if err != nil {
			w.trouble(o, err)
		}
		if !next.After(w.Now()) {
			next, at = at, at.Add(each)
		}
		w.looks.put(o, next)
	}
}

// look looks at a site, with a retrieval if its copy is not fresh, and returns when it is due again.
func (w *Watch) look(ctx context.Context, o origin.Origin, _ int) time.Time {
	w.looked.Add(1)
	next, err := w.lookAt(ctx, o, false)
	if err != nil {
		if ctx.Err() == nil {
			w.trouble(o, err)
		}
		return w.Now().Add(lookRetry)
	}
	return next
}

// lookAt looks at a site, or only at what is cached of it, and returns when the next retrieval is due.
func (w *Watch) lookAt(ctx context.Context, o origin.Origin, cached bool) (time.Time, error) {
	get := w.Cache.Site
	if cached {
		get = w.Cache.PeekSite
	}
	site, err := get(ctx, o)
	if err != nil {
		return time.Time{}, err
	}
	a, err := site.Check([]string{"*"}, "/")
	if err != nil {
		return time.Time{}, err
	}
	var f *fetch.Failure
	if site.Result() == nil || errors.As(a.Err, &f) && f.Kind.Ours() {
		return a.NextRetrieval, nil // it says nothing about the site
	}
	l := &look{site: o, cached: cached, at: a.Fetched, next: a.NextRetrieval}
	if a.Outcome == fetch.Unreachable || a.Stale && !a.FailingSince.IsZero() {
		l.fail(w.failureOf(ctx, o, &a), w.Now())
	} else {
		l.version = versionOf(site, &a)
	}
	return l.next, w.update(ctx, o, func(s *state) (*state, error) {
		if s.waiting() >= maxWaiting {
			return s, nil
		}
		if err := w.comparing.Acquire(ctx, 1); err != nil {
			return nil, err
		}
		defer w.comparing.Release(1)
		return s.after(ctx, &w.comparer, l)
	})
}

// failureOf returns an answer about a site that is unreachable, as its last retrieval is the reason. If the last copy is used after
// a long time, the cache answers from that one.
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

// fail sets what a look at an unreachable site found. A copy that is stale is used only of a site that is unreachable for long.
func (l *look) fail(a *cache.Answer, now time.Time) {
	l.means = meaningOf(a.Outcome)
	if a.Stale {
		l.at = now
	}
	l.why = fmt.Sprintf("status %d", a.Status)
	switch {
	case a.Err != nil:
		l.why = printable.Short(a.Err.Error())
	case a.Page != fetch.NoPage:
		l.why += ", " + a.Page.String()
	}
}

// update replaces the state of a site by what f returns. If there are events to tell then, they will be.
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
	if err != nil { // nobody has another copy: it begins anew
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

// skip marks the events that nobody wants as told.
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

// tell tells the first event of a site that is to be told. It returns when the next one may be, zero: there is none.
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
	return time.Time{} // update has put the site into the outbox if there is more
}

// mark notes that an event was told.
func (w *Watch) mark(ctx context.Context, o origin.Origin, e *Message) error {
	err := w.update(context.WithoutCancel(ctx), o, func(s *state) (*state, error) { s.told(e.ID); return s, nil })
	if err != nil {
		w.unmarked.Store(e.ID, true)
		return err
	}
	w.unmarked.Delete(e.ID)
	return nil
}

// Events returns the last events about a site, the newest first, those that were told and those that wait.
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

// Counts are how much there is to do.
type Counts struct {
	Sites   int // that are watched
	Looks   int // that were made, each at one site
	Waiting int // sites with events that are to be told
}

// Counts returns how much there is to do, and how much was done.
func (w *Watch) Counts() Counts {
	w.once.Do(w.begin)
	return Counts{w.looks.size(), int(w.looked.Load()), w.outbox.size()}
}

func (w *Watch) trouble(o origin.Origin, err error) {
	if w.Trouble != nil {
		w.Trouble(o, err)
	}
}
