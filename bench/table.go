package main

import (
	"fmt"
	"io"
	"runtime"
	"text/tabwriter"
	"time"
)

// A table has a row for each thing that is measured: what it is, Heed's value,
// that of the yardstick, and by how much Heed's is better.
type table struct {
	out      io.Writer
	markdown bool
	text     *tabwriter.Writer
	columns  int
}

func newTable(out io.Writer, markdown bool, heading ...string) *table {
	t := &table{out: out, markdown: markdown, text: tabwriter.NewWriter(out, 0, 0, 2, ' ', 0), columns: len(heading)}
	t.row(heading...)
	if markdown {
		fmt.Fprint(out, "| ---")
		for range heading[1:] {
			fmt.Fprint(out, " | ---:")
		}
		fmt.Fprintln(out, " |")
	}
	return t
}

// row adds a row; what is left of it is empty.
func (t *table) row(cells ...string) {
	cells = append(cells, make([]string, t.columns-len(cells))...)
	if t.markdown {
		for _, c := range cells {
			fmt.Fprintf(t.out, "| %s ", c)
		}
		fmt.Fprintln(t.out, "|")
		return
	}
	for _, c := range cells {
		fmt.Fprintf(t.text, "%s\t", c)
	}
	fmt.Fprintln(t.text)
}

// compare returns a row of Heed's time and the yardstick's, in nanoseconds.
func compare(name string, best []float64) []string {
	return []string{name, duration(best[0]), duration(best[1]), ratio(best[1] / best[0])}
}

func (t *table) flush() { t.text.Flush() }

func ratio(r float64) string {
	if r < 10 {
		return fmt.Sprintf("%.1f", r)
	}
	return fmt.Sprintf("%.0f", r)
}

// duration writes nanoseconds with about three digits.
func duration(ns float64) string {
	for _, u := range []struct {
		name string
		ns   float64
	}{{"s", 1e9}, {"ms", 1e6}, {"µs", 1e3}, {"ns", 1}} {
		if v := ns / u.ns; v >= 1 || u.ns == 1 {
			switch {
			case v < 10 && u.ns > 1:
				return fmt.Sprintf("%.2f %s", v, u.name)
			case v < 100 && u.ns > 1:
				return fmt.Sprintf("%.1f %s", v, u.name)
			}
			return fmt.Sprintf("%.0f %s", v, u.name)
		}
	}
	return ""
}

// A run does something n times and returns the processor time of it.
type run func(n int) time.Duration

// repeat is the run of a function.
func repeat(f func()) run {
	return func(n int) time.Duration {
		start := processorTime()
		for range n {
			f()
		}
		return processorTime() - start
	}
}

// staged is the run of something that needs a stage set: prepare is not timed.
func staged(prepare func() (do func())) run {
	return func(n int) (took time.Duration) {
		for range n {
			do := prepare()
			runtime.GC()
			start := processorTime()
			do()
			took += processorTime() - start
		}
		return took
	}
}

// What takes less is done more often, as long as that does not take long itself, the
// stage included; what takes long is measured once.
const (
	shortest = 60 * time.Millisecond
	longest  = time.Second
	tooLong  = 4 * time.Second
)

// inTurn measures runs in turn, so that a slow moment of the machine hits them
// alike, and returns the shortest time that each took in a round, in
// nanoseconds for one of the count things that it does at once.
func inTurn(rounds, count int, runs ...run) []float64 {
	best := make([]float64, len(runs))
	times := make([]int, len(runs))
	for i, r := range runs {
		for times[i] = 1; ; times[i] *= 2 {
			runtime.GC()
			start := time.Now()
			took := r(times[i])
			best[i] = float64(took) / float64(times[i])
			if took >= shortest || time.Since(start) > longest {
				break
			}
		}
	}
	for range rounds - 1 {
		for i, r := range runs {
			if best[i] > float64(tooLong) {
				continue
			}
			runtime.GC()
			best[i] = min(best[i], float64(r(times[i]))/float64(times[i]))
		}
	}
	for i := range best {
		best[i] /= float64(count)
	}
	return best
}
