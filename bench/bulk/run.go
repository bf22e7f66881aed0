package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// crawler is whose URLs are judged.
const crawler = "CCBot"

// A process is a command that is measured.
type process struct {
	args     []string // with the program
	variable string   // of the environment; "": none
	to       string   // the file for its output; "": it has none
}

// A usage is what a process needed.
type usage struct {
	took time.Duration
	cpu  time.Duration
	peak int64 // memory in octets
}

// filter returns "heed filter" for the crawler.
func (s *settings) filter(args ...string) process {
	return process{args: append([]string{s.heed, "filter", "-a", crawler}, args...), to: os.DevNull} // a disk would set the pace
}

// run runs a process to its end.
func (p process) run() (usage, error) {
	c := exec.Command(p.args[0], p.args[1:]...)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	if p.variable != "" {
		c.Env = append(os.Environ(), p.variable)
	}
	if p.to != "" {
		out, err := os.Create(p.to)
		if err != nil {
			return usage{}, err
		}
		defer out.Close()
		c.Stdout = out
	}
	start := time.Now()
	if err := c.Run(); err != nil {
		message := strings.TrimSpace(stderr.String())
		return usage{}, fmt.Errorf("%s: %w: %s", strings.Join(p.args[:min(2, len(p.args))], " "), err, message[strings.LastIndexByte(message, '\n')+1:])
	}
	return usage{time.Since(start), c.ProcessState.SystemTime() + c.ProcessState.UserTime(), peakMemory(c.ProcessState)}, nil
}

// A row is a process that is measured.
type row struct {
	what    string
	count   int // of the URLs or files that it reads
	process process
	base    *row // what it needs too, and which does not count; nil: nothing

	runs []usage
}

// measure measures rows in turns, so that what else the machine does touches all of them.
func measure(rounds int, rows ...*row) error {
	for range rounds {
		for _, r := range rows {
			u, err := r.process.run()
			if err != nil {
				return fmt.Errorf("%s: %w", r.what, err)
			}
			r.runs = append(r.runs, u)
		}
	}
	return nil
}

// least returns the least of each that any run needed. Other processes on the machine change the processor
// time less than the time that a run takes.
func (r *row) least() usage {
	least := r.runs[0]
	for _, u := range r.runs[1:] {
		least = usage{min(least.took, u.took), min(least.cpu, u.cpu), min(least.peak, u.peak)}
	}
	if r.base != nil {
		base := r.base.least()
		least = usage{least.took - base.took, least.cpu - base.cpu, least.peak - base.peak}
	}
	return least
}

// printRows prints a table of rows.
func printRows(heading string, rows ...*row) {
	t := table{heading, "URLs or files", "a second", "processor time for 1,000,000", "memory"}
	t.head()
	for _, r := range rows {
		u, count := r.least(), float64(r.count)
		t.row(r.what, number(count), number(count/u.took.Seconds()), fmt.Sprintf("%.3f s", u.cpu.Seconds()/count*1e6), mib(u.peak))
	}
}

// A table is the names of the columns of a table.
type table []string

func (t table) head() {
	fmt.Println()
	t.row(t...)
	fmt.Println("| --- |" + strings.Repeat(" ---: |", len(t)-1))
}

func (t table) row(cells ...string) {
	fmt.Println("| " + strings.Join(cells, " | ") + " |")
}

// machine returns where and when it was measured.
func machine() string {
	processor := "unknown processor"
	text, _ := os.ReadFile("/proc/cpuinfo") // other systems have none
	if _, model, ok := strings.Cut(string(text), "model name\t: "); ok {
		processor, _, _ = strings.Cut(model, "\n")
	}
	return fmt.Sprintf("%s, %s, %d processors, %s/%s, %s", time.Now().Format(time.DateOnly), processor, runtime.GOMAXPROCS(0),
		runtime.GOOS, runtime.GOARCH, runtime.Version())
}

// number returns a whole number with a comma before each three digits.
func number(n float64) string {
	digits := strconv.FormatFloat(n, 'f', 0, 64)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

func sizeOf(name string) int64 {
	info, err := os.Stat(name)
	if err != nil {
		return 0
	}
	return info.Size()
}

func mib(octets int64) string { return fmt.Sprintf("%.1f MiB", float64(octets)/(1<<20)) }

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }

func milliseconds(d time.Duration) string { return fmt.Sprintf("%.2f ms", d.Seconds()*1000) }

func microseconds(seconds float64) string { return fmt.Sprintf("%.2f µs", seconds*1e6) }
