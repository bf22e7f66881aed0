// Package portion says which cases a test tries: make test tries a part of them, another one each time, and with
// HEED_WHOLE (make test-all) all.
package portion

import (
	"math/rand/v2"
	"os"
)

// Whole: all cases are tried.
var Whole = os.Getenv("HEED_WHOLE") != ""

// Of reports whether a case is tried: about one in n.
func Of(n int) bool { return Whole || rand.IntN(n) == 0 }

// One returns one of some cases, or all.
func One[T any](cases ...T) []T {
	if Whole {
		return cases
	}
	return []T{cases[rand.IntN(len(cases))]}
}
