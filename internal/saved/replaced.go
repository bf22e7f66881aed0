package saved

import (
	"time"

	"github.com/heed-robots/heed/origin"
)

// Replaced finds the lines of a source that other lines replace. If two lines have the same site and time, the later line
// replaces the earlier one. A line with a time replaces all lines of its site without a time.
type Replaced struct {
	Lines  map[int]bool // the numbers of the lines that other lines replace
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
