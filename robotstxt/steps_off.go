//go:build !heedsteps

package robotstxt

// countSteps does nothing: only a test with the tag heedsteps counts.
func countSteps(int) {}
