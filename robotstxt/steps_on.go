//go:build heedsteps

package robotstxt

// steps is the work of the matcher so far; see the test that holds it against what the
// package promises.
var steps int

func countSteps(n int) { steps += n }
