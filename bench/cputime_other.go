//go:build !unix

package main

import "time"

var started = time.Now()

// processorTime returns the time since the start: there is no call for processor time here.
func processorTime() time.Duration { return time.Since(started) }
