package cli

import (
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/heed-robots/heed/internal/lines"
	"github.com/heed-robots/heed/internal/ordered"
)

// maxURL limits a line of an input of URLs, in bytes.
const maxURL = 1 << 20

// given is a URL from the command line or an input, or the number of a line that is too long.
type given struct {
	url     string
	tooLong int // 0: url is set
}

// urlReader reads the URLs of a command line. If a URL is "-", it reads those of its input.
type urlReader struct {
	urls  []string
	lines *lines.Reader
}

// start returns a function that returns the next URL, or false at the end or after ctx ends.
func (r *urlReader) start(ctx context.Context) (next func() (given, bool)) {
	return ordered.Until(ctx, func(yield func(given) bool) {
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
		for line := range r.lines.All() {
			g := given{url: withoutComment(line.Text)}
			if line.TooLong {
				g.tooLong = line.Number
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
