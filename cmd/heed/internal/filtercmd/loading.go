package filtercmd

import (
	"fmt"
	"sync"
	"time"

	"github.com/heed-robots/heed/cmd/heed/internal/term"
	bulksource "github.com/heed-robots/heed/internal/bulk/source"
	"github.com/heed-robots/heed/internal/printable"
)

// A loading reads sources of robots.txt files.
type loading struct {
	bulksource.Loader

	rejections // parts of the sources that cannot be used
}

// rejections counts what cannot be used, and keeps the first of it for a summary.
type rejections struct {
	mu       sync.Mutex
	rejected int64
	samples  []string
}

// maxSamples is how many rejections a summary shows.
const maxSamples = 5

func (r *rejections) add(from, place string, why error) {
	if place != "" {
		from += ", " + place
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.rejected++; len(r.samples) < maxSamples {
		r.samples = append(r.samples, fmt.Sprintf("  %s: %v", from, why))
	}
}

// tell prints how much cannot be used, and the first of it.
func (r *rejections) tell(a *term.Terminal, howMuch string) {
	if r.rejected == 0 {
		return
	}
	a.Notice(howMuch + " rejected; the first:")
	for _, sample := range r.samples {
		a.Notice(sample)
	}
}

// reject counts a part of a source that cannot be used.
func (l *loading) reject(r bulksource.Rejection) { l.add(r.Source, r.Place, r.Err) }

// progress is the line of progress.
func (l *loading) progress(elapsed time.Duration) string {
	p := l.Progress()
	return pace(int(p.Captures), "capture", p.Bytes, p.AllBytes, elapsed)
}

// pace returns how much is done and how fast and, if all is known, how long the rest of the octets takes.
func pace(done int, what string, read, all int64, elapsed time.Duration) string {
	text := fmt.Sprintf("%s, %d a second", printable.Counted(done, what), int(float64(done)/elapsed.Seconds()))
	if all > 0 && read > 0 {
		left := time.Duration(float64(elapsed) * float64(max(0, all-read)) / float64(read))
		text += fmt.Sprintf(", %d %%, %s left", 100*read/all, term.Seconds(left))
	}
	return text
}

// summarize prints how many parts of the sources cannot be used, and the first of them.
func (l *loading) summarize(a *term.Terminal) {
	l.tell(a, printable.Counted(int(l.rejected), "record")+" of the sources")
}
