package main

import (
	"fmt"
	"io"
	"runtime"
	"text/tabwriter"
	"time"
)

// A table has a row for each measurement: its name, Heed's value, the value of the rival, and
// their ratio.
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

// row adds a row; the cells that are not given are empty.
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

// compare returns the cells of a row; best has Heed's time and that of the rival, in
// nanoseconds.
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

// duration returns nanoseconds as text with about three digits, such as "1.23 µs".
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

// A run does something n times and returns the processor time that this took.
type run func(n int) time.Duration

// repeat returns a run that calls f.
func repeat(f func()) run {
	return func(n int) time.Duration {
		start := processorTime()
		for range n {
			f()
		}
		return processorTime() - start
	}
}

// staged returns a run that calls prepare and then the function that prepare returns. The time
// of prepare does not count.
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

// How often inTurn repeats a run in one measurement.
const (
	shortest = 60 * time.Millisecond // it doubles the number until the measured time is this long,
	longest  = time.Second           // or until the whole measurement, with preparation, is longer than this
	tooLong  = 4 * time.Second       // if one repetition takes longer than this, it is measured in the first round only
)

// inTurn measures the runs one after the other in each round, so that a moment in which the
// machine is slow affects all of them. It returns for each run the shortest time of one
// repetition, in nanoseconds, divided by count: the number of operations in a repetition.
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
