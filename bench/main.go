// Command bench measures Heed beside other programs, and prints tables as Markdown. Results of single machines and days are in
// docs/comparison.md, docs/filter.md and docs/scale.md. It runs on Linux and macOS, in the top folder of the repository. Its
// arguments are the names of measurements:
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

// A bench has the flags of a run.
type bench struct {
	heed    string // the path of the command
	rounds  int
	seed    uint64 // for drawing files
	urls    int    // in each list of bulk
	rows    int    // of collections
	origins string // of scale
	folder  string // for files, which are deleted at the end
}

// measurements are what an argument can name. Each prints a table or several.
var measurements = []struct {
	name    string
	run     func(b *bench)
	oneCore bool // else the processor time of other threads, such as garbage collection on other cores, counts too
	isExtra bool // it is measured only if it is named
}{
	{"real", func(b *bench) { b.manySites(false) }, true, false},
	{"quick", func(b *bench) { b.manySites(true) }, true, true},
	{"made-up", (*bench).madeUp, true, false},
	{"memory", (*bench).memory, true, false},
	{"cached", (*bench).cached, true, false},
	{"hostile", (*bench).hostile, true, false},
	{"wrong", (*bench).wrong, false, false},
	{"languages", (*bench).languages, false, false},
	{"command", (*bench).command, false, false},
	{"bulk", (*bench).bulk, false, true},
	{"scale", (*bench).scale, false, true},
	{"collections", (*bench).collections, false, true},
}

// roles are for the processes that this command starts: it starts itself.
var roles = map[string]func(args []string){
	"usage":   runForUsage,
	"ceiling": func(args []string) { ceiling(args[0], os.Stdout) },
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
	if err := caught(func() { run(flag.Args()) }); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// measure runs the named measurements, or all that are no extra ones. One that fails does not stop the others.
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
		if err := caught(func() { m.run(b) }); errors.Is(err, errNoCorpus) {
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

// A failure ends a measurement.
type failure struct{ error }

// must ends the measurement if there is an error.
func must(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// get returns a value, or ends the measurement.
func get[T any](value T, err error) T {
	must(err)
	return value
}

// caught returns why do ended.
func caught(do func()) (err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = reason.(failure).error // all others are bugs
		}
	}()
	do()
	return nil
}

// machine returns where and when it is measured.
func machine() string {
	processor := "unknown processor"
	text, _ := os.ReadFile("/proc/cpuinfo") // other systems have none
	if _, model, ok := strings.Cut(string(text), "model name\t: "); ok {
		processor, _, _ = strings.Cut(model, "\n")
	}
	return fmt.Sprintf("%s, %s, %d processors, %s", time.Now().Format(time.DateOnly), processor, runtime.NumCPU(), runtime.Version())
}

// path returns the path of a file of the measurement.
func (b *bench) path(name string) string { return filepath.Join(b.folder, name) }

// A table is printed as Markdown, each row as soon as it is measured. It is the number of columns.
type table int

func newTable(heading ...string) table {
	t := table(len(heading))
	fmt.Println()
	t.row(heading...)
	fmt.Println("| --- |" + strings.Repeat(" ---: |", len(heading)-1))
	return t
}

// row prints a row; cells that are not given are empty.
func (t table) row(cells ...string) {
	cells = append(cells, make([]string, int(t)-len(cells))...)
	fmt.Println("| " + strings.Join(cells, " | ") + " |")
}

// duration returns nanoseconds as text with three digits, such as "1.23 µs".
func duration(ns float64) string {
	units := []string{"ns", "µs", "ms", "s"}
	for ns >= 999.5 && len(units) > 1 {
		ns, units = ns/1000, units[1:]
	}
	digits := max(0, 3-len(fmt.Sprint(int(ns))))
	return fmt.Sprintf("%.*f %s", digits, ns, units[0])
}

// ratio returns how many times as long theirs takes as ours.
func ratio(theirs, ours float64) string {
	if theirs < 10*ours {
		return fmt.Sprintf("%.1f", theirs/ours)
	}
	return fmt.Sprintf("%.0f", theirs/ours)
}

// number returns a whole number with a comma before each three digits.
func number(n float64) string {
	digits := fmt.Sprintf("%.0f", n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// speed returns megabytes a second, for a time in nanoseconds.
func speed(octets int, ns float64) string { return fmt.Sprintf("%.0f MB/s", float64(octets)/ns*1e3) }

func mib(octets int64) string { return fmt.Sprintf("%.1f MiB", float64(octets)/(1<<20)) }
