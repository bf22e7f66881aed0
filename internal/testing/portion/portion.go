// Package portion decides how many of its cases a test checks. "make test" checks a random part of the cases. CI checks
// four times as many cases. If the environment variable HEED_WHOLE is set ("make test-all"), all cases are checked.
package portion

import (
	"math/rand/v2"
	"os"
	"testing"
)

// Whole reports whether all cases are checked. It must be called while a test runs, and not earlier: only then go test knows
// that the result depends on the variable, and does not show a cached result.
func Whole() bool { return os.Getenv("HEED_WHOLE") != "" }

const moreInCI = 4

// Of reports whether a case is checked. About one in n calls returns true.
func Of(n int) bool {
	if os.Getenv("CI") != "" {
		n = max(1, n/moreInCI)
	}
	return Whole() || rand.IntN(n) == 0
}

// Skip skips a test that takes seconds. About one in n calls does not skip the test.
func Skip(tb testing.TB, n int) {
	tb.Helper()
	if !Of(n) {
		tb.Skip("it takes seconds: not this time; CI=1 tries it more often, HEED_WHOLE=1 always")
	}
}

// One returns one of the cases at random, or all of them if Whole is true.
func One[T any](cases ...T) []T {
	if Whole() {
		return cases
	}
	return []T{cases[rand.IntN(len(cases))]}
}
