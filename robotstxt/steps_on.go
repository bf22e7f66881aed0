//go:build heedsteps

package robotstxt

// steps is the number of steps that the matcher has taken so far. TestStepsAreBounded compares it with the limit in the
// package documentation.
var steps int

func countSteps(n int) { steps += n }
