package checkcmd

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cmd/heed/internal/layout"
	"github.com/heed-robots/heed/cmd/heed/internal/sites"
	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

type grid struct {
	*check
	corner  string
	urls    []string // the URLs as the grid shows them
	rows    [][]verdict
	columns [][]int // for each column, the indexes of its crawlers, which have the same answers
	widths  []int   // in cells; the first is the width of the column with the URLs
}

const gap = 2

func (o *check) show(verdicts []verdict) {
	g := o.grid(verdicts)
	mayBeGrid := len(g.rows) > 1 && !o.purposes.IsAsked() // answers about purposes need lines of their own
	isGrid := mayBeGrid && g.canFit()
	if mayBeGrid && !isGrid {
		g.merge()
		isGrid = g.canFit()
	}
	switch {
	case isGrid:
		g.print()
	case !o.purposes.IsAsked() && len(o.subjects) <= maxLines && o.linesFit(verdicts):
		o.Term.Out.Write(o.appendLines(nil, verdicts))
	default:
		for i, row := range g.rows {
			if i > 0 {
				o.Term.Out.WriteByte('\n')
			}
			o.showGroups(row)
		}
	}
}

func (o *check) grid(all []verdict) *grid {
	g := &grid{check: o, corner: "URL"}
	n := len(o.subjects)
	for ; len(all) > 0; all = all[n:] {
		g.rows = append(g.rows, all[:n])
		g.urls = append(g.urls, printable.Text(all[0].url))
	}
	g.shorten()
	for i := range n {
		g.columns = append(g.columns, []int{i})
	}
	g.measure()
	return g
}

func (g *grid) merge() {
	g.columns = nil
	for i := range g.subjects {
		same := slices.IndexFunc(g.columns, func(c []int) bool { return g.agree(c[0], i) })
		if same < 0 {
			g.columns = append(g.columns, []int{i})
		} else {
			g.columns[same] = append(g.columns[same], i)
		}
	}
	g.measure()
}

func (g *grid) agree(a, b int) bool {
	return !slices.ContainsFunc(g.rows, func(row []verdict) bool { return row[a].Decision != row[b].Decision })
}

func (g *grid) measure() {
	urls := layout.Widest(g.urls, func(url string) string { return url })
	g.widths = []int{max(layout.Width(g.corner), urls)}
	for _, c := range g.columns {
		cells := layout.Widest(g.rows, func(row []verdict) string { return cellText(row[c[0]].Decision) })
		g.widths = append(g.widths, max(layout.Width(g.title(c)), cells))
	}
}

func (g *grid) title(c []int) string {
	name := g.subjects[c[0]].name
	if n := len(c) - 1; n > 0 {
		name += fmt.Sprintf(" +%d", n)
	}
	return name
}

// If all URLs have the same origin, shorten shortens them to their paths. The origin becomes the title of the column.
func (g *grid) shorten() {
	first := g.rows[0][0].url
	site, err := origin.Parse(first)
	start := site.String()
	if err != nil || !strings.HasPrefix(first, start) {
		return
	}
	paths := make([]string, len(g.urls))
	for i, url := range g.urls {
		rest, ok := strings.CutPrefix(url, start)
		if !ok || rest != "" && rest[0] != '/' {
			return
		}
		paths[i] = cmp.Or(rest, "/")
	}
	g.corner, g.urls = start, paths
}

func cellText(d robotstxt.Decision) string {
	switch {
	case d.Reason == robotstxt.OtherOrigin:
		return "other origin"
	case d.Rule.Line > 0:
		return fmt.Sprint(report.VerdictOf(d), " ", d.Rule.Line)
	}
	return report.VerdictOf(d)
}

// On a terminal, canFit makes the column with the URLs narrower if this is needed.
func (g *grid) canFit() bool {
	const minURL = 20
	width := 0
	for _, w := range g.widths[1:] {
		width += gap + w
	}
	if g.Term.Tty {
		g.widths[0] = min(g.widths[0], max(minURL, g.Term.Width-width))
	}
	return width+g.widths[0] <= g.Term.Width
}

func (g *grid) print() {
	head := []painted{{g.corner, term.Bold}}
	for _, c := range g.columns {
		head = append(head, painted{g.title(c), term.Bold})
	}
	g.writeLine(head)
	numbered := false
	for i, row := range g.rows {
		cells := []painted{{text: g.urls[i]}}
		for _, c := range g.columns {
			d := row[c[0]].Decision
			cells = append(cells, painted{cellText(d), term.ColourOf(d)})
			numbered = numbered || d.Rule.Line > 0
		}
		g.writeLine(cells)
	}
	below := append(g.legend(), g.remarks()...)
	if numbered {
		below = append(below, "The number is the line of robots.txt that decides.")
	}
	if len(below) > 0 {
		g.Term.Out.WriteByte('\n')
	}
	for _, remark := range below {
		fmt.Fprintf(g.Term.Out, "%s\n", g.Term.Paint(term.Faint, layout.Wrap(remark, g.Term.TextWidth(), 2)))
	}
}

func (g *grid) legend() (lines []string) {
	for _, c := range g.columns {
		var names []string
		for _, i := range c[1:] {
			names = append(names, g.subjects[i].name)
		}
		if names != nil {
			lines = append(lines, g.title(c)+": "+strings.Join(names, ", "))
		}
	}
	return lines
}

type painted struct{ text, colour string }

func (g *grid) writeLine(cells []painted) {
	for i, c := range cells {
		shown := layout.Middle(c.text, g.widths[i])
		used := layout.Width(shown)
		if c.colour != "" {
			shown = g.Term.Paint(c.colour, shown)
		}
		g.Term.Out.WriteString(shown)
		if i < len(cells)-1 {
			g.Term.Out.WriteString(strings.Repeat(" ", g.widths[i]-used+gap))
		}
	}
	g.Term.Out.WriteByte('\n')
}

func (g *grid) remarks() (remarks []string) {
	for _, row := range g.rows {
		if site := row[0].site; g.isNews(site) {
			remarks = append(remarks, fmt.Sprintf("%s: %s, %s", site.Origin.RobotsURL(), site.Outcome, sites.RetrievalText(site)))
		}
	}
	return remarks
}

// isNews reports whether to describe the retrieval of a site. It returns true only once for each site.
func (o *check) isNews(site *cache.Answer) bool {
	if site == nil || o.describedOrigins[site.Origin] || !sites.NeedsRemark(site) && site.RedirectedTo == "" && site.Outcome != fetch.Unavailable {
		return false
	}
	o.describedOrigins[site.Origin.Clone()] = true
	return true
}

// If no grid fits, and there are at most maxLines crawlers, each answer has a line of its own.
const maxLines = 5

func (o *check) linesFit(all []verdict) bool {
	return !slices.ContainsFunc(all, func(v verdict) bool {
		return layout.Width(string(o.appendLine(nil, v, isRedirected(v)))) > o.Term.Width
	})
}

// Only the first line about a site shows its redirect.
func (o *check) appendLines(dst []byte, all []verdict) []byte {
	for _, v := range all {
		dst = o.appendLine(dst, v, isRedirected(v) && o.isNews(v.site))
	}
	return dst
}

func isRedirected(v verdict) bool { return v.site != nil && v.site.RedirectedTo != "" }

// appendLine appends a line such as "disallowed Googlebot https://a.example/x line 2: Disallow: /x". The line is
// shortened for the terminal.
func (o *check) appendLine(dst []byte, v verdict, withRedirect bool) []byte {
	const minPart = 24 // cells for the URL, and for the rule
	who, gap, retrieval := "", "  ", ""
	if len(o.subjects) > 1 {
		who = layout.Pad(o.subjects[v.crawler].name, o.nameWidth) + "  "
	}
	if facts := o.subjects[v.crawler].facts; facts != (report.Facts{}) && v.Reason != robotstxt.IgnoresEveryone {
		retrieval = "  (" + facts.String() + ")"
	}
	url, why := printable.Text(v.url), v.Because()
	switch {
	case v.site == nil:
	case sites.NeedsRemark(v.site) || withRedirect:
		retrieval += "  (" + sites.RetrievalText(v.site) + ")"
	case v.Decision == v.site.Decision:
		why = v.site.Because() // if there is no robots.txt, this text has the status
	}
	if o.Term.Tty {
		room := o.Term.Width - term.VerdictWidth - len("  ") - layout.Width(who) - len("  ")
		switch {
		case layout.Width(url+why) > room && layout.Width(why) > room-minPart:
			url, gap = layout.Middle(url, room+len(gap)), "\n  "
			why, retrieval = o.Term.WrapText(why+retrieval, o.Term.TextWidth(), 4), ""
		default:
			url = layout.Middle(url, max(minPart, room-layout.Width(why)))
			why = layout.Middle(why, max(minPart, room-layout.Width(url)))
			if retrieval != "" && layout.Width(url+why+retrieval) > room {
				retrieval = "\n  " + layout.Wrap(strings.TrimSpace(retrieval), o.Term.TextWidth(), 2)
			}
		}
	}
	const padding = "             " // as wide as the longest verdict and two spaces
	word := report.VerdictOf(v.Decision)
	dst = append(dst, o.Term.Paint(term.ColourOf(v.Decision), word)...)
	for _, part := range [...]string{padding[len(word):], who, url, gap, why, retrieval, "\n"} {
		dst = append(dst, part...)
	}
	return o.appendUses(dst, v.uses, 2)
}

func (o *check) appendUses(dst []byte, uses report.Preferences, indent int) []byte {
	out := o.Term
	for _, v := range uses {
		preference := layout.Pad(v.Preference.String(), len("not-crawlable"))
		line := fmt.Sprintf("%s  %s  ", layout.Pad(v.Purpose.String(), len("train-ai")), preference)
		why := report.Because(v)
		switch column := indent + layout.Width(line); {
		case !out.Tty:
			line += why
		case column <= out.TextWidth()/2:
			line += out.WrapText(why, out.TextWidth(), column)
		default:
			line = out.WrapText(line+why, out.TextWidth(), indent+2)
		}
		dst = append(dst, strings.Repeat(" ", indent)...)
		dst = append(dst, strings.Replace(line, preference, out.Paint(term.PreferenceColours[v.Preference.String()], preference), 1)...)
		dst = append(dst, '\n')
	}
	return dst
}

// showGroups prints the answer that most crawlers have after all other answers.
func (o *check) showGroups(row []verdict) {
	url := printable.Text(row[0].url)
	if o.Term.Tty {
		url = layout.Middle(url, o.Term.Width)
	}
	fmt.Fprintf(o.Term.Out, "%s\n", o.Term.Paint(term.Bold, url))
	if site := row[0].site; o.isNews(site) {
		fmt.Fprintf(o.Term.Out, "  %s\n", layout.Wrap(sites.RetrievalText(site), o.Term.TextWidth(), 2))
	}
	groups := term.GroupBy(row, o.shownPart)
	slices.SortStableFunc(groups, func(a, b []verdict) int { return len(a) - len(b) })
	for _, like := range groups {
		var who []string
		for _, v := range like {
			who = append(who, o.subjects[v.crawler].name)
		}
		d := like[0].Decision
		why := d.Because()
		if o.Term.Tty {
			why = o.Term.WrapText(why, o.Term.TextWidth(), len("  ")+term.VerdictWidth+len("  "))
		}
		names := fmt.Sprintf("%d of %d: %s", len(who), len(row), strings.Join(who, ", "))
		fmt.Fprintf(o.Term.Out, "  %s  %s\n%s    %s\n", o.Term.Verdict(d), why, o.appendUses(nil, like[0].uses, 4), layout.Wrap(names, o.Term.TextWidth(), 4))
	}
}
