package cli

import (
	"fmt"
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
		p.room = max(o.width-2, leastReadable)
	}
	if len(t.Candidates) == 0 {
		fmt.Fprintf(o.out, "  %s\n", p.cut(p.text))
		fmt.Fprintf(o.out, "  none\n")
		return
	}
	fmt.Fprintf(o.out, "  %s\n", o.underlined(p, t.Candidates[0]))
	marks := ""
	for _, c := range t.Candidates[:min(len(t.Candidates), mostMatching)] {
		marks += o.rule(p, c)
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

// rule shows one rule: the marks, and behind them, or below where there is no room, which
// rule it is. It returns the marks.
func (o *explain) rule(p *ruler, c robotstxt.Candidate) string {
	colour := red
	if c.Rule.Allow {
		colour = green
	}
	marks := p.cut(p.marks(c))
	rule, fate := c.InWords()
	beside := 2 + p.width() + 2
	if beside+max(layout.Width(rule), leastReadable) <= o.width {
		fmt.Fprintf(o.out, "  %s  %s\n", o.paint(colour, marks), layout.Wrap(rule+"  ("+fate+")", o.width, beside))
		return marks
	}
	if short := strings.TrimRight(marks, " "); short != "" {
		fmt.Fprintf(o.out, "  %s\n", o.paint(colour, short))
	}
	o.wrap(4, 6, rule+"  ("+fate+")")
	return marks
}

// underlined returns the path, with what the rule that decides names of it underlined
// where there are colours.
func (o *explain) underlined(p *ruler, c robotstxt.Candidate) string {
	text := p.cut(p.text)
	if !o.colour {
		return text
	}
	marks := []rune(p.cut(p.marks(c)))
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
		if is := cell < len(marks) && string(marks[cell]) == segmentMark; is != marked {
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
	room  int    // for a line; 0: no bound
}

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

// marks returns a line as long as the path, with marks below what a rule matches.
func (p *ruler) marks(c robotstxt.Candidate) string {
	var b strings.Builder
	end := 0
	for _, s := range c.Spans {
		mark := segmentMark
		if s.Star {
			mark = starMark
		}
		from := end
		end = p.cells[s.End]
		b.WriteString(strings.Repeat(mark, max(0, end-from)))
	}
	b.WriteString(strings.Repeat(" ", p.cells[len(p.cells)-1]-end))
	return b.String()
}

// cut leaves the middle of a line out where it has no room.
func (p *ruler) cut(line string) string {
	if p.room == 0 {
		return line
	}
	return layout.Middle(line, p.room)
}

// width is how wide a line is.
func (p *ruler) width() int { return layout.Width(p.cut(p.text)) }
