//go:build heedsteps

package robotstxt

// steps is how many steps the matcher has taken so far. TestStepsAreBounded compares it with the limit in the package
// documentation.
var steps int

func countSteps(n int) { steps += n }
