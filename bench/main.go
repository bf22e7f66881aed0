// Command bench measures Heed and other programs, and prints tables in Markdown. Run it in the root folder of the
// repository. The arguments are names of measurements.
//
//	go run ./bench
//	go run ./bench -rounds 2 quick
//	go run ./bench -heed ./heed -urls 1000000 bulk
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

type bench struct {
	heed    string // the path of the program heed
	rounds  int
	seed    uint64 // the seed for choosing files at random
	urls    int    // how many URLs each list has in the measurement bulk
	rows    int    // how many rows the smaller table has in the measurement collections
	origins string // how many origins the archives have in the measurement scale
	folder  string // a temporary folder for files
}

var measurements = []struct {
	name    string
	run     func(b *bench)
	oneCore bool // use one core only, so that for example garbage is not collected on another core
	isExtra bool // run this measurement only if an argument names it
}{
	{"real", func(b *bench) { b.manySites(false) }, true, false},
	{"quick", func(b *bench) { b.manySites(true) }, true, true},
	{"made-up", (*bench).madeUp, true, false},
	{"memory", (*bench).memory, true, false},
	{"cached", (*bench).cached, true, false},
	{"hostile", (*bench).hostile, true, false},
	{"wrong", (*bench).wrong, false, false},
	{"languages", (*bench).measureLanguages, false, false},
	{"command", (*bench).command, false, false},
	{"bulk", (*bench).bulk, false, true},
	{"scale", (*bench).scale, false, true},
	{"collections", (*bench).measureCollections, false, true},
}

// bench starts itself in a new process for these functions. The key is the value of the flag -role.
var roles = map[string]func(args []string){
	"usage":   runForUsage,
	"ceiling": func(args []string) { copyLinesWithHost(args[0], os.Stdout) },
	"temoto":  func(args []string) { temotoFilter(args[0], args[1], os.Stdout) },
	"hostile": func(args []string) { printStages(args[0]) },
}

func main() {
	b := &bench{}
	flag.StringVar(&b.heed, "heed", "./heed", "path of the command to measure")
	flag.IntVar(&b.rounds, "rounds", 3, "measure each row this many times; the best counts")
	flag.Uint64Var(&b.seed, "seed", 1, "seed for drawing some of the files")
	flag.IntVar(&b.urls, "urls", 10_000_000, "bulk: URLs in each list")
	flag.IntVar(&b.rows, "rows", 1_000_000, "collections: rows of the smaller one")
	flag.StringVar(&b.origins, "origins", "10000,100000,1000000,3000000", "scale: at least three numbers of origins; the last one is predicted from the others")
	role := flag.String("role", "", "for the processes that this command starts")
	flag.Parse()
	run, ok := roles[*role]
	if !ok {
		run = b.measure
	}
	if err := catchFailure(func() { run(flag.Args()) }); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func (b *bench) measure(names []string) {
	b.folder = get(os.MkdirTemp("", "heed-bench"))
	defer os.RemoveAll(b.folder)
	fmt.Printf("%s; the best of %d rounds\n", machine(), b.rounds)
	var failures error
	known := 0
	for _, m := range measurements {
		if slices.Contains(names, m.name) {
			known++
		} else if len(names) > 0 || m.isExtra {
			continue
		}
		cores := runtime.NumCPU()
		if m.oneCore {
			cores = 1
		}
		runtime.GOMAXPROCS(cores)
		if err := catchFailure(func() { m.run(b) }); errors.Is(err, errNoCorpus) {
			fmt.Println("skipped:", err)
		} else if err != nil {
			failures = errors.Join(failures, fmt.Errorf("%s: %w", m.name, err))
		}
	}
	must(failures)
	if known < len(names) {
		must(fmt.Errorf("not all of %v are measurements", names))
	}
}

type failure struct{ error }

func must(err error) {
	if err != nil {
		panic(failure{err})
	}
}

func get[T any](value T, err error) T {
	must(err)
	return value
}

func catchFailure(work func()) (err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = reason.(failure).error
		}
	}()
	work()
	return nil
}

func machine() string {
	processor := "unknown processor"
	text, _ := os.ReadFile("/proc/cpuinfo")
	if _, model, ok := strings.Cut(string(text), "model name\t: "); ok {
		processor, _, _ = strings.Cut(model, "\n")
	}
	return fmt.Sprintf("%s, %s, %d processors, %s", time.Now().Format(time.DateOnly), processor, runtime.NumCPU(), runtime.Version())
}

func (b *bench) path(name string) string { return filepath.Join(b.folder, name) }

// A table prints each row as soon as the row is measured. The integer value of a table is the number of its columns.
type table int

func newTable(heading ...string) table {
	t := table(len(heading))
	fmt.Println()
	t.row(heading...)
	fmt.Println("| --- |" + strings.Repeat(" ---: |", len(heading)-1))
	return t
}

func (t table) row(cells ...string) {
	cells = append(cells, make([]string, int(t)-len(cells))...)
	fmt.Println("| " + strings.Join(cells, " | ") + " |")
}

func duration[N ~int64 | float64](nanoseconds N) string {
	ns := float64(nanoseconds)
	units := []string{"ns", "µs", "ms", "s"}
	for ns >= 999.5 && len(units) > 1 {
		ns, units = ns/1000, units[1:]
	}
	digits := max(0, 3-len(fmt.Sprint(int(ns))))
	return fmt.Sprintf("%.*f %s", digits, ns, units[0])
}

func ratio(theirs, ours float64) string {
	if theirs < 10*ours {
		return fmt.Sprintf("%.1f", theirs/ours)
	}
	return fmt.Sprintf("%.0f", theirs/ours)
}

func number[N int | float64](n N) string {
	digits := fmt.Sprintf("%.0f", float64(n))
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

func speed(size int, ns float64) string { return fmt.Sprintf("%.0f MB/s", float64(size)/ns*1e3) }

func mib(size int64) string { return fmt.Sprintf("%.1f MiB", float64(size)/(1<<20)) }
