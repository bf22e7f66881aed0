package cli

import (
	"iter"
	"slices"

	"github.com/heed-robots/heed/internal/lines"
)

// maxURL limits a line of an input of URLs, in bytes.
const maxURL = 1 << 20

// given are URLs of the command line, or some lines of an input.
type given struct {
	urls  []string
	lines iter.Seq[lines.Line] // nil: the URLs are those of the command line
}

// given yields the URLs, and for "-" the lines of an input: one by one for live sites, which are slow, or
// else many at once.
func (o *check) given(urls []string, from *lines.Reader) iter.Seq[given] {
	return func(yield func(given) bool) {
		for len(urls) > 0 {
			if urls[0] == "-" {
				if !o.linesOf(from, yield) {
					return
				}
				urls = urls[1:]
				continue
			}
			n := 1
			for !o.isLive() && n < len(urls) && urls[n] != "-" {
				n++
			}
			if !yield(given{urls: urls[:n]}) {
				return
			}
			urls = urls[n:]
		}
	}
}

// linesOf yields the lines of an input until yield returns false.
func (o *check) linesOf(from *lines.Reader, yield func(given) bool) bool {
	for b := range from.Blocks {
		if !o.isLive() {
			if !yield(given{lines: b.All()}) {
				return false
			}
			continue
		}
		for line := range b.All() {
			if !yield(given{lines: slices.Values([]lines.Line{line})}) {
				return false
			}
		}
	}
	return true
}
