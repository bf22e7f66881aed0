package explaincmd

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/heed-robots/heed/cmd/heed/internal/flags"
	"github.com/heed-robots/heed/cmd/heed/internal/layout"
	"github.com/heed-robots/heed/cmd/heed/internal/sites"
	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/robotstxt"
)

func (o *explain) text() {
	o.headline()
	o.printDialects()
	o.printDifferences()
	o.printExcerpt()
	o.groups()
	o.printRules()
	o.printPreferences()
}

func (o *explain) printPreferences() {
	for _, v := range o.Preferences {
		o.Term.PrintHeading(fmt.Sprintf("May it be used for %s: %s", v.Purpose, v.Preference))
		statements := report.InOrder(v)
		if len(statements) == 0 {
			o.Term.PrintWrapped(2, 4, report.Because(v))
		}
		for _, s := range statements {
			o.Term.PrintWrapped(2, 4, report.InWords(s.Statement))
			o.Term.PrintWrapped(4, 6, cmp.Or(printable.Text(s.Why), "decides"))
			if s.Note != "" {
				o.Term.PrintWrapped(4, 6, s.Note)
			}
		}
		if v.MoreBy > 0 {
			o.Term.PrintWrapped(2, 4, fmt.Sprintf("and %s that decide", printable.Counted(v.MoreBy, "other statement")))
		}
		if v.More > 0 {
			o.Term.PrintWrapped(2, 4, fmt.Sprintf("and %s that do not count", printable.Counted(v.More, "other statement")))
		}
	}
}

func (o *explain) headline() {
	headline, _, _ := strings.Cut(o.Main.String(), "\n")
	target := printable.Text(cmp.Or(o.Main.Target, `""`))
	verdict := strings.TrimPrefix(headline, target+" ")
	if read := printable.Text(strings.Join(o.Main.Agents, ", ")); read != "" {
		verdict = strings.Replace(verdict, " for "+read+" ", " for "+o.Known.Name(o.Agents)+" ", 1)
	}
	if headline = target + " " + verdict; layout.Width(headline) <= o.Term.TextWidth() {
		o.Term.PrintPainted(term.Bold, headline, 0)
	} else {
		o.Term.PrintPainted(term.Bold, target, 0)
		o.Term.PrintPainted(term.Bold, verdict, 2)
	}
	if o.site == nil || o.site.Outcome != fetch.Unreachable { // for an unreachable site, the line about the retrieval says why
		o.Term.PrintWrapped(2, 4, o.Main.Decision.Because())
	}
	if facts := o.Known.FactsOf(o.Agents).String(); facts != "" && o.Main.Decision.Reason != robotstxt.IgnoresEveryone {
		o.Term.PrintWrapped(2, 4, facts)
	}
	if o.site != nil {
		o.Term.PrintWrapped(2, 4, fmt.Sprintf("%s: %s, %s", o.site.Origin.RobotsURL(), o.site.Outcome, sites.RetrievalText(o.site)))
	}
}

func (o *explain) groups() {
	parts := strings.Split(o.Main.String(), "\n\n")
	if len(parts) == 1 {
		return
	}
	title, lines, _ := strings.Cut(strings.TrimSuffix(parts[1], "\n"), "\n")
	o.Term.PrintHeading(title)
	for line := range strings.SplitSeq(lines, "\n") {
		o.Term.PrintWrapped(2, 6, strings.TrimPrefix(line, "  "))
	}
}

func titlesOf(traces []robotstxt.Trace) string {
	var dialects []*robotstxt.Dialect
	for _, t := range traces {
		dialects = append(dialects, t.Dialect)
	}
	return flags.DialectTitles(dialects)
}

// If the reasons do not fit beside the dialects, they go to the next line.
func (o *explain) printDialects() {
	o.Term.PrintHeading("In each dialect")
	groups := term.GroupBy(o.All, func(t robotstxt.Trace) robotstxt.Decision { return t.Decision })
	const indent = 2 + term.VerdictWidth + 2
	column := layout.Widest(groups, titlesOf)
	reason := layout.Widest(groups, func(g []robotstxt.Trace) string { return g[0].Decision.Because() })
	below := indent+column+2+reason > o.Term.Width
	for _, g := range groups {
		d, names := g[0].Decision, titlesOf(g)
		if below {
			fmt.Fprintf(o.Term.Out, "  %s  %s\n", o.Term.Verdict(d), layout.Wrap(names, o.Term.TextWidth(), indent))
			o.Term.PrintWrapped(4, 6, d.Because())
		} else {
			fmt.Fprintf(o.Term.Out, "  %s  %s  %s\n", o.Term.Verdict(d), layout.Pad(names, column), d.Because())
		}
	}
}

// Dialects with the same reason share a sentence.
func (o *explain) printDifferences() {
	const titlesHere = "\x00" // a mark for the place of the titles; a reason never contains this byte
	reason := func(t robotstxt.Trace) string {
		why := printable.Text(o.Contrast(o.Main, t))
		return strings.Replace(why, ", but not in "+t.Dialect.InSentence()+": ", ", but not in "+titlesHere+": ", 1)
	}
	differing := slices.DeleteFunc(slices.Clone(o.All), func(t robotstxt.Trace) bool { return reason(t) == "" })
	if len(differing) == 0 {
		return
	}
	o.Term.PrintHeading("Why they differ")
	for _, like := range term.GroupBy(differing, reason) {
		var titles []string
		for _, t := range like {
			titles = append(titles, t.Dialect.InSentence())
		}
		o.Term.PrintWrapped(2, 4, "- "+strings.Replace(reason(like[0]), titlesHere, strings.Join(titles, " and "), 1))
	}
}

const contextLines = 3

// The mark ">" is for the line that decides. The mark "*" is for lines that decide in other dialects.
func (o *explain) printExcerpt() {
	marks := map[int]string{}
	for _, t := range o.All {
		marks[t.Decision.Rule.Line] = "*"
	}
	marks[o.Main.Decision.Rule.Line] = ">"
	delete(marks, 0)
	if len(marks) == 0 {
		return
	}
	o.Term.PrintHeading("The file")
	last := 0
	for line := range o.File.Lines() {
		if !isNear(line.Number, marks) {
			continue
		}
		if last != 0 && line.Number > last+1 {
			fmt.Fprintf(o.Term.Out, "  %7s\n", "…")
		}
		last = line.Number
		mark := marks[line.Number]
		text := strings.ReplaceAll(term.PrintableLine(line.Raw), "\t", "    ")
		if mark == ">" {
			text = o.Term.Paint(term.Bold, text)
		}
		fmt.Fprintln(o.Term.Out, strings.TrimRight(fmt.Sprintf("  %1s %5d  %s", mark, line.Number, o.Term.WrapText(text, o.Term.Width, 13)), " "))
	}
	o.Term.PrintPainted(term.Faint, o.marksLegend(marks), 2)
}

func (o *explain) marksLegend(marks map[int]string) string {
	var parts []string
	if o.Main.Decision.Rule.Line > 0 {
		parts = append(parts, fmt.Sprintf("> decides in %s", o.Main.Dialect.InSentence()))
	}
	if slices.Contains(slices.Collect(maps.Values(marks)), "*") {
		parts = append(parts, "* decides in another dialect")
	}
	return strings.Join(parts, "; ")
}

func isNear(number int, marks map[int]string) bool {
	for line := range marks {
		if number >= line-contextLines && number <= line+contextLines {
			return true
		}
	}
	return false
}
