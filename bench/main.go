// Command bench measures Heed and other libraries, and prints tables of the results. Results
// from one machine and day are in docs/comparison.md.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"testing"
	"time"
)

// settings are the flags of a run.
type settings struct {
	out      io.Writer
	rounds   int
	seed     uint64 // for drawing files
	markdown bool
	quick    bool // the table of real files only, with fewer questions, one dialect, no libraries of other languages
}

func main() {
	s := settings{out: os.Stdout}
	flag.IntVar(&s.rounds, "rounds", 3, "measure each row this many times; the shortest time counts")
	flag.BoolVar(&s.quick, "real", false, "measure only the table of real files, with fewer rows")
	flag.Uint64Var(&s.seed, "seed", newSeed(), "seed for drawing some of the files")
	flag.BoolVar(&s.markdown, "markdown", false, "write the tables as Markdown")
	cached := flag.Bool("cached", false, "measure only answers from memory")
	languages := flag.Bool("languages", false, "measure only the libraries for other languages (needs Node.js, Python and a C compiler)")
	flag.Parse()
	fmt.Printf("%s, %d cores, %s\n", runtime.Version(), runtime.NumCPU(), time.Now().UTC().Format(time.DateOnly))
	run := s.all
	switch {
	case *languages:
		run = s.languages
	case *cached:
		run = s.cached
	case s.quick:
		run = s.real
	}
	cores := runtime.GOMAXPROCS(1) // else the processor time of other threads, such as garbage collection on other cores, counts too
	err := run()
	if err == nil && !*languages && !*cached && !s.quick {
		runtime.GOMAXPROCS(cores)
		s.others()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// all measures the tables whose times are of one core.
func (s settings) all() error {
	if err := s.real(); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "\nmade-up files: %d bytes (typical), %d (3,000 rules), %d (8,000 rules); best of %d\n", len(typical.body), len(large.body), len(largest.body), s.rounds)
	s.times()
	s.memory()
	return s.cached()
}

// others measures what runs on all cores.
func (s settings) others() {
	s.processes()
	s.wrongAnswers()
	if err := s.wholeRuns(); err != nil {
		fmt.Fprintln(s.out, "whole runs: skipped:", err)
	}
	s.hostile() // last: rivals that take too long still run in the background
}

// table begins a table after an empty line.
func (s settings) table(heading ...string) *table {
	fmt.Fprintln(s.out)
	return newTable(s.out, s.markdown, heading...)
}

// headingOf returns the heading of a table with a column and a ratio for each rival.
func headingOf(ours ...string) []string {
	for _, l := range rivals {
		ours = append(ours, l.name, "ratio")
	}
	return ours
}

// times measures the processor time of one call.
func (s settings) times() {
	t := s.table(headingOf("operation", "heed", "speed", "allocations")...)
	defer t.flush()
	for _, r := range rows() {
		runs := []run{repeat(r.start(heed))}
		for _, l := range rivals {
			runs = append(runs, repeat(r.start(l)))
		}
		best, speed := inTurn(s.rounds, 1, runs...), ""
		if r.bytes > 0 {
			speed = megabytes(r.bytes, best[0])
		}
		cells := []string{r.name, duration(best[0]), speed, fmt.Sprint(testing.AllocsPerRun(10, r.start(heed)))}
		for _, theirs := range best[1:] {
			cells = append(cells, duration(theirs), ratio(theirs/best[0]))
		}
		t.row(cells...)
	}
}

// megabytes returns a speed, for a time in nanoseconds.
func megabytes(size int, ns float64) string { return fmt.Sprintf("%.0f MB/s", float64(size)/ns*1e3) }

// memory measures how much memory parsed files and policies keep.
func (s settings) memory() {
	t := s.table(headingOf("kept, of the source's bytes", "heed")...)
	defer t.flush()
	for _, in := range []input{typical, large} {
		for asked, name := range []string{"parsed file", "and one policy", "asked often"} {
			kept := func(l library) float64 {
				return keptBytes(func() any {
					file := l.parse(in.body)
					if asked == 0 {
						return file
					}
					policy := l.compile(file, agent)
					for range 100 * (asked - 1) {
						l.check(policy, in.miss)
					}
					return [2]any{file, policy}
				}) / float64(len(in.body))
			}
			ours := kept(heed)
			cells := []string{name + ", " + in.name, fmt.Sprintf("%.2f ×", ours)}
			for _, l := range rivals {
				theirs := kept(l)
				cells = append(cells, fmt.Sprintf("%.2f ×", theirs), ratio(theirs/ours))
			}
			t.row(cells...)
		}
	}
}

// keptBytes returns how many bytes of the heap a value keeps: the mean of many copies.
func keptBytes(value func() any) float64 {
	const copies = 200
	return keptHeap(func() any {
		kept := make([]any, copies)
		for i := range kept {
			kept[i] = value()
		}
		return kept
	}) / copies
}

func heapBytes() float64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// hostile measures parsing, compiling and one decision on each hostile file: the cost for a crawler that
// retrieves the file for the first time. Rivals are measured once.
func (s settings) hostile() {
	heading := []string{"hostile", "parse", "compile", "first decision", "kept"}
	for _, l := range rivals {
		heading = append(heading, l.name+": parse", "compile", "first decision")
	}
	t := s.table(heading...)
	defer t.flush()
	rows := make([][]string, len(hostileInputs))
	for i, in := range hostileInputs {
		best, _ := stages(heed, in)
		for range s.rounds - 1 {
			more, _ := stages(heed, in)
			for k := range best {
				best[k] = min(best[k], more[k])
			}
		}
		kept := keptHeap(func() any {
			file := heed.parse(in.body)
			policy := heed.compile(file, agent)
			heed.check(policy, in.miss)
			return [2]any{file, policy}
		})
		rows[i] = append(append([]string{in.name}, cellsOf(best, "")...), fmt.Sprintf("%.1f MiB", kept/(1<<20)))
	}
	for i, in := range hostileInputs {
		for _, l := range rivals {
			rows[i] = append(rows[i], cellsOf(stages(l, in))...)
		}
		t.row(rows[i]...)
	}
}

// timeout is how long a rival may take for one hostile decision.
const timeout = 20 * time.Second

// stages measures parsing, compiling and one decision. If one fails, or takes too long, it returns the times of
// those before it, and why there are no more. What takes too long runs until it or the program ends.
func stages(l library, in input) (took []time.Duration, missing string) {
	done := make(chan time.Duration, 3)
	go func() {
		defer close(done)
		defer func() { _ = recover() }() // the library refused the file
		start := time.Now()
		next := func() {
			done <- time.Since(start)
			start = time.Now()
		}
		file := l.parse(in.body)
		next()
		policy := l.compile(file, agent)
		next()
		runtime.KeepAlive(l.check(policy, in.miss))
		next()
	}()
	for deadline := time.After(timeout); ; {
		select {
		case d, ok := <-done:
			if !ok {
				return took, "refused"
			}
			took = append(took, d)
		case <-deadline:
			return took, "more than 20 s"
		}
	}
}

// cellsOf returns the cells of the three stages.
func cellsOf(took []time.Duration, missing string) []string {
	cells := []string{"", "", ""}
	if len(took) < len(cells) {
		cells[len(took)] = missing
	}
	for i, d := range took {
		cells[i] = duration(float64(d))
	}
	return cells
}
