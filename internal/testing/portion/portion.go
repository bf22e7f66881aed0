// Package portion decides how many cases a test checks: a random part, more in CI, and all with HEED_WHOLE.
package portion

import (
	"math/rand/v2"
	"os"
	"testing"
)

// Whole reports whether all cases are checked. Call it inside a test: only then does go test notice that HEED_WHOLE has
// changed.
func Whole() bool { return os.Getenv("HEED_WHOLE") != "" }

const moreInCI = 4

// Of reports whether a case is checked. About one in n calls returns true.
func Of(n int) bool {
	if os.Getenv("CI") != "" {
		n = max(1, n/moreInCI)
	}
	return Whole() || rand.IntN(n) == 0
}

// Skip skips a test that takes seconds, in all but about one of n calls.
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
