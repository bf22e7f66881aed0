//go:build heedsteps

package origin

// Parsed is called with each URL that Parse gets. It is for tests that count them.
var Parsed = func(url string) {}

func countParse(url string) { Parsed(url) }
