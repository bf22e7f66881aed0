package lint

import (
	"fmt"
	"strings"

	"github.com/heed-robots/heed/internal/printable"
)

// joined returns findings of one rule, of which those with the same reason are one, at the first of
// their lines. A finding that a comment turns off stays alone: the comment is for its line only.
func (f *file) joined(findings []Finding) []Finding {
	var all []Finding
	later := map[int][]int{} // by the index of the first finding, the lines of the others
	place := map[string]int{}
	for _, found := range findings {
		reason := found.reason
		found.reason = ""
		i, again := place[reason]
		switch {
		case reason == "" || f.turnsOff(found.Code, found.Line):
		case again:
			later[i] = append(later[i], found.Line)
			if found.Fix != nil {
				all[i].Fix.Edits = append(all[i].Fix.Edits, found.Fix.Edits...)
			}
			continue
		default:
			place[reason] = len(all)
		}
		all = append(all, found)
	}
	for i, lines := range later {
		all[i].Message += alsoOn(lines)
		if fix := all[i].Fix; fix != nil {
			fix.Title += ", and correct " + printable.Counted(len(lines), "more line")
		}
	}
	return all
}

// turnsOff reports whether a comment turns a rule off, for a line.
func (f *file) turnsOff(code string, line int) bool {
	return Hidden(Finding{Code: code, Line: line}, f.comments)
}

// alsoOn says on which later lines the same is.
func alsoOn(lines []int) string {
	const most = 5
	var texts []string
	for _, line := range lines[:min(len(lines), most)] {
		texts = append(texts, fmt.Sprint(line))
	}
	switch n := len(texts); {
	case len(lines) == 1:
		return " (also on line " + texts[0] + ")"
	case len(lines) == n:
		return " (also on lines " + strings.Join(texts[:n-1], ", ") + " and " + texts[n-1] + ")"
	default:
		return fmt.Sprintf(" (also on lines %s and %d more)", strings.Join(texts, ", "), len(lines)-n)
	}
}
