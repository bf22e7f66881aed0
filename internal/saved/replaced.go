package saved

import (
	"time"

	"github.com/heed-robots/heed/origin"
)

// Replaced finds lines that later lines replace. A line replaces earlier lines with the same site and time. A line
// with a time also replaces all lines of its site that have no time.
type Replaced struct {
	Lines  map[int]bool
	latest map[origin.Origin]lineAt
}

type lineAt struct {
	number int
	at     time.Time
}

// Add adds a line. Lines must be added in the order of their numbers.
func (r *Replaced) Add(number int, a *Answer) {
	if r.latest == nil {
		r.Lines, r.latest = map[int]bool{}, map[origin.Origin]lineAt{}
	}
	before, known := r.latest[a.Origin]
	switch {
	case known && a.At.Before(before.at):
		if a.At.IsZero() {
			r.Lines[number] = true
		}
		return
	case known && (a.At.Equal(before.at) || before.at.IsZero()):
		r.Lines[before.number] = true
	}
	r.latest[a.Origin] = lineAt{number, a.At}
}
