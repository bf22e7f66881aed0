//go:build race

package robotstxt

// raceDetector is true if the tests run under the race detector. Pools then drop values at
// random, so allocations cannot be counted.
const raceDetector = true
