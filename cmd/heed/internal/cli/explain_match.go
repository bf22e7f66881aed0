package cli

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/heed-robots/heed/cmd/heed/internal/layout"
	"github.com/heed-robots/heed/robotstxt"
)

// The marks below a path.
const (
	segmentMark = "^" // what a part of a pattern matches
	starMark    = "~" // what a "*" matches
)

// mostMatching is how many of the rules that match are shown; more say nothing new.
const mostMatching = 20

// farthest is the column in which a rule is still read as one line with its marks.
const farthest = 60

// rules shows the rules that match, the one that decides first, with marks below what
// they match of the path.
func (o *explain) rules() {
	t := &o.main
	if t.Path == "" || t.RuleCount == 0 {
		return
	}
	o.heading(fmt.Sprintf("Rules that match (%d of %d)", len(t.Candidates), t.RuleCount))
	p := newRuler(t.Path)
	if o.tty {
		p.shorten(max(o.width-2, leastReadable), t.Candidates)
	}
	if len(t.Candidates) == 0 {
		fmt.Fprintf(o.out, "  %s\n", p.shown())
		fmt.Fprintf(o.out, "  none\n")
		return
	}
	fmt.Fprintf(o.out, "  %s\n", o.underlined(p, t.Candidates[0]))
	marks, widest := "", leastReadable
	shown := t.Candidates[:min(len(t.Candidates), mostMatching)]
	for _, c := range shown {
		rule, _ := c.InWords()
		marks, widest = marks+p.marks(c), max(widest, layout.Width(rule))
	}
	beside := 2 + p.width() + 2
	for _, c := range shown {
		if beside <= farthest && beside+widest <= o.width {
			o.ruleBeside(p, c, beside)
		} else {
			o.ruleBelow(p, c)
		}
	}
	if more := len(t.Candidates) - mostMatching; more > 0 {
		o.wrap(2, 4, fmt.Sprintf("… and %d more; --format json has them all", more))
	}
	legend := segmentMark + " a part of the pattern"
	if strings.Contains(marks, starMark) {
		legend += "; " + starMark + " what its * matches"
	}
	o.painted(faint, legend, 2)
}

// ruleBeside shows one rule: the marks, and from a column on which rule it is.
func (o *explain) ruleBeside(p *ruler, c robotstxt.Candidate, column int) {
	rule, fate := c.InWords()
	fmt.Fprintf(o.out, "  %s  %s\n", o.paint(colourOfRule(c), p.marks(c)), layout.Wrap(rule+"  ("+fate+")", o.width, column))
}

// ruleBelow is ruleBeside where there is no room for that.
func (o *explain) ruleBelow(p *ruler, c robotstxt.Candidate) {
	if marks := strings.TrimRight(p.marks(c), " "); marks != "" {
		fmt.Fprintf(o.out, "  %s\n", o.paint(colourOfRule(c), marks))
	}
	rule, fate := c.InWords()
	o.wrap(4, 6, rule+"  ("+fate+")")
}

func colourOfRule(c robotstxt.Candidate) string {
	if c.Rule.Allow {
		return green
	}
	return red
}

// underlined returns the path, with what the rule that decides names of it underlined
// where there are colours.
func (o *explain) underlined(p *ruler, c robotstxt.Candidate) string {
	text := p.shown()
	if !o.colour {
		return text
	}
	marks := p.marks(c)
	var b strings.Builder
	cell, from, marked := 0, 0, false
	flush := func(end int) {
		part := text[from:end]
		if marked {
			part = o.paint(underline, part)
		}
		b.WriteString(part)
		from = end
	}
	for i, r := range text {
		if is := cell < len(marks) && marks[cell:cell+1] == segmentMark; is != marked {
			flush(i)
			marked = is
		}
		cell += layout.Width(string(r))
	}
	flush(len(text))
	return b.String()
}

// A ruler lays marks below a path.
type ruler struct {
	text  string // the path as it is shown
	cells []int  // the cell in which each octet of the path begins; one more for its end
	cuts  []cut  // what is left out of every line, in order
}

// A cut is some cells that are left out; "…" stands for them.
type cut struct{ from, to int }

func newRuler(path string) *ruler {
	p := &ruler{cells: make([]int, 0, len(path)+1)}
	var b strings.Builder
	cell := 0
	for len(path) > 0 {
		_, size := utf8.DecodeRuneInString(path)
		shown := visible(path[:size])
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

// end returns how wide the path is.
func (p *ruler) end() int { return p.cells[len(p.cells)-1] }

// shorten leaves middles of the path out until it has room: first of what no segment of
// the rule that decides names, the longest first.
func (p *ruler) shorten(room int, candidates []robotstxt.Candidate) {
	var free, named []cut
	at := 0
	if len(candidates) > 0 {
		for _, s := range candidates[0].Spans {
			if at = s.End; s.Star {
				free = append(free, cut{p.cells[s.Start], p.cells[s.End]})
			} else {
				named = append(named, cut{p.cells[s.Start], p.cells[s.End]})
			}
		}
	}
	free = append(free, cut{p.cells[at], p.end()})
	byLength := func(a, b cut) int { return (b.to - b.from) - (a.to - a.from) }
	slices.SortFunc(free, byLength)
	slices.SortFunc(named, byLength)
	excess := p.end() - room
	for _, part := range append(free, named...) {
		const ends = 4 // cells that stay at both ends together
		size := min(excess+1, part.to-part.from-ends)
		if excess <= 0 || size < 2 {
			continue
		}
		from := part.from + (part.to-part.from-size)/2
		p.cuts = append(p.cuts, cut{from, from + size})
		excess -= size - 1
	}
	slices.SortFunc(p.cuts, func(a, b cut) int { return a.from - b.from })
}

// shown returns the path, without what is left out.
func (p *ruler) shown() string {
	var b strings.Builder
	at := 0
	for _, c := range p.cuts {
		b.WriteString(layout.Cut(p.text, at, c.from) + "…")
		at = c.to
	}
	return b.String() + layout.Cut(p.text, at, p.end())
}

// marks returns a line as wide as the path that is shown, with marks below what a rule
// matches.
func (p *ruler) marks(c robotstxt.Candidate) string {
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
		marks = slices.Delete(marks, c.from+1, c.to) // one stays below the "…"
	}
	return string(marks)
}

// width is how wide a line is.
func (p *ruler) width() int { return layout.Width(p.shown()) }
