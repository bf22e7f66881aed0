// Package captures opens the sources of robots.txt files that a command line names.
package captures

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/heed-robots/heed/cmd/heed/internal/exit"
	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/internal/bulk/archive"
	"github.com/heed-robots/heed/internal/bulk/capture"
	bulksource "github.com/heed-robots/heed/internal/bulk/source"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/saved"
)

// A Loading reads sources into memory, and keeps what was wrong in them.
type Loading struct {
	bulksource.Loader

	Rejections Places // the parts of the sources that cannot be used
	Escapes    Escapes
}

// Places counts places in files, such as rejected lines, and keeps the first few as samples.
type Places struct {
	mu      sync.Mutex
	Count   int64    `json:"count"`
	Samples []string `json:"samples"`
}

const maxSamples = 5

// Add counts a place. The parameter about has what was found there, such as an error.
func (r *Places) Add(from, place string, about any) {
	if place != "" {
		from += ", " + place
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.Count++; len(r.Samples) < maxSamples {
		r.Samples = append(r.Samples, fmt.Sprintf("%s: %v", from, about))
	}
}

// Tell prints what was found, and the samples. See NoticeSamples.
func (r *Places) Tell(a *term.Terminal, found string) { a.NoticeSamples(found, r.Count, r.Samples) }

// Escapes are the robots.txt files that have the two characters \n in place of line ends. See saved.HasEscapes.
type Escapes struct{ Places }

func (e *Escapes) Tell(a *term.Terminal) {
	e.Places.Tell(a, fmt.Sprintf(`in %s of the sources, the two characters \n are in place of line ends, so heed misses rules there, and may allow everything; if the server did not send this text, write real line ends into the source`,
		printable.Counted(int(e.Count), "robots.txt file")))
}

func (l *Loading) AddEscaped(source, place, url string) {
	l.Escapes.Add(source, place, strings.TrimPrefix(url, "//"))
}

func (l *Loading) Reject(r bulksource.Rejection) { l.Rejections.Add(r.Source, r.Place, r.Err) }

func (l *Loading) Line(elapsed time.Duration) string {
	p := l.Progress()
	return Pace(int(p.Captures), "capture", p.Bytes, p.AllBytes, elapsed)
}

// SizeOf returns the size of all files together in bytes. If the size of one file is not known, SizeOf returns 0.
func SizeOf(names []string) (total int64) {
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil || !info.Mode().IsRegular() {
			return 0
		}
		total += info.Size()
	}
	return total
}

// Pace returns the text of a progress line. If totalBytes is 0, it has no remaining time.
func Pace(done int, what string, readBytes, totalBytes int64, elapsed time.Duration) string {
	text := fmt.Sprintf("%s, %d a second", printable.Counted(done, what), int(float64(done)/elapsed.Seconds()))
	if totalBytes > 0 && readBytes > 0 {
		left := time.Duration(float64(elapsed) * float64(max(0, totalBytes-readBytes)) / float64(readBytes))
		text += fmt.Sprintf(", %d %%, %s left", 100*readBytes/totalBytes, term.Seconds(left))
	}
	return text
}

// Summarize prints how many records were rejected. A source without a usable record sets the exit status to 2.
func (l *Loading) Summarize(a *term.Terminal) {
	l.Rejections.Tell(a, printable.Counted(int(l.Rejections.Count), "record")+" of the sources rejected")
	l.Escapes.Tell(a)
	if useless := l.Progress().Useless; useless > 0 {
		a.Notice(fmt.Sprintf("nothing of %s could be used", printable.Counted(int(useless), "source")))
		a.Raise(exit.Usage)
	}
}

// Sources are the open sources of --robots.
type Sources struct {
	Archives capture.Archives
	closers  []func()
}

func (s *Sources) OnClose(f func()) { s.closers = append(s.closers, f) }

func (s *Sources) Close() {
	for _, f := range s.closers {
		f()
	}
}

// Add opens more sources. All except archives are read into memory.
func (s *Sources) Add(ctx context.Context, a *term.Terminal, loading *Loading, columns saved.Columns, names []string) error {
	var toLoad []string
	for _, name := range names {
		if kind, err := bulksource.KindOf(name); err != nil || kind != bulksource.Archive {
			toLoad = append(toLoad, name) // Load will report err
			continue
		}
		if err := s.open(name); err != nil {
			return err
		}
	}
	switch {
	case len(toLoad) == 0 && columns.IsGiven():
		return errors.New("--columns is for sources of --robots that are tables or JSON lines, but all sources are archives: leave --columns out; to name the column with the URL in an INPUT, use --column")
	case len(toLoad) == 0:
		return nil
	}
	set := &capture.Set{}
	loading.Loader.Add = func(c *capture.Capture) error { set.Add(c); return nil }
	loading.Loader.Rejected, loading.Loader.Escaped = loading.Reject, loading.AddEscaped
	loading.Columns = columns
	defer a.ShowProgress(loading.Line)()
	if err := loading.Load(ctx, toLoad); err != nil {
		return err
	}
	set.Seal()
	s.Archives = append(s.Archives, set)
	return nil
}

func (s *Sources) open(name string) error {
	a, err := archive.Open(name)
	if err == nil {
		s.Archives = append(s.Archives, a)
		s.OnClose(func() { a.Close() })
	}
	return err
}
