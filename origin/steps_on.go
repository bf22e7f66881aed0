//go:build heedsteps

package origin

// Parsed is called with each URL that Parse gets, so that tests can count the calls.
var Parsed = func(url string) {}

func countParse(url string) { Parsed(url) }
