package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"time"
)

func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// A run does something n times, and returns the processor time of all n.
type run func(n int) time.Duration

func repeat(do func()) run {
	return func(n int) time.Duration {
		start := processorTime()
		for range n {
			do()
		}
		return processorTime() - start
	}
}

const (
	shortest = 60 * time.Millisecond // inTurn doubles the number of repetitions until the measured time is at least this long
	longest  = time.Second           // inTurn stops doubling if a measurement, with its preparation, takes longer than this
	tooLong  = 4 * time.Second       // if one repetition of a run takes longer, the run is measured in the first round only
)

// All runs take turns, so a slow phase of the machine affects all. inTurn returns the shortest time of one operation of
// each run.
func (b *bench) inTurn(count int, runs ...run) []float64 {
	best, times := make([]float64, len(runs)), make([]int, len(runs))
	each := func(i int) float64 {
		runtime.GC()
		return float64(runs[i](times[i])) / float64(times[i]*count)
	}
	for i := range runs {
		for times[i] = 1; ; times[i] *= 2 {
			start := time.Now()
			best[i] = each(i)
			if best[i]*float64(times[i]*count) >= float64(shortest) || time.Since(start) > longest {
				break
			}
		}
	}
	for range b.rounds - 1 {
		for i := range runs {
			if best[i]*float64(count) < float64(tooLong) {
				best[i] = min(best[i], each(i))
			}
		}
	}
	return best
}

func keptHeap(build func() any) float64 {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	heap := func() float64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc)
	}
	before := heap()
	kept := build()
	after := heap()
	runtime.KeepAlive(kept)
	return after - before
}

type row struct {
	what  string
	count int      // how many URLs or files the process reads
	args  []string // the program and its arguments
	to    string   // the file for the output of the process; "" means that there is no file
	base  *row

	best *usage // for each field, the lowest value in all runs; nil before the first run
}

type usage struct {
	Took, CPU time.Duration
	Peak      int64 // the largest amount of memory that was used at one time, in bytes
}

func self(role string, args ...string) []string {
	return append([]string{get(os.Executable()), "-role", role, "--"}, args...)
}

// The peak memory of a command includes the memory of the process that starts the command. So a process that only
// starts the command must measure the peak memory.
func runForUsage(args []string) {
	c := exec.Command(args[0], args[1:]...)
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	start := time.Now()
	must(c.Run())
	u := usage{time.Since(start), c.ProcessState.SystemTime() + c.ProcessState.UserTime(), c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss}
	if runtime.GOOS == "linux" { // the value is in KiB on Linux, and in bytes on other systems
		u.Peak <<= 10
	}
	must(json.NewEncoder(os.Stderr).Encode(u))
}

func (r *row) run() {
	args := self("usage", r.args...)
	c := exec.Command(args[0], args[1:]...)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	if r.to != "" {
		out := get(os.Create(r.to))
		defer out.Close()
		c.Stdout = out
	}
	err := c.Run()
	lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
	if err != nil {
		must(fmt.Errorf("%s: %s", r.what, strings.Join(lines[max(len(lines)-2, 0):], ": ")))
	}
	var u usage
	must(json.Unmarshal([]byte(lines[len(lines)-1]), &u))
	if r.best == nil {
		r.best = &u
	}
	*r.best = usage{min(r.best.Took, u.Took), min(r.best.CPU, u.CPU), min(r.best.Peak, u.Peak)}
}

// All rows take turns, so a slow phase of the machine affects all.
func runRows(rounds int, rows ...*row) {
	for range rounds {
		for _, r := range rows {
			r.run()
		}
	}
}

func (r *row) leastUsage() usage {
	u := *r.best
	if r.base != nil {
		base := r.base.leastUsage()
		u = usage{u.Took - base.Took, u.CPU - base.CPU, u.Peak - base.Peak}
	}
	return u
}

func (r *row) perSecond() string { return number(float64(r.count) / r.leastUsage().Took.Seconds()) }

func printRows(heading string, rows ...*row) {
	t := newTable(heading, "URLs or files", "a second", "processor time for 1,000,000", "memory")
	for _, r := range rows {
		u, count := r.leastUsage(), float64(r.count)
		t.row(r.what, number(count), r.perSecond(), fmt.Sprintf("%.3f s", u.CPU.Seconds()/count*1e6), mib(u.Peak))
	}
}

func sizeOf(name string) int64 { return get(os.Stat(name)).Size() }
