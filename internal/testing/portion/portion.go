// Package portion decides how many cases a test checks: a random part, more in CI, and all with HEED_WHOLE.
package portion

import (
	"math/rand/v2"
	"os"
	"testing"
)

// Call Whole inside a test: only then does go test notice that HEED_WHOLE has changed.
func Whole() bool { return os.Getenv("HEED_WHOLE") != "" }

const moreInCI = 4

// About one in n calls of Of returns true, and the case is checked.
func Of(n int) bool {
	if os.Getenv("CI") != "" {
		n = max(1, n/moreInCI)
	}
	return Whole() || rand.IntN(n) == 0
}

// Skip is for tests that take seconds. About one of n calls does not skip.
func Skip(tb testing.TB, n int) {
	tb.Helper()
	if !Of(n) {
		tb.Skip("it takes seconds: not this time; CI=1 tries it more often, HEED_WHOLE=1 always")
	}
}

// One returns one of the cases at random, or all if Whole is true.
func One[T any](cases ...T) []T {
	if Whole() {
		return cases
	}
	return []T{cases[rand.IntN(len(cases))]}
}
