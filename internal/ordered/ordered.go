// Package ordered works on many items at the same time and keeps their order.
package ordered

import "sync"

// Map takes items from next until it reports false, works on so many at the same
// time, and passes what comes of them to use, in the order of the items and one
// after the other. worker is called once for each worker, and returns the
// function that does the work there. A few items for each are under way at a
// time.
func Map[In, Out any](workers int, next func() (In, bool), worker func() func(In) Out, use func(Out)) {
	type job struct {
		in   In
		done chan Out
	}
	work := make(chan job, workers)
	order := make(chan job, 4*workers)
	go func() {
		defer close(order)
		defer close(work)
		for {
			in, ok := next()
			if !ok {
				return
			}
			j := job{in, make(chan Out, 1)}
			order <- j
			work <- j
		}
	}()
	var running sync.WaitGroup
	for range workers {
		running.Go(func() {
			do := worker()
			for j := range work {
				j.done <- do(j.in)
			}
		})
	}
	for j := range order {
		use(<-j.done)
	}
	running.Wait()
}
