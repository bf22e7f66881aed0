package lint

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxShown is how many octets of a line Shown keeps.
const maxShown = 100

// Shown returns an example of a rule as people read it: it cuts long lines, and of many equal
// lines in a row it has one, and their number.
func Shown(example string) string {
	var b strings.Builder
	last, again := "", 0
	more := func() {
		if again > 0 {
			fmt.Fprintf(&b, "… %s\n", counted(again, "more line like this", "%d more lines like this"))
		}
		again = 0
	}
	for line := range strings.Lines(example) {
		if line == last {
			again++
			continue
		}
		more()
		last = line
		if len(line) > maxShown {
			end := maxShown
			for !utf8.RuneStart(line[end]) {
				end--
			}
			line = line[:end] + "…\n"
		}
		b.WriteString(line)
	}
	more()
	return b.String()
}
