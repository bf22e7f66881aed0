package auditcmd

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/heed-robots/heed/cmd/heed/internal/layout"
	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/internal/audit"
	"github.com/heed-robots/heed/internal/input"
	"github.com/heed-robots/heed/internal/printable"
)

func (o *command) show(r *audit.Report) {
	switch {
	case o.format == "text" && o.evidence == "":
		o.showText(r)
	case o.format == "json":
		o.maskAddresses(r)
		fmt.Fprintf(o.term.Out, "%s\n", term.Marshal(r))
	case o.format == "html":
		o.showHTML(r)
	default:
		o.endEvidence(r)
	}
}

func (o *command) showText(r *audit.Report) {
	c := &r.Coverage
	o.term.PrintWrapped(0, 2, coverage(c))
	for _, u := range c.Samples {
		o.term.PrintWrapped(2, 4, unreadable(u))
	}
	for _, n := range c.Notes {
		o.term.PrintWrapped(0, 2, "- "+n)
	}
	if len(r.Crawlers) == 0 {
		where := "."
		if r.Coverage.Since != nil || r.Coverage.Until != nil {
			where = " in this time."
		}
		o.term.PrintWrapped(0, 0, "\nNo known crawler is in the log"+where)
	} else {
		o.printTable(r.Crawlers)
		o.term.PrintWrapped(0, 2, "robots: requests for the robots.txt; copy: the age of the oldest copy. A copy that another crawler of the same operator fetched counts too.")
		if slices.ContainsFunc(r.Crawlers, func(row *audit.Row) bool { return row.Identity == audit.NotCheckable }) {
			o.term.PrintWrapped(0, 2, "not checkable: no list of addresses shows who sent the requests.")
		}
	}
	for _, row := range r.Crawlers {
		if row.Verdict == audit.Disobeys {
			o.printDetails(row)
		}
	}
	o.printSummary(r.Crawlers)
	if slices.ContainsFunc(r.Crawlers, func(row *audit.Row) bool { return row.Forbidden > 0 }) {
		fmt.Fprintln(o.term.Out)
		o.term.PrintWrapped(0, 2, "--evidence CRAWLER shows each forbidden request, and with --format html makes a page to hand on.")
	}
	if len(c.Others) > 0 {
		fmt.Fprintln(o.term.Out)
		o.term.PrintWrapped(0, 2, others(c))
	}
}

func unreadable(u audit.Unreadable) string {
	return printable.Short(fmt.Sprintf("%s, line %d: %s: %s", u.Log, u.Line, u.Error, maskedLine(u.Text)))
}

func others(c *audit.Coverage) string {
	var names []string
	for _, other := range c.Others {
		names = append(names, fmt.Sprintf("%s (%s)", printable.Short(other.Name), printable.Counted(int(other.Requests), "request")))
	}
	return "Not in the table of crawlers, and not named in the robots.txt: " + strings.Join(names, ", ") + ". heed only counts these requests. To see which of them are forbidden, add the names to the table with --crawlers FILE."
}

func coverage(c *audit.Coverage) string {
	requests := " requests in "
	if c.Lines == 1 {
		requests = " request in "
	}
	text := number(c.Lines) + requests + inWords(c.Logs, "log")
	if c.From != nil {
		text += fmt.Sprintf(", from %s to %s UTC", minuteOf(*c.From), minuteOf(*c.To))
	}
	text += fmt.Sprintf(" (log format %s), compared with %s", strings.Join(c.Formats, "; "), versions(c))
	if c.Since != nil {
		text += "; counted since " + minuteOf(*c.Since)
	}
	if c.Until != nil {
		text += "; counted until " + minuteOf(*c.Until)
	}
	if c.Unreadable > 0 {
		text += fmt.Sprintf("; %s more could not be read", number(c.Unreadable))
	}
	return printable.Text(text) + "."
}

func versions(c *audit.Coverage) string {
	if len(c.Robots) == 1 && c.Undated == 1 {
		return "one robots.txt for all times"
	}
	text := printable.Counted(c.Versions, "version") + " of robots.txt"
	var since []string
	for _, v := range c.Robots {
		if v.Since != nil {
			since = append(since, v.Since.Format(time.DateOnly))
		}
	}
	if len(since) > 0 {
		text += " (since " + printable.Some(since, ", ") + ")"
	}
	return text
}

func inWords(names []string, what string) string {
	if len(names) == 1 {
		return input.NameOf(names[0])
	}
	return printable.Counted(len(names), what)
}

func minuteOf(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") }

func secondOf(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") }

var head = []string{"crawler", "identity", "requests", "forbidden", "proved", "robots", "copy", "verdict"}

// Requests of a crawler and of its impostors have separate rows.
func (o *command) printTable(rows []*audit.Row) {
	cells := [][]string{head}
	for _, r := range rows {
		age := "-"
		if r.Age != nil {
			age = ageOf(*r.Age)
		}
		cells = append(cells, []string{printable.Text(r.Crawler), identityOf(r.Identity), number(r.Requests), number(r.Forbidden), number(r.Proved), number(r.Robots), age, verdictOf(r.Verdict)})
	}
	widths := make([]int, len(head))
	for _, row := range cells {
		for i, cell := range row {
			widths[i] = max(widths[i], layout.Width(cell))
		}
	}
	gap := "  "
	if o.term.Tty {
		total := 0
		for _, w := range widths {
			total += w
		}
		if total+len(gap)*(len(widths)-1) > o.term.Width {
			gap = " "
		}
		const leastName = 8 // a longer name may be shortened, so that the row fits on one line
		excess := total + len(gap)*(len(widths)-1) - o.term.Width
		widths[0] = max(widths[0]-max(0, excess), min(widths[0], leastName))
		for _, row := range cells {
			row[0] = layout.Middle(row[0], widths[0])
		}
	}
	fmt.Fprintln(o.term.Out)
	for n, row := range cells {
		line := ""
		for i, cell := range row[:len(row)-1] {
			pad := strings.Repeat(" ", widths[i]-layout.Width(cell))
			if i >= 2 {
				line += pad + cell + gap
			} else {
				line += cell + pad + gap
			}
		}
		verdict := row[len(row)-1]
		if n == 0 {
			line = o.term.Paint(term.Bold, line+verdict)
		} else {
			line += o.term.Paint(colours[rows[n-1].Verdict], verdict)
		}
		fmt.Fprintln(o.term.Out, line)
	}
}

var colours = map[audit.Verdict]string{audit.Disobeys: term.Red, audit.Obeys: term.Green}

func number(n int64) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

func identityOf(i audit.Identity) string {
	if i == audit.NotCheckable {
		return "not checkable"
	}
	return i.String()
}

func verdictOf(v audit.Verdict) string { return strings.ReplaceAll(string(v), "-", " ") }

func ageOf(seconds int64) string {
	switch {
	case seconds >= 48*3600:
		return fmt.Sprintf("%d d", seconds/86400)
	case seconds >= 3600:
		return fmt.Sprintf("%d h", seconds/3600)
	case seconds >= 60:
		return fmt.Sprintf("%d min", seconds/60)
	}
	return fmt.Sprintf("%d s", seconds)
}

const impostor = "impostor"

var reasons = map[string]string{
	impostor:          "somebody else used the name, from an address that is not the operator's",
	"copy-allows":     "the crawler's own copy allowed it",
	"dialects-differ": "Google's dialect allows it",
	"method":          "the method is not GET or HEAD",
	"not-bound":       "the operator does not promise that the crawler follows the rule",
	"later-list":      "it is not known whether the operator sent the request, because the list of its addresses is later",
	"not-verified":    "without a list of the operator's addresses, it is not known who sent the request",
	"out-of-order":    "the line came too late in the log",
	"copy-unknown":    "what the crawler had fetched is not known",
	"log-incomplete":  "the log does not show what the crawler fetched in the 24 hours before",
}

// printDetails prints how many requests prove that a crawler disobeyed, and some of these requests.
func (o *command) printDetails(r *audit.Row) {
	who := r.Crawler
	if r.Operator != "" {
		who += " (" + r.Operator + ")"
	}
	text := fmt.Sprintf("%s disobeyed %s, %s", who, times(r.Proved), periodInWords(r.Surely))
	if slices.ContainsFunc(r.Telling, func(f *audit.Finding) bool { return f.Proved && f.InForce.Since == nil }) {
		text += ", if the robots.txt was the same then"
	}
	o.term.PrintHeading(printable.Text(text))
	for _, f := range r.Telling {
		if f.Proved {
			o.printExample(f)
		}
	}
}

func periodInWords(p *audit.Period) string {
	first, last := minuteOf(p.First), minuteOf(p.Last)
	if first == last {
		return "at " + first
	}
	return fmt.Sprintf("between %s and %s", first, last)
}

func (o *command) printSummary(rows []*audit.Row) {
	if all := notProved(rows); len(all) > 0 {
		o.term.PrintHeading("Forbidden, and not proved because")
		for _, text := range all {
			o.term.PrintWrapped(2, 4, "- "+text)
		}
	}
	var delays []string
	for _, r := range rows {
		if d := r.Delay; d != nil && d.Short > 0 {
			delays = append(delays, fmt.Sprintf("%s %d %%", printable.Text(r.Crawler), 100*d.Short/d.Gaps))
		}
	}
	if len(delays) > 0 {
		fmt.Fprintln(o.term.Out)
		o.term.PrintWrapped(0, 2, "Gaps between requests that are shorter than the crawl delay, which is only a wish: "+printable.Some(delays, ", ")+".")
	}
}

func times(n int64) string {
	if n == 1 {
		return "once"
	}
	return number(n) + " times"
}

func notProved(rows []*audit.Row) []string {
	sum, of := map[string]int64{}, map[string][]string{} // by reason
	each := map[[2]string]int64{}                        // by reason and crawler, because a crawler may have several rows
	for _, r := range rows {
		for reason, n := range r.Reasons {
			if r.Identity == audit.Impostor {
				reason = impostor
			}
			sum[reason] += n
			each[[2]string{reason, r.Crawler}] += n
			if !slices.Contains(of[reason], r.Crawler) {
				of[reason] = append(of[reason], r.Crawler)
			}
		}
	}
	var texts []string
	for _, reason := range slices.SortedFunc(maps.Keys(sum), func(a, b string) int { return cmp.Or(cmp.Compare(sum[b], sum[a]), cmp.Compare(a, b)) }) {
		names := of[reason]
		for i, name := range names {
			names[i] = printable.Text(name) + " " + number(each[[2]string{reason, name}])
		}
		texts = append(texts, fmt.Sprintf("%s: %s", reasons[reason], printable.Some(names, ", ")))
	}
	return texts
}

func (o *command) printExample(f *audit.Finding) {
	address := f.Address
	if !o.addresses {
		address = maskedAddress(address)
	}
	o.term.PrintWrapped(2, 6, printable.Short(fmt.Sprintf("%s %s %s%s", secondOf(f.Time), f.Method, f.Host, f.Target))+" from "+printable.Text(address))
	o.term.PrintWrapped(6, 6, printable.Text(ruleOf(f)+"; "+knewOf(f)))
}

func ruleOf(f *audit.Finding) string {
	text := f.Rule.Text
	if f.Rule.Line > 0 {
		text = fmt.Sprintf("line %d: %s", f.Rule.Line, printable.Short(f.Rule.Text))
	}
	if f.InForce.Since != nil {
		text += ", since " + minuteOf(*f.InForce.Since)
	}
	return text
}

func knewOf(f *audit.Finding) string {
	const freshFor = 24 * 3600
	switch {
	case f.Reason == audit.LogIncomplete.String():
		return "the log does not show what it had fetched"
	case f.Copy == nil:
		return "it fetched no robots.txt in the 24 hours before"
	case f.Copy.AgeSeconds > freshFor:
		return fmt.Sprintf("it last fetched robots.txt %s before, and may use a copy for 24 hours", ageOf(f.Copy.AgeSeconds))
	case f.Copy.Status >= 500:
		return fmt.Sprintf("its copy could not be renewed at %s (status %d)", secondOf(f.Copy.Fetched), f.Copy.Status)
	}
	text := fmt.Sprintf("it had requested robots.txt at %s (status %d)", secondOf(f.Copy.Fetched), f.Copy.Status)
	if f.Proved && f.Copy.Status == 200 {
		text += ", when that rule was in force"
	}
	return text
}
