package watch_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/watch"
	"github.com/heed-robots/heed/origin"
)

func originOf(t testing.TB, url string) origin.Origin {
	t.Helper()
	o, err := origin.Parse(url)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// A stage is a Watch on a store in memory, in a bubble of synctest: so months take no time.
type stage struct {
	watch.Watch
	t     *testing.T
	start time.Time
	lists chan []origin.Origin
	site  origin.Origin

	mu       sync.Mutex
	answer   func(origin.Origin) fetch.Result // of each site
	asked    []time.Duration                  // since the start
	asking   map[origin.Origin]int
	told     []*watch.Message
	toldAt   []time.Duration
	refuse   func(*watch.Message) error // nil: each event is told
	troubles []string
}

// body is an answer that is fresh for some time.
func body(text string, fresh time.Duration) fetch.Result {
	return fetch.Result{Status: 200, Body: []byte(text), Header: http.Header{"Cache-Control": {fmt.Sprintf("max-age=%d", int(fresh.Seconds()))}}}
}

func status(n int) fetch.Result { return fetch.Result{Status: n} }

func (s *stage) Fetch(ctx context.Context, o origin.Origin, _ fetch.Validators) (fetch.Result, error) {
	s.mu.Lock()
	s.asked = append(s.asked, time.Since(s.start))
	if s.asking[o]++; s.asking[o] > 1 {
		s.t.Errorf("%s is asked twice at the same time", o)
	}
	answer := s.answer
	s.mu.Unlock()
	r := answer(o)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asking[o]--
	r.Origin = o
	return r, nil
}

// set sets what each site answers from now on.
func (s *stage) set(r fetch.Result) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = func(origin.Origin) fetch.Result { return r }
}

func newStage(t *testing.T, store cache.Store) *stage {
	s := &stage{t: t, start: time.Now(), lists: make(chan []origin.Origin), site: originOf(t, "https://shop.example"), asking: map[origin.Origin]int{}}
	s.Cache = &cache.Cache{Fetcher: s, Store: store}
	s.Notes = store.(cache.Noter)
	s.Tell = func(_ context.Context, m *watch.Message) error {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.refuse != nil {
			if err := s.refuse(m); err != nil {
				return err
			}
		}
		s.told, s.toldAt = append(s.told, m), append(s.toldAt, time.Since(s.start))
		return nil
	}
	s.Trouble = func(_ origin.Origin, err error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.troubles = append(s.troubles, err.Error())
	}
	return s
}

// run watches while f runs.
func (s *stage) run(f func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var working sync.WaitGroup
	working.Go(func() { s.Run(ctx, s.lists) })
	f()
	synctest.Wait()
	cancel()
	working.Wait()
	s.Cache.Close()
}

// retrievals returns when sites were asked so far.
func (s *stage) retrievals() []time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

func (s *stage) said() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.troubles)
}

func (s *stage) setRefuse(f func(*watch.Message) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuse = f
}

// events returns what was told so far.
func (s *stage) events() []*watch.Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.told)
}

// words returns the events that were told, each as in "verdicts+managed".
func (s *stage) words() (words []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.told {
		var each []string
		for _, w := range m.What {
			each = append(each, string(w))
		}
		words = append(words, strings.Join(each, "+"))
	}
	return words
}

func (s *stage) expect(want ...string) {
	s.t.Helper()
	if got := s.words(); !slices.Equal(got, want) {
		s.t.Errorf("told %q, expected %q", got, want)
	}
}

const (
	openFile = "User-agent: *\nDisallow: /closed\n"
	shutFile = "User-agent: *\nDisallow: /\n"
	oneDay   = 24 * time.Hour
)

// After a day and after 30 days of failures two events say what holds, and a third that they are over.
func TestThirtyDays(t *testing.T) {
	for name, first := range map[string]fetch.Result{"rules": body(openFile, time.Hour), "allows-everything": status(404)} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t, cache.NewMemory(0, 0))
				s.set(first)
				s.run(func() {
					s.lists <- []origin.Origin{s.site}
					time.Sleep(23 * time.Hour)
					s.set(status(500))
					time.Sleep(29 * oneDay)
					s.expect("unreachable")
					time.Sleep(4 * oneDay)
					s.expect("unreachable", "unreachable")
					s.set(first)
					time.Sleep(2 * time.Hour)
					s.expect("unreachable", "unreachable", "reachable")
				})
				var e struct {
					Means, Why string
					Since      time.Time
				}
				for i, means := range []string{"disallows-everything", name} {
					if err := json.Unmarshal(s.events()[i].JSON, &e); err != nil || e.Means != means || e.Why != "status 500" {
						t.Errorf("%v: %s", err, s.events()[i].JSON)
					}
					if days := int(s.events()[i].Time.Sub(e.Since) / oneDay); days != []int{1, 30}[i] {
						t.Errorf("after %d days: %s", days, s.events()[i].JSON)
					}
				}
			})
		})
	}
}

// A failure of the own machine is none of the site.
func TestOwnFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, cache.NewMemory(0, 0))
		s.set(body(openFile, time.Hour))
		s.run(func() {
			s.lists <- []origin.Origin{s.site}
			time.Sleep(time.Minute)
			s.set(fetch.Result{Err: &fetch.Failure{Kind: fetch.LocalFailure, Text: "no route"}})
			time.Sleep(3 * oneDay)
			s.set(body(shutFile, oneDay))
			time.Sleep(time.Hour)
			s.expect("verdicts")
		})
	})
}

// noter is a store whose notes fail or are corrupt, as a test says.
type noter struct {
	cache.Store
	cache.Noter
	mu        sync.Mutex
	read, put error
}

func newNoter() *noter {
	store := cache.NewMemory(0, 0)
	return &noter{Store: store, Noter: store.(cache.Noter)}
}

func (n *noter) set(read, put error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.read, n.put = read, put
}

func (n *noter) Note(ctx context.Context, o origin.Origin, name string) ([]byte, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.read != nil {
		return nil, n.read
	}
	return n.Noter.Note(ctx, o, name)
}

func (n *noter) PutNote(ctx context.Context, o origin.Origin, name string, note []byte) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.put != nil {
		return n.put
	}
	if errors.Is(n.read, cache.ErrWrongRecord) {
		n.read = nil
	}
	return n.Noter.PutNote(ctx, o, name, note)
}

// If a note is corrupt, that is no secret, and the next answer is the first one again.
func TestCorruptNote(t *testing.T) {
	for name, damage := range map[string]func(*stage, *noter){
		"the store finds it": func(_ *stage, n *noter) { n.set(cache.ErrWrongRecord, nil) },
		"it is no state":     func(s *stage, n *noter) { n.PutNote(context.Background(), s.site, "watch", []byte("watch1 {")) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := newNoter()
				s := newStage(t, store)
				s.set(body(openFile, 2*time.Hour))
				s.run(func() {
					s.lists <- []origin.Origin{s.site}
					time.Sleep(time.Minute)
					damage(s, store)
					s.set(body(shutFile, 2*time.Hour))
					time.Sleep(2 * time.Hour)
					s.expect()
					if len(s.said()) != 1 {
						t.Errorf("troubles %q", s.said())
					}
					s.set(body(openFile, 2*time.Hour))
					time.Sleep(2 * time.Hour)
					s.expect("verdicts")
				})
			})
		})
	}
}

// While the store fails, nothing is lost, and what was told is not told again.
func TestStoreFails(t *testing.T) {
	broken := errors.New("the disk is full")
	for name, fail := range map[string][2]error{"reading": {broken, nil}, "writing": {nil, broken}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := newNoter()
				s := newStage(t, store)
				s.set(body(openFile, 2*time.Hour))
				s.run(func() {
					s.lists <- []origin.Origin{s.site}
					time.Sleep(time.Minute)
					store.set(fail[0], fail[1])
					s.set(body(shutFile, 5*time.Hour))
					time.Sleep(4 * time.Hour)
					s.expect()
					if n := len(s.retrievals()); n != 2 {
						t.Errorf("the site was asked %d times", n)
					}
					if len(s.said()) == 0 {
						t.Error("nobody knows of it")
					}
					store.set(nil, nil)
					time.Sleep(2 * time.Minute)
					s.expect("verdicts")

					// The note that an event was told cannot be written.
					s.setRefuse(func(*watch.Message) error { store.set(fail[0], fail[1]); return nil })
					s.set(body(openFile, 5*time.Hour))
					time.Sleep(5 * time.Hour)
					s.expect("verdicts", "verdicts")
					s.setRefuse(nil)
					store.set(nil, nil)
					time.Sleep(5 * time.Hour)
					s.expect("verdicts", "verdicts")
					if c := s.Counts(); c.Waiting != 0 {
						t.Errorf("%+v", c)
					}
				})
			})
		})
	}
}

// A list replaces the one before, also while the sites are looked at: what is no longer in it is not asked again.
func TestLists(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, cache.NewMemory(0, 0))
		asked := map[origin.Origin]int{}
		s.answer = func(o origin.Origin) fetch.Result {
			time.Sleep(10 * time.Second)
			s.mu.Lock()
			defer s.mu.Unlock()
			asked[o]++
			return body(openFile, 10*time.Minute)
		}
		count := func(o origin.Origin) int {
			s.mu.Lock()
			defer s.mu.Unlock()
			return asked[o]
		}
		a, b := originOf(t, "https://a.example"), originOf(t, "https://b.example")
		s.run(func() {
			s.lists <- []origin.Origin{a, a, b}
			time.Sleep(5 * time.Second) // both are asked now
			if c := s.Counts(); c.Sites != 2 {
				t.Errorf("%+v", c)
			}
			s.lists <- []origin.Origin{b}
			time.Sleep(time.Hour)
			if count(a) != 1 || count(b) < 5 {
				t.Errorf("asked %d and %d times", count(a), count(b))
			}
			if c := s.Counts(); c.Sites != 1 {
				t.Errorf("%+v", c)
			}
			s.lists <- nil
			before := count(b)
			time.Sleep(time.Hour)
			if count(b) > before+1 {
				t.Errorf("asked %d times, and %d before the list was empty", count(b), before)
			}
			s.lists <- []origin.Origin{a}
			time.Sleep(5 * time.Second)
			s.lists <- nil // it is taken out and put back while it is asked
			s.lists <- []origin.Origin{a}
			time.Sleep(time.Hour)
			if count(a) < 5 {
				t.Errorf("asked %d times", count(a))
			}
		})
	})
}

// New sites are asked one each second, more often if there are more than seconds in a day.
func TestSpread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, cache.NewMemory(0, 0))
		s.set(body(openFile, oneDay))
		var list []origin.Origin
		for i := range 100 {
			list = append(list, originOf(t, fmt.Sprintf("https://s%d.example", i)))
		}
		s.run(func() {
			s.lists <- list
			time.Sleep(time.Hour)
		})
		if len(s.retrievals()) != 100 {
			t.Fatalf("%d sites were asked", len(s.retrievals()))
		}
		for i, at := range s.retrievals() {
			if (at - time.Duration(i)*time.Second).Abs() > time.Millisecond {
				t.Errorf("site %d was asked after %s", i, at)
			}
		}
		// In the next process nothing is new, and what is fresh is not asked.
		next := newStage(t, s.Cache.Store)
		next.set(body(openFile, oneDay))
		next.run(func() {
			next.lists <- list
			time.Sleep(22 * time.Hour)
			if len(next.retrievals()) != 0 {
				t.Errorf("%d sites were asked", len(next.retrievals()))
			}
			time.Sleep(2 * time.Hour)
			if len(next.retrievals()) != 100 {
				t.Errorf("%d sites were asked", len(next.retrievals()))
			}
		})
		// If all became stale meanwhile, they are not all asked at once.
		time.Sleep(7 * oneDay)
		last := newStage(t, s.Cache.Store)
		last.set(body(openFile, oneDay))
		last.run(func() {
			last.lists <- list
			time.Sleep(49*time.Second + time.Millisecond)
			if len(last.retrievals()) != 50 {
				t.Errorf("%d sites were asked", len(last.retrievals()))
			}
		})
	})
}

// More sites than seconds are in a day are all asked within it.
func TestSpreadMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, cache.NewMemory(0, 0))
		s.set(body(openFile, oneDay))
		list := make([]origin.Origin, 2*86_400)
		for i := range list {
			list[i] = originOf(t, fmt.Sprintf("https://s%d.example", i))
		}
		s.run(func() {
			s.lists <- list
			time.Sleep(10*time.Second + time.Millisecond)
		})
		if n := len(s.retrievals()); n != 21 {
			t.Errorf("%d sites were asked in ten seconds", n)
		}
	})
}

// What nobody wants is not told, and does not wait.
func TestWants(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, cache.NewMemory(0, 0))
		s.Wants = func(h *watch.Head) bool { return h.Severity == watch.High || h.Has(watch.PreferencesChanged) }
		s.run(func() {
			s.set(body(openFile, 2*time.Hour))
			s.lists <- []origin.Origin{s.site}
			time.Sleep(time.Hour)
			for i, text := range []string{shutFile, openFile, "User-agent: *\nContent-Usage: train-ai=n\nDisallow: /closed\n"} {
				s.set(body(text, 2*time.Hour))
				time.Sleep(2 * time.Hour)
				if c := s.Counts(); c.Waiting != 0 {
					t.Errorf("step %d: %+v", i, c)
				}
			}
			s.expect("verdicts", "preferences")
			if len(s.events()) != 2 {
				return
			}
			if s.events()[0].Severity != watch.High || s.events()[1].Severity != watch.Medium {
				t.Errorf("%v, %v", s.events()[0].Severity, s.events()[1].Severity)
			}
			events, err := s.Events(t.Context(), s.site)
			if err != nil || len(events) != 3 || events[0].ID != s.events()[1].ID || events[2].ID != s.events()[0].ID {
				t.Errorf("%v, %v", events, err)
			}
		})
	})
}

// A program that fails is started again after a second, then after twice as long each time, at most an hour; and an event that
// waits is also told by the next process, even if the site is in no list any more.
func TestTellAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, cache.NewMemory(0, 0))
		var tries []time.Duration
		var ids []string
		s.refuse = func(m *watch.Message) error {
			tries, ids = append(tries, time.Since(s.start)), append(ids, m.ID)
			return errors.New("the program fails")
		}
		s.run(func() {
			s.set(body(openFile, 2*time.Hour))
			s.lists <- []origin.Origin{s.site}
			time.Sleep(time.Hour)
			s.set(body(shutFile, oneDay))
			time.Sleep(20 * time.Hour)
		})
		want := []time.Duration{2 * time.Hour}
		for wait := time.Second; len(want) < len(tries); wait = min(2*wait, time.Hour) {
			want = append(want, want[len(want)-1]+wait)
		}
		for i := range want {
			if (tries[i]-want[i]).Abs() > time.Second || ids[i] != ids[0] {
				t.Fatalf("%s tried at %s, expected %s", ids, tries, want)
			}
		}
		if len(tries) < 25 {
			t.Errorf("%d tries", len(tries))
		}
		next := newStage(t, s.Cache.Store)
		next.run(func() { time.Sleep(time.Second) })
		next.expect("verdicts")
		if next.events()[0].ID != ids[0] {
			t.Errorf("told as %s and as %s", ids[0], next.events()[0].ID)
		}
		last := newStage(t, s.Cache.Store)
		last.run(func() { time.Sleep(oneDay) })
		last.expect()
	})
}

// If 16 events of a site wait, its changes are told later as one.
func TestFullQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, cache.NewMemory(0, 0))
		refused := true
		s.refuse = func(*watch.Message) error {
			if refused {
				return errors.New("not now")
			}
			return nil
		}
		s.run(func() {
			s.set(body(openFile, 2*time.Hour))
			s.lists <- []origin.Origin{s.site}
			time.Sleep(time.Minute)
			for i := range 30 {
				s.set(body(fmt.Sprintf("User-agent: *\nDisallow: /%d\n", i), 2*time.Hour))
				time.Sleep(2 * time.Hour)
			}
			events, err := s.Events(t.Context(), s.site)
			if err != nil || len(events) != 16 {
				t.Errorf("%d events: %v", len(events), err)
			}
			s.mu.Lock()
			refused = false
			s.mu.Unlock()
			time.Sleep(4 * time.Hour)
		})
		s.expect(slices.Repeat([]string{"verdicts"}, 17)...)
		var last struct{ Old, New struct{ SHA256 string } }
		var before string
		for i, m := range s.events() {
			if err := json.Unmarshal(m.JSON, &last); err != nil {
				t.Fatal(err)
			}
			if i > 0 && last.Old.SHA256 != before {
				t.Errorf("event %d begins with another answer than the one before ended with", i)
			}
			if i > 0 && m.Time.Before(s.events()[i-1].Time) {
				t.Errorf("event %d is earlier than the one before", i)
			}
			before = last.New.SHA256
		}
	})
}

// Events of up to four sites are told at the same time, those of a site one by one.
func TestTellTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, cache.NewMemory(0, 0))
		telling, most := map[origin.Origin]int{}, 0
		s.Tell = func(_ context.Context, m *watch.Message) error {
			s.mu.Lock()
			telling[m.Site]++
			sum := 0
			for o, n := range telling {
				if sum += n; n > 1 {
					t.Errorf("%d events of %s are told at the same time", n, o)
				}
			}
			most = max(most, sum)
			s.mu.Unlock()
			time.Sleep(time.Hour)
			s.mu.Lock()
			defer s.mu.Unlock()
			telling[m.Site]--
			s.told = append(s.told, m)
			return nil
		}
		var list []origin.Origin
		for i := range 10 {
			list = append(list, originOf(t, fmt.Sprintf("https://s%d.example", i)))
		}
		s.run(func() {
			s.set(body(openFile, 2*time.Hour))
			s.lists <- list
			time.Sleep(time.Minute)
			s.set(body(shutFile, 2*time.Hour))
			time.Sleep(2 * time.Hour)
			s.set(body(openFile, 2*time.Hour))
			time.Sleep(20 * time.Hour)
		})
		if most != 4 || len(s.events()) != 20 {
			t.Errorf("%d at the same time, %d told", most, len(s.events()))
		}
	})
}

// If a process was killed before the record of an answer was written, and after the note, the older record is no other answer.
func TestOlderRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := cache.NewMemory(0, 0)
		s := newStage(t, store)
		s.set(body(openFile, 2*time.Hour))
		var record *cache.Record
		s.run(func() {
			s.lists <- []origin.Origin{s.site}
			time.Sleep(time.Hour)
			r, err := store.Get(t.Context(), s.site)
			if err != nil {
				t.Fatal(err)
			}
			record = r
			s.set(body(shutFile, 2*time.Hour))
			time.Sleep(2 * time.Hour)
		})
		s.expect("verdicts")
		if err := store.Put(t.Context(), record); err != nil {
			t.Fatal(err)
		}
		next := newStage(t, store)
		next.set(body(shutFile, 2*time.Hour))
		next.run(func() {
			next.lists <- []origin.Origin{s.site}
			time.Sleep(oneDay)
		})
		next.expect()
	})
}

// When the context ends, that is no trouble.
func TestEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, cache.NewMemory(0, 0))
		ended := make(chan struct{})
		s.answer = func(origin.Origin) fetch.Result { <-ended; return body(openFile, time.Hour) }
		ctx, cancel := context.WithCancel(context.Background())
		var working sync.WaitGroup
		working.Go(func() { s.Run(ctx, s.lists) })
		s.lists <- []origin.Origin{s.site}
		synctest.Wait()
		cancel()
		synctest.Wait()
		close(ended)
		working.Wait()
		s.Cache.Close()
		if len(s.said()) > 0 {
			t.Errorf("troubles %q", s.said())
		}
	})
}
