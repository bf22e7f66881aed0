package term

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/heed-robots/heed/cmd/heed/internal/layout"
	"github.com/heed-robots/heed/internal/printable"
)

const (
	progressDelay    = time.Second
	progressInterval = 200 * time.Millisecond
)

// ShowProgress shows a progress line on a terminal until stop is called. If text returns "", there is no line.
func (a *Terminal) ShowProgress(text func(elapsed time.Duration) string) (stop func()) {
	if !a.ErrTTY {
		return func() {}
	}
	start, done := time.Now(), make(chan struct{})
	var drawing sync.WaitGroup
	drawing.Go(func() {
		defer a.Screen.draw("")
		for wait := progressDelay; ; wait = progressInterval {
			select {
			case <-done:
				return
			case <-time.After(wait):
				a.Screen.draw(text(time.Since(start)))
			}
		}
	})
	return func() {
		close(done)
		drawing.Wait()
	}
}

func Seconds(d time.Duration) string { return fmt.Sprintf("%d s", int(d/time.Second)) }

type screen struct {
	On io.Writer

	mu        sync.Mutex
	drawCount int
	isDrawn   bool
	midLine   bool // the last output has no line end yet

	hasMessages, hasOutput bool
}

func (s *screen) writerAbove(w io.Writer, isForMessages bool) io.Writer {
	return &aboveLine{s, w, isTerminal(w), isForMessages}
}

type aboveLine struct {
	screen        *screen
	w             io.Writer
	tty           bool
	isForMessages bool
}

func (l *aboveLine) Write(b []byte) (int, error) {
	if !l.tty || len(b) == 0 {
		return l.w.Write(b)
	}
	l.screen.mu.Lock()
	defer l.screen.mu.Unlock()
	l.screen.erase()
	l.separate()
	l.screen.midLine = b[len(b)-1] != '\n'
	return l.w.Write(b)
}

// separate writes a blank line between messages and the first output after them. The caller must hold screen.mu.
func (l *aboveLine) separate() {
	s := l.screen
	if l.isForMessages {
		s.hasMessages = true
		return
	}
	if s.hasMessages && !s.hasOutput {
		io.WriteString(l.w, "\n")
	}
	s.hasOutput = true
}

// draw never draws into an unfinished line of output. If text is "", it removes the progress line.
func (s *screen) draw(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if text == "" {
		s.erase()
	}
	if text == "" || s.midLine {
		return
	}
	const spinner = 4 // in cells: the spinner, two spaces, and one free cell at the end of the line
	text = layout.Middle(printable.Text(text), WidthOf(s.On)-spinner)
	fmt.Fprintf(s.On, "\r%s %s  \x1b[0K", spinners[s.drawCount%len(spinners)], text)
	s.drawCount++
	s.isDrawn = true
}

var spinners = [...]string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

// The caller of erase must hold s.mu.
func (s *screen) erase() {
	if s.isDrawn {
		io.WriteString(s.On, "\x1b[2K\r")
		s.isDrawn = false
	}
}
