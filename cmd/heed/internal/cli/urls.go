package cli

import (
	"context"
	"strings"
)

// given is a URL that is given, or the number of a line that is too long for one.
type given struct {
	url     string
	tooLong int
}

// urlReader reads the URLs of a command line and, where one of them is "-", those
// of its input.
type urlReader struct {
	urls  []string
	lines lineReader
}

// start returns what yields the next URL, until there are no more or ctx ends.
func (r *urlReader) start(ctx context.Context) (next func() (given, bool)) {
	all := make(chan given)
	go func() { // which may wait for input for ever
		defer close(all)
		r.each(func(g given) bool {
			select {
			case all <- g:
				return true
			case <-ctx.Done():
				return false
			}
		})
	}()
	return func() (g given, ok bool) {
		select {
		case g, ok = <-all:
		case <-ctx.Done():
		}
		return g, ok && ctx.Err() == nil
	}
}

// withoutComment returns the URL of a line, which may end with a comment, as in the files
// that heed test reads.
func withoutComment(line string) string {
	line = strings.TrimSpace(line)
	for i := strings.IndexByte(line, '#'); i >= 0 && i < len(line); i++ {
		if line[i] == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t') {
			return strings.TrimSpace(line[:i])
		}
	}
	return line
}

func (r *urlReader) each(yield func(given) bool) {
	for _, url := range r.urls {
		if url != "-" {
			if !yield(given{url: url}) {
				return
			}
			continue
		}
		for c, ok := r.lines.next(); ok; c, ok = r.lines.next() {
			for line := range strings.Lines(c.lines) {
				if url := withoutComment(line); url != "" && !yield(given{url: url}) {
					return
				}
			}
			if c.tooLong > 0 && !yield(given{tooLong: c.tooLong}) {
				return
			}
		}
	}
}
