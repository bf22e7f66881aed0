package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/heed-robots/heed/cmd/heed/internal/layout"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/robotstxt"
)

// text prints the explanation for people.
func (o *explain) text() {
	o.headline()
	o.dialects()
	o.differences()
	o.excerpt()
	o.groups()
	o.rules()
}

func (o *explain) headline() {
	headline, answer := o.Main.Headline(), o.Main.Answer()
	if layout.Width(headline) > o.textWidth() {
		headline = strings.TrimSuffix(headline, " "+answer) + "\n" + answer
	}
	o.painted(bold, headline, 0)
	o.wrap(2, 4, o.Main.Decision.Because())
	if facts := o.factsOf(o.Agents).String(); facts != "" && o.Main.Decision.Reason != robotstxt.IgnoresEveryone {
		o.wrap(2, 4, facts)
	}
	if o.site != nil {
		o.wrap(2, 4, fmt.Sprintf("%s: %s, %s", o.site.Origin.RobotsURL(), o.site.Outcome, retrievalText(o.site)))
	}
}

// groups shows which groups apply.
func (o *explain) groups() {
	sections := o.Main.Sections()
	if len(sections) == 0 {
		return
	}
	o.heading(sections[0].Title)
	for _, line := range sections[0].Lines {
		o.wrap(2, 6, line)
	}
}

// dialectTitles joins the titles of dialects.
func dialectTitles(dialects []*robotstxt.Dialect) string {
	if len(dialects) == len(robotstxt.Dialects()) {
		return "all five dialects"
	}
	return joinTitles(dialects, ", ")
}

func joinTitles(dialects []*robotstxt.Dialect, separator string) string {
	var titles []string
	for _, d := range dialects {
		titles = append(titles, d.Title())
	}
	return strings.Join(titles, separator)
}

// dialectsOf returns the dialects of some traces.
func dialectsOf(traces []robotstxt.Trace) (dialects []*robotstxt.Dialect) {
	for _, t := range traces {
		dialects = append(dialects, t.Dialect)
	}
	return dialects
}

// dialects shows the decision of each dialect. The reason is on the same line, if every
// reason fits there, or else below.
func (o *explain) dialects() {
	o.heading("In each dialect")
	groups := together(o.All, func(t robotstxt.Trace) robotstxt.Decision { return t.Decision })
	const indent = 2 + verdictWidth + 1
	column, reason := 0, 0
	for _, g := range groups {
		column = max(column, layout.Width(dialectTitles(dialectsOf(g))))
		reason = max(reason, layout.Width(g[0].Decision.Because()))
	}
	below := indent+column+2+reason > o.width
	for _, g := range groups {
		d, names := g[0].Decision, dialectTitles(dialectsOf(g))
		if below {
			fmt.Fprintf(o.out, "  %s %s\n", o.verdict(d), layout.Wrap(names, o.textWidth(), indent))
			o.wrap(indent, indent+2, d.Because())
		} else {
			fmt.Fprintf(o.out, "  %s %s  %s\n", o.verdict(d), layout.Pad(names, column), d.Because())
		}
	}
}

// differences shows why other dialects decide differently. Dialects that ignore a line for
// the same reason share one sentence: "line 4 decides in RFC 9309, but not in 1994 standard
// and 1996 draft: …".
func (o *explain) differences() {
	const titlesHere = "\x00" // stands for the titles of the dialects; no reason contains it
	reason := func(t robotstxt.Trace) string {
		why := printable.Text(o.Contrast(o.Main, t))
		return strings.Replace(why, ", but not in "+t.Dialect.Title()+": ", ", but not in "+titlesHere+": ", 1)
	}
	differing := slices.DeleteFunc(slices.Clone(o.All), func(t robotstxt.Trace) bool { return reason(t) == "" })
	if len(differing) == 0 {
		return
	}
	o.heading("Why they differ")
	for _, like := range together(differing, reason) {
		o.wrap(2, 4, "- "+strings.Replace(reason(like[0]), titlesHere, joinTitles(dialectsOf(like), " and "), 1))
	}
}

// contextLines is how many lines are shown before and after a line that decides.
const contextLines = 3

// excerpt shows the lines that decide, with the lines around them. ">" marks the line that
// decides in the dialect of --dialect, "*" those that decide in others.
func (o *explain) excerpt() {
	marks := map[int]string{}
	for _, t := range o.All {
		marks[t.Decision.Rule.Line] = "*"
	}
	marks[o.Main.Decision.Rule.Line] = ">"
	delete(marks, 0)
	if len(marks) == 0 {
		return
	}
	o.heading("The file")
	last := 0
	for line := range o.File.Lines() {
		if !isNear(line.Number, marks) {
			continue
		}
		if last != 0 && line.Number > last+1 {
			fmt.Fprintf(o.out, "  %7s\n", "…")
		}
		last = line.Number
		mark := marks[line.Number]
		text := strings.ReplaceAll(printableLine(line.Raw), "\t", "    ")
		if mark == ">" {
			text = o.paint(bold, text)
		}
		fmt.Fprintln(o.out, strings.TrimRight(fmt.Sprintf("  %1s %5d  %s", mark, line.Number, o.wrapped(text, o.width, 13)), " "))
	}
	o.painted(faint, o.marksLegend(marks), 2)
}

// marksLegend returns what the marks of the excerpt mean.
func (o *explain) marksLegend(marks map[int]string) string {
	var parts []string
	if o.Main.Decision.Rule.Line > 0 {
		parts = append(parts, fmt.Sprintf("> decides in %s", o.Main.Dialect.Title()))
	}
	if slices.Contains(slices.Collect(maps.Values(marks)), "*") {
		parts = append(parts, "* decides in another dialect")
	}
	return strings.Join(parts, "; ")
}

// isNear reports whether a line is shown with one of the lines that have a mark.
func isNear(number int, marks map[int]string) bool {
	for line := range marks {
		if number >= line-contextLines && number <= line+contextLines {
			return true
		}
	}
	return false
}
