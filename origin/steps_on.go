//go:build heedsteps

package origin

// Parsed is called with each URL that Parse gets. Tests count the calls.
var Parsed = func(url string) {}

func countParse(url string) { Parsed(url) }
