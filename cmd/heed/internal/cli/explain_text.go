package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/heed-robots/heed/cmd/heed/internal/layout"
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
	headline, answer := o.main.Headline(), o.main.Answer()
	if layout.Width(headline) > o.textWidth() {
		headline = strings.TrimSuffix(headline, " "+answer) + "\n" + answer
	}
	o.painted(bold, headline, 0)
	o.wrap(2, 4, o.main.Decision.Because())
	if o.site != nil {
		o.wrap(2, 4, fmt.Sprintf("%s: %s, %s", o.site.Origin.RobotsURL(), o.site.Outcome, retrievalText(o.site)))
	}
}

// groups says which groups apply.
func (o *explain) groups() {
	sections := o.main.Sections()
	if len(sections) == 0 {
		return
	}
	o.heading(sections[0].Title)
	for _, line := range sections[0].Lines {
		o.wrap(2, 6, line)
	}
}

// An agreement is some dialects of which the same is to be said.
type agreement struct {
	titles []string
	trace  robotstxt.Trace
}

// names returns the titles of the dialects.
func (g *agreement) names() string { return dialectTitles(g.titles) }

// dialectTitles joins the titles of dialects that agree.
func dialectTitles(titles []string) string {
	if len(titles) == len(robotstxt.Dialects()) {
		return "all five dialects"
	}
	return strings.Join(titles, ", ")
}

// agreements returns the dialects by what they decide, in their order.
func (o *explain) agreements() []agreement {
	var groups []agreement
	for _, t := range o.all {
		i := slices.IndexFunc(groups, func(g agreement) bool { return g.trace.Decision == t.Decision })
		if i < 0 {
			groups = append(groups, agreement{trace: t})
			i = len(groups) - 1
		}
		groups[i].titles = append(groups[i].titles, t.Dialect.Title())
	}
	return groups
}

// dialects says what each dialect decides: in one line where there is room for every
// reason, else with the reasons below.
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

// differences says why other dialects answer otherwise, once for those that have the
// same reason not to heed a line.
func (o *explain) differences() {
	const here = "\x00" // where the dialects are named, which no reason holds
	var reasons []string
	titles := map[string][]string{}
	for _, t := range o.all {
		why := visible(o.contrast(o.main, t))
		if why == "" {
			continue
		}
		why = strings.Replace(why, ", but not in "+t.Dialect.Title()+": ", ", but not in "+here+": ", 1)
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
		o.wrap(2, 4, "- "+strings.Replace(why, here, strings.Join(titles[why], " and "), 1))
	}
}

// around is how many lines before and behind one that decides are shown.
const around = 3

// excerpt shows the file around the lines that decide: ">" is the one that is
// explained, "*" those of other dialects.
func (o *explain) excerpt() {
	marks := map[int]string{}
	for _, t := range o.all {
		marks[t.Decision.Rule.Line] = "*"
	}
	marks[o.main.Decision.Rule.Line] = ">"
	delete(marks, 0)
	if len(marks) == 0 {
		return
	}
	o.heading("The file")
	last := 0
	for line := range o.file.Lines() {
		if !near(line.Number, marks) {
			continue
		}
		if last != 0 && line.Number > last+1 {
			fmt.Fprintf(o.out, "  %7s\n", "…")
		}
		last = line.Number
		mark := marks[line.Number]
		text := strings.ReplaceAll(visibleLine(line.Raw), "\t", "    ")
		if mark == ">" {
			text = o.paint(bold, text)
		}
		fmt.Fprintln(o.out, strings.TrimRight(fmt.Sprintf("  %1s %5d  %s", mark, line.Number, o.wrapped(text, o.width, 13)), " "))
	}
	o.painted(faint, o.marksLegend(marks), 2)
}

// marksLegend says what the marks mean that are shown.
func (o *explain) marksLegend(marks map[int]string) string {
	var parts []string
	if o.main.Decision.Rule.Line > 0 {
		parts = append(parts, fmt.Sprintf("> decides in %s", o.main.Dialect.Title()))
	}
	for _, mark := range marks {
		if mark == "*" {
			parts = append(parts, "* decides in another dialect")
			break
		}
	}
	return strings.Join(parts, "; ")
}

func near(number int, marks map[int]string) bool {
	for line := range marks {
		if number >= line-around && number <= line+around {
			return true
		}
	}
	return false
}
