//go:build !race

package robotstxt

const raceDetector = false
