package cli

import (
	"context"
	"iter"
	"slices"
	"strings"
)

// given is a URL from the command line or an input, or the number of a line that is too long.
type given struct {
	url     string
	tooLong int // 0: url is set
}

// urlReader reads the URLs of a command line. If a URL is "-", it reads those of its input.
type urlReader struct {
	urls  []string
	lines *lineReader
}

// start returns a function that returns the next URL, or false at the end or after ctx ends.
func (r *urlReader) start(ctx context.Context) (next func() (given, bool)) {
	return until(ctx, func(yield func(given) bool) {
		for _, url := range r.urls {
			some := slices.Values([]given{{url: url}})
			if url == "-" {
				some = r.given()
			}
			for g := range some {
				if !yield(g) {
					return
				}
			}
		}
	})
}

// given yields the URLs of the input.
func (r *urlReader) given() iter.Seq[given] {
	return func(yield func(given) bool) {
		for line := range r.lines.all() {
			g := given{url: withoutComment(line.text)}
			if line.tooLong {
				g.tooLong = line.number
			}
			if g != (given{}) && !yield(g) {
				return
			}
		}
	}
}

// withoutComment returns the URL of a line without its comment. A comment begins with "#" at
// the start of the line or after white space, as in the files of heed test.
func withoutComment(line string) string {
	line = strings.TrimSpace(line)
	for i := strings.IndexByte(line, '#'); i >= 0 && i < len(line); i++ {
		if line[i] == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t') {
			return strings.TrimSpace(line[:i])
		}
	}
	return line
}

// until returns a function that returns the next item, or false at the end or after ctx ends.
// Unlike that of iter.Pull it returns at once when ctx ends, even if items waits for input.
func until[T any](ctx context.Context, items iter.Seq[T]) (next func() (T, bool)) {
	all := make(chan T)
	go func() { // may wait for input until the process ends
		defer close(all)
		for item := range items {
			select {
			case all <- item:
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() (item T, ok bool) {
		select {
		case item, ok = <-all:
		case <-ctx.Done():
		}
		return item, ok && ctx.Err() == nil
	}
}
