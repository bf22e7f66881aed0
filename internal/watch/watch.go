package watch

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"iter"
	"runtime"
	"slices"
	"strings"
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

// A Watch reports changes of the robots.txt of sites. Its fields must not change after Run or Once is called.
type Watch struct {
	Cache    *cache.Cache // must use the same store as Notes
	Notes    cache.Noter  // for the states of sites; no other Watch may use the same notes
	Dialect  *robotstxt.Dialect
	Table    *crawlers.Table // nil means crawlers.Known()
	Crawlers [][]string      // report changes for these crawlers, each given by its product tokens; if empty, for all

	Refresh bool // Once also fetches files whose copies are fresh

	// Wants decides which events are sent; nil means all.
	Wants func(*Head) bool
	// Tell sends an event, and is called again later if it returns an error. The events of one site come in order.
	Tell func(context.Context, *Message) error
	// Trouble gets failures after which the Watch tries again; may be nil.
	Trouble func(origin.Origin, error)

	Now func() time.Time // nil means time.Now
	// After must use the same clock as Now; nil means time.After.
	After func(time.Duration) <-chan time.Time

	once      sync.Once
	comparer  comparer
	comparing *semaphore.Weighted
	looks     *schedule
	outbox    *schedule
	unmarked  sync.Map        // IDs of events that were sent, but this is not stored yet
	locks     [256]sync.Mutex // for the notes; each lock is for many sites
	seed      maphash.Seed
	working   sync.WaitGroup
	looked    atomic.Int64
}

const noteName = "watch"

const (
	maxLooks = 64
	maxTells = 4
)

// These pauses follow failures of heed itself, for example of the store.
const (
	firstRetry = time.Second // before an event is sent again; doubled after each failure, up to lastRetry
	lastRetry  = time.Hour
	lookRetry  = time.Minute // before the site is asked again
)

// New sites are fetched one after the other, with this pause. Without the pause, all sites would be
// due at the same time each day.
const spread, day = time.Second, 24 * time.Hour

// Run watches the sites of the last list that it received, until ctx ends. It also sends events that earlier
// processes could not send.
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

// A Summary says what Once did.
type Summary struct {
	Told        int       // events that were sent
	Failed      int       // sites at which heed could not look, or whose events it could not send
	Tried       int       // sites whose robots.txt was due, so that heed tried to fetch it
	Unreachable []Failing // sites that are unreachable now, also if they were not due
	CopyUsed    []Failing // sites whose last retrieval failed, but whose copy is still used
	Due         time.Time // when the next copy will be old; zero if there is no copy
}

// A Failing is a site whose last retrieval failed.
type Failing struct {
	Site  origin.Origin
	Since time.Time // when the first failed retrieval ended
	Why   string    // for example "status 503"
}

// Once fetches each robots.txt whose copy is old, and sends all events.
func (w *Watch) Once(ctx context.Context, list []origin.Origin) (sum Summary) {
	w.once.Do(w.begin)
	wrong := map[origin.Origin]bool{}
	var mu sync.Mutex
	fail := func(o origin.Origin, err error) {
		w.trouble(o, err)
		mu.Lock()
		defer mu.Unlock()
		wrong[o] = true
	}
	look := func(ctx context.Context, o origin.Origin) (*cache.Site, cache.Answer, error) {
		site, a, isTried, err := w.siteOfToday(ctx, o)
		if err != nil {
			return nil, a, err
		}
		mu.Lock()
		defer mu.Unlock()
		if isTried {
			sum.Tried++
		}
		switch {
		case isUnreachable(&a):
			sum.Unreachable = append(sum.Unreachable, failingOf(o, &a))
		case a.LastFailure != nil:
			sum.CopyUsed = append(sum.CopyUsed, failingOf(o, &a))
		}
		return site, a, nil
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
			next, err := w.lookAt(ctx, o, way{look, false, false})
			if err != nil {
				fail(o, err)
			}
			mu.Lock()
			defer mu.Unlock()
			if !next.IsZero() && (sum.Due.IsZero() || next.Before(sum.Due)) {
				sum.Due = next
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
			sum.Told++
		}
	}
	if len(wrong) > 1 {
		delete(wrong, origin.Origin{}) // a failure to list the notes belongs to no site
	}
	sum.Failed = len(wrong)
	sortSites(sum.Unreachable)
	sortSites(sum.CopyUsed)
	return sum
}

func sortSites(list []Failing) {
	slices.SortFunc(list, func(a, b Failing) int { return strings.Compare(a.Site.String(), b.Site.String()) })
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

// An earlier process may have left events that were not sent.
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

// New sites that the cache knows are checked immediately. Other new sites are fetched one after the other.
func (w *Watch) arrange(ctx context.Context, list []origin.Origin) {
	added := w.looks.replace(list)
	each := min(spread, day/time.Duration(max(len(list), 1)))
	at := w.Now()
	for _, o := range added {
		if ctx.Err() != nil {
			return
		}
		next, err := w.lookAt(ctx, o, way{answered(w.Cache.PeekSite), true, true})
		if err != nil {
			w.trouble(o, err)
		}
		if !next.After(w.Now()) {
			next, at = at, at.Add(each)
		}
		w.looks.put(o, next)
	}
}

func (w *Watch) lookAtSite(ctx context.Context, o origin.Origin, _ int) time.Time {
	w.looked.Add(1)
	next, err := w.lookAt(ctx, o, way{answered(w.Cache.Site), false, true})
	if err != nil && ctx.Err() == nil {
		w.trouble(o, err)
	}
	if next.IsZero() {
		return w.Now().Add(lookRetry)
	}
	return next
}

// A daily program may start some seconds earlier than the day before, so Once fetches again after 23 hours.
const almostDay = 23 * time.Hour

// siteOfToday is like Cache.Site, but also fetches if the copy is almost a day old.
func (w *Watch) siteOfToday(ctx context.Context, o origin.Origin) (site *cache.Site, a cache.Answer, isTried bool, err error) {
	site, a, err = answered(w.Cache.PeekSite)(ctx, o)
	if err != nil {
		return nil, a, false, err
	}
	now := w.Now()
	isDue := site.Result() == nil || !now.Before(a.NextRetrieval)
	isEarly := !isDue && now.Sub(a.Fetched) >= almostDay
	if !w.Refresh && !isDue && !isEarly {
		return site, a, false, nil
	}
	if w.Refresh || isEarly {
		if err := w.Cache.Refresh(ctx, o); err != nil {
			return nil, a, false, err
		}
	}
	site, a, err = answered(w.Cache.Site)(ctx, o)
	return site, a, true, err
}

type getter func(context.Context, origin.Origin) (*cache.Site, cache.Answer, error)

func answered(get func(context.Context, origin.Origin) (*cache.Site, error)) getter {
	return func(ctx context.Context, o origin.Origin) (*cache.Site, cache.Answer, error) {
		site, err := get(ctx, o)
		if err != nil {
			return nil, cache.Answer{}, err
		}
		a, err := site.Check([]string{"*"}, "/")
		return site, a, err
	}
}

type way struct {
	get    getter
	cached bool // use only the cached copy
	holds  bool // a change may wait for the next retrieval, because it may soon be over
}

// lookAt returns the time of the next retrieval. That a site is unreachable is not an error.
func (w *Watch) lookAt(ctx context.Context, o origin.Origin, by way) (time.Time, error) {
	site, a, err := by.get(ctx, o)
	if err != nil {
		return time.Time{}, err
	}
	kind, _ := errors.AsType[fetch.FailureKind](a.Err)
	switch {
	case kind.Ours():
		return a.NextRetrieval, a.Err
	case site.Result() == nil:
		return a.NextRetrieval, nil
	}
	l := &look{site: o, cached: by.cached, time: a.Fetched.UTC(), next: a.NextRetrieval}
	if isUnreachable(&a) {
		l.fail(&a, w.Now())
	} else {
		l.version = versionOf(site, &a)
	}
	if !by.holds {
		l.next = l.time.Add(day)
	}
	err = w.update(ctx, o, func(s *state) (*state, error) {
		if s.waiting() >= maxWaiting {
			return s, nil
		}
		if l.version == nil && s.Told == nil && s.Down == nil { // the user may have misspelt the site
			w.trouble(o, fmt.Errorf("the site was unreachable when heed fetched its robots.txt for the first time, so check whether its name is correct: %s", l.why))
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
	if old := l.time.Add(almostDay); !by.holds && old.Before(a.NextRetrieval) {
		return old, nil
	}
	return a.NextRetrieval, nil
}

func isUnreachable(a *cache.Answer) bool {
	return a.Outcome == fetch.Unreachable || a.Stale && !a.FailingSince.IsZero()
}

func failingOf(o origin.Origin, a *cache.Answer) Failing {
	f := Failing{o, a.FailingSince, whyOf(a)}
	if f.Since.IsZero() && a.LastFailure != nil {
		f.Since = a.LastFailure.End
	}
	return f
}

// If the answer comes from an old copy, its time is not the time of the failure.
func (l *look) fail(a *cache.Answer, now time.Time) {
	l.means = meaningOf(a.Outcome)
	if a.Stale {
		l.time = now.UTC()
	}
	l.why = whyOf(a)
}

// If the answer comes from an old copy, whyOf returns why the last retrieval failed.
func whyOf(a *cache.Answer) string {
	status, page, err := a.Status, a.Page, a.Err
	if f := a.LastFailure; f != nil && a.Outcome == fetch.Rules {
		status, page, err = f.Status, f.Page, f.Err
	}
	switch {
	case errors.Is(err, fetch.AddressRefused):
		return "the address is not public"
	case err != nil:
		return printable.Short(err.Error())
	case page != fetch.NoPage:
		return fmt.Sprintf("status %d, %s", status, page)
	}
	return fmt.Sprintf("status %d", status)
}

// update stores the state that f returns. Only one goroutine at a time changes the state of a site.
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
	if err != nil { // there is no other copy of the state, so it starts again
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

// tell sends the first unsent event of a site. If this fails, tell returns when to try again. If not, it returns
// the zero time.
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
	return time.Time{} // for more events, update has put the site into the outbox
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

// Known returns all sites that were ever watched, in no particular order.
func (w *Watch) Known(ctx context.Context) iter.Seq2[origin.Origin, error] {
	return w.Notes.Notes(ctx, noteName)
}

// Events returns the last events of a site, sent or not, the newest first.
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
	Sites   int // sites that are watched
	Looks   int // checks of a site so far
	Waiting int // sites with events that were not sent yet
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
