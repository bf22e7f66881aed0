package saved

import (
	"time"

	"github.com/heed-robots/heed/origin"
)

// Replaced finds the lines of a source that do not hold, because others about the same site do: of several
// without a time, or with the same one, the last line holds; and one with a time, not one without it, wherever
// they are. Lines of different times all hold: they are the history of the site.
type Replaced struct {
	Lines  map[int]bool // by number
	latest map[origin.Origin]lineAt
}

type lineAt struct {
	number int
	at     time.Time
}

// Add adds a line; each has a higher number than the one before.
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
