package cli

import (
	"fmt"
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

// An agreement is the dialects that have the same decision.
type agreement struct {
	titles []string
	trace  robotstxt.Trace // of the first of them
}

func (g *agreement) names() string { return dialectTitles(g.titles) }

// dialectTitles joins the titles of dialects.
func dialectTitles(titles []string) string {
	if len(titles) == len(robotstxt.Dialects()) {
		return "all five dialects"
	}
	return strings.Join(titles, ", ")
}

// agreements groups the dialects by their decision, in the order of the dialects.
func (o *explain) agreements() []agreement {
	var groups []agreement
	for _, t := range o.All {
		i := slices.IndexFunc(groups, func(g agreement) bool { return g.trace.Decision == t.Decision })
		if i < 0 {
			groups = append(groups, agreement{trace: t})
			i = len(groups) - 1
		}
		groups[i].titles = append(groups[i].titles, t.Dialect.Title())
	}
	return groups
}

// dialects shows the decision of each dialect. The reason is on the same line, if every
// reason fits there, or else below.
func (o *explain) dialects() {
	o.heading("In each dialect")
	groups := o.agreements()
	const indent = 2 + verdictWidth + 1
	column, reason := 0, 0
	for _, g := range groups {
		column = max(column, layout.Width(g.names()))
		reason = max(reason, layout.Width(g.trace.Decision.Because()))
	}
	below := indent+column+2+reason > o.width
	for _, g := range groups {
		because := g.trace.Decision.Because()
		if below {
			fmt.Fprintf(o.out, "  %s %s\n", o.verdict(g.trace.Decision), layout.Wrap(g.names(), o.textWidth(), indent))
			o.wrap(indent, indent+2, because)
		} else {
			fmt.Fprintf(o.out, "  %s %s  %s\n", o.verdict(g.trace.Decision), layout.Pad(g.names(), column), because)
		}
	}
}

// differences shows why other dialects decide differently. Dialects that ignore a line for
// the same reason share one sentence: "line 4 decides in RFC 9309, but not in 1994 standard
// and 1996 draft: …".
func (o *explain) differences() {
	const titlesHere = "\x00" // stands for the titles of the dialects; no reason contains it
	var reasons []string
	titles := map[string][]string{}
	for _, t := range o.All {
		why := printable.Text(o.Contrast(o.Main, t))
		if why == "" {
			continue
		}
		why = strings.Replace(why, ", but not in "+t.Dialect.Title()+": ", ", but not in "+titlesHere+": ", 1)
		if titles[why] == nil {
			reasons = append(reasons, why)
		}
		titles[why] = append(titles[why], t.Dialect.Title())
	}
	if len(reasons) == 0 {
		return
	}
	o.heading("Why they differ")
	for _, why := range reasons {
		o.wrap(2, 4, "- "+strings.Replace(why, titlesHere, strings.Join(titles[why], " and "), 1))
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
	for _, mark := range marks {
		if mark == "*" {
			parts = append(parts, "* decides in another dialect")
			break
		}
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
