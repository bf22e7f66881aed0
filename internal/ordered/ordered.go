// Package ordered works on many items at the same time and keeps their order.
package ordered

import (
	"context"
	"iter"
	"sync"
)

// Map calls the function use with each result, in the order of the items. It keeps about four items per worker in memory.
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

// Until returns a function for the next item. When ctx ends, this function returns false, even if the sequence items is
// still waiting for input. A function of iter.Pull would wait for the item.
func Until[T any](ctx context.Context, items iter.Seq[T]) (next func() (T, bool)) {
	all := make(chan T)
	go func() { // may wait for input until the process ends
		defer close(all)
		for item := range items {
			select {
			case all <- item:
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() (item T, ok bool) {
		select {
		case item, ok = <-all:
		case <-ctx.Done():
		}
		return item, ok && ctx.Err() == nil
	}
}
