package asked

import (
	"iter"
	"strings"

	"github.com/heed-robots/heed/internal/address"
	"github.com/heed-robots/heed/internal/lines"
)

// urlsIn returns the URLs and paths of a list, each with the number of its line.
func urlsIn(list string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		number := 0
		for line := range strings.Lines(list) {
			number++
			url := address.WithScheme(lines.Text(lines.Trim(line)))
			if url != "" && !yield(number, url) {
				return
			}
		}
	}
}
