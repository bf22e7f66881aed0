//go:build heedsteps

package robotstxt

// steps is the number of the matcher's steps so far. TestStepsAreBounded compares it with the
// limit in the package documentation.
var steps int

func countSteps(n int) { steps += n }
