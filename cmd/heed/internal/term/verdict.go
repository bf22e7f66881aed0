package term

import (
	"github.com/heed-robots/heed/cmd/heed/internal/exit"
	"github.com/heed-robots/heed/cmd/heed/internal/layout"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/robotstxt"
)

// Verdict returns the word for a decision in its colour, padded to the longest word.
func (a *Terminal) Verdict(d robotstxt.Decision) string {
	return a.Paint(ColourOf(d), layout.Pad(report.VerdictOf(d), VerdictWidth))
}

// ColourOf returns the colour of a verdict.
func ColourOf(d robotstxt.Decision) string {
	if exit.Of(d) == exit.Undetermined {
		return Yellow
	}
	return GreenIf(d.Allowed)
}

// GreenIf returns the colour of what allows or disallows.
func GreenIf(allows bool) string {
	if allows {
		return Green
	}
	return Red
}

// VerdictWidth is the width of the longest verdict.
const VerdictWidth = len("unreachable")
