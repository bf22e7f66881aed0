//go:build !unix

package main

import "time"

var started = time.Now()

// processorTime returns the time that has passed: better than nothing.
func processorTime() time.Duration { return time.Since(started) }
