//go:build race

package cache_test

// raceDetector is true if the race detector runs: it takes memory and much time itself.
const raceDetector = true
