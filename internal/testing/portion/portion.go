// Package portion says which cases a test tries. make test tries some of them, others each time; in CI it tries four
// times as many, and with HEED_WHOLE (make test-all) all.
package portion

import (
	"math/rand/v2"
	"os"
	"testing"
)

// Whole reports whether all cases are tried. The environment is read while a test runs, and not before it: so go test
// notices a change of it, and does not show the result of another portion.
func Whole() bool { return os.Getenv("HEED_WHOLE") != "" }

const moreInCI = 4

// Of reports whether a case is tried: about one in n.
func Of(n int) bool {
	if os.Getenv("CI") != "" {
		n = max(1, n/moreInCI)
	}
	return Whole() || rand.IntN(n) == 0
}

// Skip skips a test that takes seconds, but about one time in n.
func Skip(tb testing.TB, n int) {
	tb.Helper()
	if !Of(n) {
		tb.Skip("it takes seconds: not this time; CI=1 tries it more often, HEED_WHOLE=1 always")
	}
}

// One returns one of some cases, or all.
func One[T any](cases ...T) []T {
	if Whole() {
		return cases
	}
	return []T{cases[rand.IntN(len(cases))]}
}
