//go:build heedsteps

package origin

// Parsed is called with each URL that Parse gets, so that tests can count them.
var Parsed = func(url string) {}

func countParse(url string) { Parsed(url) }
