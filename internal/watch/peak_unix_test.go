//go:build unix

package watch_test

import (
	"os"
	"runtime"
	"syscall"
)

// peakOf returns the most memory that a process had, in KiB.
func peakOf(p *os.ProcessState) int {
	usage, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return int(usage.Maxrss) >> 10
	}
	return int(usage.Maxrss)
}
