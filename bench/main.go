// Command bench measures Heed and other libraries, and prints tables of the results. Results
// from one machine and day are in docs/comparison.md.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"text/tabwriter"
	"time"
)

func main() {
	rounds := flag.Int("rounds", 3, "measure each row this many times; the shortest time counts")
	only := flag.Bool("cached", false, "measure only answers from memory")
	quick := flag.Bool("real", false, "measure only the table of real files, with fewer rows")
	seed := flag.Uint64("seed", newSeed(), "seed for drawing some of the files")
	markdown := flag.Bool("markdown", false, "write the table of real files, or of languages, as Markdown")
	languages := flag.Bool("languages", false, "measure only the libraries for other languages (needs Node.js, Python and a C compiler)")
	flag.Parse()
	fmt.Printf("%s, %d cores, %s\n", runtime.Version(), runtime.NumCPU(), time.Now().UTC().Format(time.DateOnly))
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	cores := runtime.GOMAXPROCS(1) // else the processor time of other threads, such as garbage collection on other cores, counts too
	if *languages {
		if err := printLanguages(os.Stdout, *markdown); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if *only {
		printCached(out, *rounds)
		out.Flush()
		return
	}
	if err := printReal(os.Stdout, settings{*rounds, *seed, *markdown, *quick}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if *quick {
		return
	}
	fmt.Printf("\nmade-up files: %d bytes (typical), %d (3,000 rules), %d (8,000 rules); best of %d\n\n", len(typical.body), len(large.body), len(largest.body), *rounds)
	printTimes(out, *rounds)
	printMemory(out)
	printCached(out, *rounds)
	out.Flush()
	runtime.GOMAXPROCS(cores)
	printProcesses(os.Stdout)
	printWrongAnswers(os.Stdout)
	printWholeRuns(os.Stdout, *rounds)
	printHostile(out, *rounds) // last: rivals that take too long still run in the background
	out.Flush()
}

func heading(out *tabwriter.Writer, what, unit string) {
	fmt.Fprintf(out, "%s\t%s\tMB/s\tallocs\t", what, unit)
	for _, l := range rivals {
		fmt.Fprintf(out, "%s\tratio\t", l.name)
	}
	fmt.Fprintln(out)
}

// printTimes measures the processor time of one call.
func printTimes(out *tabwriter.Writer, rounds int) {
	heading(out, "operation", "ns")
	for _, r := range rows() {
		var runs []run
		for _, l := range append([]library{heed}, rivals...) {
			runs = append(runs, repeat(r.start(l)))
		}
		best, allocs := inTurn(rounds, 1, runs...), testing.AllocsPerRun(10, r.start(heed))
		speed := ""
		if r.bytes > 0 {
			speed = fmt.Sprintf("%.0f", float64(r.bytes)/best[0]*1e3)
		}
		fmt.Fprintf(out, "%s\t%.0f\t%s\t%.0f\t", r.name, best[0], speed, allocs)
		for i := range rivals {
			fmt.Fprintf(out, "%.0f\t%.1f×\t", best[i+1], best[i+1]/best[0])
		}
		fmt.Fprintln(out)
	}
}

// printMemory measures how much memory parsed files and policies keep.
func printMemory(out *tabwriter.Writer) {
	fmt.Fprintln(out)
	heading(out, "kept, of the source's bytes", "")
	for _, in := range []input{typical, large} {
		for _, what := range []struct {
			name string
			make func(l library) any
		}{
			{"parsed file", func(l library) any { return l.parse(in.body) }},
			{"and one policy", func(l library) any {
				file := l.parse(in.body)
				return [2]any{file, l.compile(file, agent)}
			}},
			{"asked often", func(l library) any {
				file := l.parse(in.body)
				policy := l.compile(file, agent)
				for range 100 {
					l.check(policy, in.miss)
				}
				return [2]any{file, policy}
			}},
		} {
			ours := keptBytes(func() any { return what.make(heed) })
			fmt.Fprintf(out, "%s, %s\t%.2f×\t\t\t", what.name, in.name, ours/float64(len(in.body)))
			for _, l := range rivals {
				theirs := keptBytes(func() any { return what.make(l) })
				fmt.Fprintf(out, "%.2f×\t%.1f×\t", theirs/float64(len(in.body)), theirs/ours)
			}
			fmt.Fprintln(out)
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

// timeout is how long a rival may take for one hostile decision.
const timeout = 20 * time.Second

// printHostile measures parsing, compiling and one decision on each hostile file, each once:
// the cost for a crawler that retrieves the file for the first time.
func printHostile(out *tabwriter.Writer, rounds int) {
	fmt.Fprint(out, "\nhostile, ms\tparse\tcompile\tdecide\tkept MiB\t")
	for _, l := range rivals {
		fmt.Fprintf(out, "%s: parse\tcompile\tdecide\t", l.name)
	}
	fmt.Fprintln(out)
	var ours []string
	for _, in := range hostileInputs {
		var best [3]time.Duration
		for range rounds {
			for i, d := range stages(heed, in, nil) {
				if best[i] == 0 || d < best[i] {
					best[i] = d
				}
			}
		}
		ours = append(ours, fmt.Sprintf("%s\t%s\t%s\t%.1f", ms(best[0]), ms(best[1]), ms(best[2]), hostileKept(in)/(1<<20)))
	}
	for i, in := range hostileInputs {
		fmt.Fprintf(out, "%s\t%s\t", in.name, ours[i])
		for _, l := range rivals {
			fmt.Fprintf(out, "%s\t", strings.Join(stagesInTime(l, in), "\t"))
		}
		fmt.Fprintln(out)
	}
}

func ms(d time.Duration) string { return fmt.Sprintf("%.2f", float64(d)/1e6) }

func hostileKept(in input) float64 {
	before := heapBytes()
	file := heed.parse(in.body)
	policy := heed.compile(file, agent)
	heed.check(policy, in.miss)
	after := heapBytes()
	runtime.KeepAlive(file)
	runtime.KeepAlive(policy)
	return after - before
}

// stages measures parsing, compiling and one decision. It sends each time to done, unless
// done is nil.
func stages(l library, in input, done chan<- time.Duration) (took [3]time.Duration) {
	var file, policy any
	for i, stage := range []func(){
		func() { file = l.parse(in.body) },
		func() { policy = l.compile(file, agent) },
		func() { runtime.KeepAlive(l.check(policy, in.miss)) },
	} {
		start := time.Now()
		stage()
		took[i] = time.Since(start)
		if done != nil {
			done <- took[i]
		}
	}
	return took
}

// stagesInTime returns the times of stages as table cells. After the timeout it returns without
// waiting, and the goroutine runs until it or the program ends.
func stagesInTime(l library, in input) []string {
	done := make(chan time.Duration, 3)
	go func() {
		defer func() {
			if recover() != nil {
				close(done) // the library refused the file
			}
		}()
		stages(l, in, done)
	}()
	deadline := time.After(timeout)
	var cells []string
	for len(cells) < 3 {
		select {
		case d, ok := <-done:
			if !ok {
				return append(cells, []string{"refused", "", ""}[:3-len(cells)]...)
			}
			cells = append(cells, ms(d))
		case <-deadline:
			return append(cells, []string{">20,000", "", ""}[:3-len(cells)]...)
		}
	}
	return cells
}
