package main

import (
	"io"
	"os"
	"strings"

	"github.com/heed-robots/heed/internal/lines"
	"github.com/heed-robots/heed/internal/ordered"
)

// ceiling writes the lines of a file that have a host, and does nothing else: heed filter reads, finds
// the host and writes too, so it cannot be faster. It works as heed does: on blocks of whole lines, with
// a goroutine for each processor.
func ceiling(name string, to io.Writer) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	in := lines.New(f, name, 1<<20)
	in.Recycles = true
	worker := func() func(lines.Block) []byte {
		return func(block lines.Block) []byte {
			out := lines.NewBuffer()
			for line := range strings.Lines(block.Text) {
				if len(hostOf(line)) > 0 {
					out = append(out, line...)
				}
			}
			block.Recycle()
			return out
		}
	}
	var failure error
	ordered.Map(workers(), in.Next, worker, func(out []byte) {
		if failure == nil {
			_, failure = to.Write(out)
		}
		lines.Recycle(out)
	})
	if failure == nil {
		failure = in.Err()
	}
	return failure
}

// hostOf returns the host of the first URL in a line.
func hostOf(line string) string {
	_, rest, _ := strings.Cut(line, "://")
	for i, c := range []byte(rest) {
		if c == '/' || c == '?' || c == '#' || c == '"' || c == '\n' {
			return rest[:i]
		}
	}
	return rest
}
