package cli

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/heed-robots/heed/cmd/heed/internal/layout"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/origin"
)

// A run shows no progress before patience is over, and then draws it again every redraw.
const (
	patience = time.Second
	redraw   = 200 * time.Millisecond
)

// during shows what text returns, on standard error while a command goes on, if that is a
// terminal; nothing for "". It is given how long that takes already, and runs beside the
// command. Whoever called during calls stop.
func (a *app) during(text func(elapsed time.Duration) string) (stop func()) {
	if !a.shows {
		return func() {}
	}
	start, done := time.Now(), make(chan struct{})
	var drawing sync.WaitGroup
	drawing.Go(func() {
		defer a.screen.clear()
		for wait := patience; ; wait = redraw {
			select {
			case <-done:
				return
			case <-time.After(wait):
				a.screen.draw(text(time.Since(start)))
			}
		}
	})
	return func() {
		close(done)
		drawing.Wait()
	}
}

// asking shows that a site is asked.
func (a *app) asking(site origin.Origin) (stop func()) {
	return a.during(func(elapsed time.Duration) string {
		return fmt.Sprintf("asking %s, %s", site, seconds(elapsed))
	})
}

// seconds is a time in whole seconds, such as "3 s".
func seconds(d time.Duration) string { return fmt.Sprintf("%d s", int(d/time.Second)) }

// screen is a terminal with a line of progress below what is written.
type screen struct {
	on io.Writer

	mu      sync.Mutex
	bar     *progressbar.ProgressBar // nil: none was drawn yet
	drawn   bool                     // the line is there
	midLine bool                     // what was written last has no line end yet
}

// above returns a writer that keeps clear of the line.
func (s *screen) above(w io.Writer) io.Writer { return &aboveLine{s, w, isTerminal(w)} }

type aboveLine struct {
	screen *screen
	w      io.Writer
	tty    bool
}

func (l *aboveLine) Write(b []byte) (int, error) {
	if !l.tty || len(b) == 0 {
		return l.w.Write(b)
	}
	l.screen.mu.Lock()
	defer l.screen.mu.Unlock()
	l.screen.erase()
	l.screen.midLine = b[len(b)-1] != '\n'
	return l.w.Write(b)
}

// draw draws the line, or draws it again.
func (s *screen) draw(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if text == "" {
		s.erase()
	}
	if text == "" || s.midLine {
		return
	}
	if s.bar == nil {
		s.bar = progressbar.NewOptions(-1,
			progressbar.OptionSetWriter(s.on), progressbar.OptionUseANSICodes(true), progressbar.OptionSpinnerType(14),
			progressbar.OptionSetElapsedTime(false), progressbar.OptionSetPredictTime(false),
			progressbar.OptionSetSpinnerChangeInterval(0)) // it turns when it is drawn
	}
	s.drawn = true
	const spinner = 4 // cells, with the spaces around it, and one left free at the end
	s.bar.Describe(layout.Middle(printable.Text(text), widthOf(s.on)-spinner))
}

func (s *screen) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
}

// erase takes the line away.
func (s *screen) erase() {
	if s.drawn {
		s.bar.Clear()
		s.drawn = false
	}
}
