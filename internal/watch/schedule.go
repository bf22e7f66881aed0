package watch

import (
	"container/heap"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/heed-robots/heed/origin"
)

// A schedule has the time of the next job of each site. A site has at most one running job.
type schedule struct {
	mu   sync.Mutex
	jobs map[origin.Origin]*job
	due  jobs          // the jobs that wait for their times
	wake chan struct{} // has an element if a job became the first one
}

type job struct {
	origin   origin.Origin
	time     time.Time
	place    int  // the index in schedule.due, or the constant running
	failures int  // since put was called
	again    bool // put was called while the job was running
	removed  bool // replace removed the site while the job was running
}

const running = -1

func newSchedule() *schedule {
	return &schedule{jobs: map[origin.Origin]*job{}, wake: make(chan struct{}, 1)}
}

// If the site is already in the schedule, its time stays.
func (s *schedule) put(o origin.Origin, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if j := s.jobs[o]; j != nil {
		j.again, j.removed = true, false
		return
	}
	j := &job{origin: o.Clone(), time: at}
	s.jobs[j.origin] = j
	s.queue(j)
}

func (s *schedule) queue(j *job) {
	heap.Push(&s.due, j)
	if j.place == 0 {
		select {
		case s.wake <- struct{}{}:
		default:
		}
	}
}

func (s *schedule) size() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.jobs)
}

func (s *schedule) all() (sites []origin.Origin) {
	s.mu.Lock()
	defer s.mu.Unlock()
	order := slices.SortedFunc(maps.Values(s.jobs), func(a, b *job) int { return a.time.Compare(b.time) })
	for _, j := range order {
		sites = append(sites, j.origin)
	}
	return sites
}

// replace removes sites that are not in the list. It returns the new sites, but does not add them.
func (s *schedule) replace(list []origin.Origin) (added []origin.Origin) {
	s.mu.Lock()
	defer s.mu.Unlock()
	wanted := make(map[origin.Origin]bool, len(list))
	for _, o := range list {
		if j := s.jobs[o]; j != nil {
			j.removed = false
		} else if !wanted[o] {
			added = append(added, o)
		}
		wanted[o] = true
	}
	for o, j := range s.jobs {
		switch {
		case wanted[o]:
		case j.place == running:
			j.removed = true
		default:
			heap.Remove(&s.due, j.place)
			delete(s.jobs, o)
		}
	}
	return added
}

// The function runJob returns the time of the next job for the site, or the zero time if there is none. Its last argument is
// the number of failures before.
func (s *schedule) run(ctx context.Context, w *Watch, limit int, runJob func(context.Context, origin.Origin, int) time.Time) {
	slots := make(chan struct{}, limit)
	var working sync.WaitGroup
	defer working.Wait()
	for {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			return
		}
		j := s.next(ctx, w)
		if j == nil {
			return
		}
		working.Go(func() {
			defer func() { <-slots }()
			s.finish(j, runJob(ctx, j.origin, j.failures), w.Now())
		})
	}
}

func (s *schedule) next(ctx context.Context, w *Watch) *job {
	for ctx.Err() == nil {
		s.mu.Lock()
		var timer <-chan time.Time
		if len(s.due) > 0 {
			wait := s.due[0].time.Sub(w.Now())
			if wait <= 0 {
				j := heap.Pop(&s.due).(*job)
				s.mu.Unlock()
				return j
			}
			timer = w.After(wait)
		}
		s.mu.Unlock()
		select {
		case <-ctx.Done():
		case <-s.wake:
		case <-timer:
		}
	}
	return nil
}

func (s *schedule) finish(j *job, at, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	again := j.again
	j.again = false
	switch {
	case j.removed:
		delete(s.jobs, j.origin)
		return
	case !at.IsZero():
		j.time, j.failures = at, j.failures+1
	case again:
		j.time, j.failures = now, 0
	default:
		delete(s.jobs, j.origin)
		return
	}
	s.queue(j)
}

type jobs []*job

func (h jobs) Len() int           { return len(h) }
func (h jobs) Less(i, k int) bool { return h[i].time.Before(h[k].time) }
func (h jobs) Swap(i, k int) {
	h[i], h[k] = h[k], h[i]
	h[i].place, h[k].place = i, k
}

func (h *jobs) Push(j any) {
	j.(*job).place = len(*h)
	*h = append(*h, j.(*job))
}

func (h *jobs) Pop() any {
	last := len(*h) - 1
	j := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	j.place = running
	return j
}
