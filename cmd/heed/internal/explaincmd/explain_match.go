package explaincmd

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/heed-robots/heed/cmd/heed/internal/layout"
	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/robotstxt"
)

const (
	segmentMark = "^" // below characters that the text of a pattern matches
	starMark    = "~" // below characters that a "*" of the pattern matches
)

const maxRules = 20

// If a rule would begin right of maxRuleColumn, the rule is printed below its marks. So far to the right, a reader
// would not see that the rule and the marks belong together.
const maxRuleColumn = 60

func (o *explain) printRules() {
	t := &o.Main
	if t.Path == "" || t.RuleCount == 0 {
		return
	}
	o.Term.PrintHeading(fmt.Sprintf("Rules that match (%d of %d)", len(t.Candidates), t.RuleCount))
	p := newRuler(t.Path)
	if o.Term.Tty {
		p.shorten(max(o.Term.Width-2, term.MinTextWidth), t.Candidates)
	}
	if len(t.Candidates) == 0 {
		fmt.Fprintf(o.Term.Out, "  %s\n", p.shown())
		fmt.Fprintf(o.Term.Out, "  none\n")
		return
	}
	fmt.Fprintf(o.Term.Out, "  %s\n", o.underlinedPath(p, t.Candidates[0]))
	marks, widest := "", term.MinTextWidth
	shown := t.Candidates[:min(len(t.Candidates), maxRules)]
	for _, c := range shown {
		rule, _ := o.inWords(c)
		marks, widest = marks+p.markLine(c), max(widest, layout.Width(rule))
	}
	column := 2 + layout.Width(p.shown()) + 2
	for _, c := range shown {
		if column <= maxRuleColumn && column+widest <= o.Term.Width {
			o.ruleAfterMarks(p, c, column)
		} else {
			o.ruleBelowMarks(p, c)
		}
	}
	if more := len(t.Candidates) - maxRules; more > 0 {
		o.Term.PrintWrapped(2, 4, fmt.Sprintf("… and %d more; --format json has them all", more))
	}
	legend := segmentMark + " what the pattern matches"
	if strings.Contains(marks, starMark) {
		legend = segmentMark + " what the text of the pattern matches; " + starMark + " what its * matches"
	}
	o.Term.PrintPainted(term.Faint, legend, 2)
}

func (o *explain) ruleAfterMarks(p *ruler, c robotstxt.Candidate, column int) {
	rule, fate := o.inWords(c)
	fmt.Fprintf(o.Term.Out, "  %s  %s\n", o.Term.Paint(term.GreenIf(c.Rule.Allow), p.markLine(c)), layout.Wrap(rule+"  ("+fate+")", o.Term.Width, column))
}

func (o *explain) ruleBelowMarks(p *ruler, c robotstxt.Candidate) {
	if marks := strings.TrimRight(p.markLine(c), " "); marks != "" {
		fmt.Fprintf(o.Term.Out, "  %s\n", o.Term.Paint(term.GreenIf(c.Rule.Allow), marks))
	}
	rule, fate := o.inWords(c)
	o.Term.PrintWrapped(4, 6, rule+"  ("+fate+")")
}

func (o *explain) inWords(c robotstxt.Candidate) (rule, fate string) {
	rule, fate = c.InWords()
	if slices.ContainsFunc(o.Uses, func(u report.UsedRule) bool { return u.Line == c.Rule.Line && u.NeverDecides() }) {
		fate += "; never decides, for any URL"
	}
	return rule, fate
}

// underlinedPath underlines the characters that the deciding pattern matches. Characters that only a "*" matches are
// not underlined.
func (o *explain) underlinedPath(p *ruler, c robotstxt.Candidate) string {
	text := p.shown()
	if !o.Term.Colour {
		return text
	}
	marks, mark := p.markLine(c), segmentMark[0]
	var b strings.Builder
	for at, end := 0, 0; at < len(marks); at = end {
		for end < len(marks) && (marks[end] == mark) == (marks[at] == mark) {
			end++
		}
		part := layout.Cut(text, at, end)
		if marks[at] == mark {
			part = o.Term.Paint(term.Underline, part)
		}
		b.WriteString(part)
	}
	return b.String()
}

// A ruler marks what a pattern matches. The ruler counts columns, because one character may fill two columns. For
// /*?sort= it prints:
//
//	/list/shoes?sort=price
//	^~~~~~~~~~~^^^^^^
type ruler struct {
	text  string
	cells []int // for each byte of the path, the first cell of its character; the last element is the width of the path
	cuts  []cut
}

// In a cut, "…" replaces the columns from start to before end.
type cut struct{ start, end int }

func newRuler(path string) *ruler {
	p := &ruler{cells: make([]int, 0, len(path)+1)}
	var b strings.Builder
	cell := 0
	for len(path) > 0 {
		_, size := utf8.DecodeRuneInString(path)
		shown := printable.Text(path[:size])
		for range size {
			p.cells = append(p.cells, cell)
		}
		b.WriteString(shown)
		cell += layout.Width(shown)
		path = path[size:]
	}
	p.text, p.cells = b.String(), append(p.cells, cell)
	return p
}

func (p *ruler) end() int { return p.cells[len(p.cells)-1] }

// shorten cuts the path so that it fits into the given number of columns (room). If possible, shorten keeps the part
// that the pattern matches, as in /products/shoes/…ice=low.
func (p *ruler) shorten(room int, candidates []robotstxt.Candidate) {
	var free, matched []cut
	at := 0
	if len(candidates) > 0 {
		for _, s := range candidates[0].Spans {
			if at = s.End; s.Star {
				free = append(free, cut{p.cells[s.Start], p.cells[s.End]})
			} else {
				matched = append(matched, cut{p.cells[s.Start], p.cells[s.End]})
			}
		}
	}
	free = append(free, cut{p.cells[at], p.end()})
	byLength := func(a, b cut) int { return (b.end - b.start) - (a.end - a.start) }
	slices.SortFunc(free, byLength)
	slices.SortFunc(matched, byLength)
	excess := p.end() - room
	for _, part := range append(free, matched...) {
		const ends = 4                                  // a shortened part keeps two cells at its start and two at its end
		size := min(excess+1, part.end-part.start-ends) // one cell more, because "…" needs a cell
		if excess <= 0 || size < 2 {
			continue
		}
		from := part.start + (part.end-part.start-size)/2
		p.cuts = append(p.cuts, cut{from, from + size})
		excess -= size - 1
	}
	slices.SortFunc(p.cuts, func(a, b cut) int { return a.start - b.start })
}

func (p *ruler) shown() string {
	var b strings.Builder
	at := 0
	for _, c := range p.cuts {
		b.WriteString(layout.Cut(p.text, at, c.start) + "…")
		at = c.end
	}
	return b.String() + layout.Cut(p.text, at, p.end())
}

func (p *ruler) markLine(c robotstxt.Candidate) string {
	marks := make([]byte, 0, p.end())
	for _, s := range c.Spans {
		mark := segmentMark
		if s.Star {
			mark = starMark
		}
		marks = append(marks, strings.Repeat(mark, max(0, p.cells[s.End]-len(marks)))...)
	}
	marks = append(marks, strings.Repeat(" ", p.end()-len(marks))...)
	for _, c := range slices.Backward(p.cuts) {
		marks = slices.Delete(marks, c.start+1, c.end) // the first mark stays, because it is below the "…"
	}
	return string(marks)
}
