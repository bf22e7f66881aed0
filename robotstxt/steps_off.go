//go:build !heedsteps

package robotstxt

// countSteps does nothing: steps are only counted with the build tag heedsteps.
func countSteps(int) {}
