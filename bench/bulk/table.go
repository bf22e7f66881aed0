package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// A table is the names of the columns of a table.
type table []string

func (t table) head() {
	fmt.Println()
	t.row(t...)
	fmt.Println("| --- |" + strings.Repeat(" ---: |", len(t)-1))
}

func (t table) row(cells ...string) {
	for i := range cells {
		cells[i] = strings.ReplaceAll(cells[i], "|", `\|`)
	}
	fmt.Println("| " + strings.Join(cells, " | ") + " |")
}

// printMachine prints where and when it was measured, and with which data.
func (s *settings) printMachine(f facts) {
	fmt.Printf("%s. %d hosts, %s URLs in each list, best of %d.\n\n", machine(), f.Hosts, number(float64(s.urls)), s.rounds)
}

// machine returns where and when it was measured.
func machine() string {
	processor := "unknown processor"
	text, _ := os.ReadFile("/proc/cpuinfo") // other systems have none
	for line := range strings.Lines(string(text)) {
		if key, value, _ := strings.Cut(line, ":"); strings.TrimSpace(key) == "model name" {
			processor = strings.TrimSpace(value)
			break
		}
	}
	return fmt.Sprintf("%s, %s, %d processors, %s/%s, %s", time.Now().Format(time.DateOnly), processor, runtime.GOMAXPROCS(0),
		runtime.GOOS, runtime.GOARCH, runtime.Version())
}

func perSecond(n int, took time.Duration) float64 { return float64(n) / max(took.Seconds(), 1e-9) }

// number returns a whole number with a comma before each three digits; 0 is "".
func number(n float64) string {
	if n == 0 {
		return ""
	}
	digits := strconv.FormatFloat(n, 'f', 0, 64)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

func mib(octets int64) string { return fmt.Sprintf("%.0f MiB", float64(octets)/(1<<20)) }

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }

func milliseconds(d time.Duration) string { return fmt.Sprintf("%.2f ms", d.Seconds()*1000) }
