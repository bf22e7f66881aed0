//go:build race

package robotstxt

// raceDetector: it makes pools forget what they hold, at random.
const raceDetector = true
