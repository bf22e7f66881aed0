//go:build race

package cache_test

// raceDetector: it takes memory of its own, and much more time.
const raceDetector = true
