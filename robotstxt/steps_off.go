//go:build !heedsteps

package robotstxt

func countSteps(int) {}
