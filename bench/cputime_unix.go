//go:build unix

package main

import (
	"syscall"
	"time"
)

// processorTime returns how long this process has kept a processor busy, the
// collection of garbage included.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
