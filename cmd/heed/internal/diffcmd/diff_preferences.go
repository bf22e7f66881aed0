package diffcmd

import (
	"fmt"
	"strings"

	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/compare"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/report"
)

// printPreferences prints the changed preferences for the use of content. An example is:
//
//	train-ai, for Googlebot
//	  /news/
//	    was unknown
//	    is disallowed   line 3: Content-Usage: train-ai=n
func (o *diff) printPreferences(p *report.ComparedPreferences) {
	if p == nil {
		return
	}
	o.inputs.Term.PrintHeading("Preferences about the use of content")
	if p.Is(compare.Equal) {
		o.inputs.Term.PrintAfter("  ", "Proved unchanged, for every URL that may be fetched by both files", 2)
		return
	}
	more := p.More
	for i, change := range p.Changes {
		if o.inputs.Term.Tty && i == maxSections {
			more += len(p.Changes) - i
			break
		}
		o.preference(change)
	}
	switch {
	case more > 0:
		o.inputs.Term.PrintAfter("  ", "… and "+printable.Counted(more, "more change"), 2)
	case len(p.Changes) == 0:
		o.inputs.Term.PrintAfter("  ", "No change was found, but not all crawlers were compared", 2)
	}
}

func (o *diff) preference(c report.ChangedPreference) {
	text := c.Purpose + ", for " + o.namesOf(c.Agents)
	if c.Token {
		text = c.Purpose + ", as the group of " + o.namesOf(c.Agents) + " says by itself"
	}
	if c.Result == compare.Undecided.String() {
		o.inputs.Term.PrintAfter("  ", text+": no change was found, but it is not proved that there is none", 4)
		return
	}
	o.inputs.Term.PrintAfter("  ", text, 4)
	fmt.Fprintf(o.inputs.Term.Out, "    %s\n", o.inputs.Term.FitAfter(printable.Text(c.Witness), 4))
	o.stated("was", c.Old)
	o.stated("is", c.New)
}

func (o *diff) stated(when string, s *report.Stated) {
	says, before := when+" "+o.inputs.Term.Paint(term.PreferenceColours[s.Preference], s.Preference), 6+decidedWidth+2
	if len(s.By) == 0 {
		fmt.Fprintf(o.inputs.Term.Out, "      %s\n", says)
		return
	}
	pad := strings.Repeat(" ", decidedWidth+2-len(when+" "+s.Preference))
	if o.inputs.Term.Width-before < minReason {
		pad, before = "\n        ", 8
	}
	line := fmt.Sprintf("line %d: ", s.By[0].Line)
	fmt.Fprintf(o.inputs.Term.Out, "      %s%s%s%s\n", says, pad, line, o.inputs.Term.FitAfter(printable.Text(s.By[0].Text), before+len(line)))
}
