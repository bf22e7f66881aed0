package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/heed-robots/heed/cmd/heed/internal/layout"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/report"
	"github.com/heed-robots/heed/robotstxt"
)

// A grid is answers about several crawlers: URLs down, crawlers across.
type grid struct {
	*check
	corner  string   // what is above the URLs
	urls    []string // as they are shown
	rows    [][]verdict
	columns []column
	widths  []int // of the URLs, and of each column
}

// A column is of crawlers that have the same answers.
type column struct{ crawlers []int }

// gap is how many cells are between two columns.
const gap = 2

// show shows answers about several crawlers together: as a grid of all crawlers, or of
// those that differ, or without a grid, whichever fits. They hold an answer for each
// crawler of each URL.
func (o *check) show(all []verdict) {
	g := o.grid(all)
	isGrid := len(g.rows) > 1 && g.fits()
	if len(g.rows) > 1 && !isGrid {
		g.merge()
		isGrid = g.fits()
	}
	switch {
	case isGrid:
		g.print()
	case len(o.crawlers) <= fewCrawlers && o.linesFit(all):
		for _, v := range all {
			o.out.Write(o.appendLine(nil, v))
		}
	default:
		for i, row := range g.rows {
			if i > 0 {
				o.out.WriteByte('\n')
			}
			o.showGroups(row)
		}
	}
}

// grid returns a grid with a column for each crawler.
func (o *check) grid(all []verdict) *grid {
	g := &grid{check: o, corner: "URL"}
	n := len(o.crawlers)
	for ; len(all) > 0; all = all[n:] {
		g.rows = append(g.rows, all[:n])
		g.urls = append(g.urls, printable.Text(all[0].url))
	}
	g.shorten()
	for i := range n {
		g.columns = append(g.columns, column{[]int{i}})
	}
	g.measure()
	return g
}

// merge gives crawlers with the same answers one column; that of the most comes last.
func (g *grid) merge() {
	var merged []column
	for i := range g.crawlers {
		same := slices.IndexFunc(merged, func(c column) bool { return g.agree(c.crawlers[0], i) })
		if same < 0 {
			merged = append(merged, column{[]int{i}})
		} else {
			merged[same].crawlers = append(merged[same].crawlers, i)
		}
	}
	slices.SortStableFunc(merged, func(a, b column) int { return cmp.Compare(len(a.crawlers), len(b.crawlers)) })
	g.columns = merged
	g.measure()
}

// agree reports whether two crawlers have the same answers.
func (g *grid) agree(a, b int) bool {
	return !slices.ContainsFunc(g.rows, func(row []verdict) bool { return row[a].Decision != row[b].Decision })
}

// measure finds how wide the columns are.
func (g *grid) measure() {
	g.widths = []int{layout.Width(g.corner)}
	for _, url := range g.urls {
		g.widths[0] = max(g.widths[0], layout.Width(url))
	}
	for _, c := range g.columns {
		width := layout.Width(g.title(c))
		for _, row := range g.rows {
			width = max(width, len(cell(row[c.crawlers[0]].Decision)))
		}
		g.widths = append(g.widths, width)
	}
}

// title returns what is above a column: a crawler, and how many others.
func (g *grid) title(c column) string {
	name := g.names[c.crawlers[0]]
	if n := len(c.crawlers) - 1; n > 0 {
		name += fmt.Sprintf(" +%d", n)
	}
	return name
}

// shorten shows URLs that begin with the same origin as paths below it.
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
		paths[i] = rest
		if rest == "" {
			paths[i] = "/"
		}
	}
	g.corner, g.urls = start, paths
}

// cell returns a verdict in a few words: the word for it, and the line that decides.
func cell(d robotstxt.Decision) string {
	switch {
	case d.Reason == robotstxt.OtherOrigin:
		return "other origin"
	case d.Rule.Line > 0:
		return fmt.Sprint(report.VerdictOf(d), " ", d.Rule.Line)
	}
	return report.VerdictOf(d)
}

// fits reports whether the grid is no wider than the output. On a terminal URLs give way.
func (g *grid) fits() bool {
	const leastURL = 20
	width := 0
	for _, w := range g.widths[1:] {
		width += gap + w
	}
	if g.tty {
		g.widths[0] = min(g.widths[0], max(leastURL, g.width-width))
	}
	return width+g.widths[0] <= g.width
}

func (g *grid) print() {
	head := []painted{{g.corner, bold}}
	for _, c := range g.columns {
		head = append(head, painted{g.title(c), bold})
	}
	g.line(head)
	numbered := false
	for i, row := range g.rows {
		cells := []painted{{text: g.urls[i]}}
		for _, c := range g.columns {
			d := row[c.crawlers[0]].Decision
			cells = append(cells, painted{cell(d), colourOf(d)})
			numbered = numbered || d.Rule.Line > 0
		}
		g.line(cells)
	}
	below := append(g.others(), g.remarks()...)
	if numbered {
		below = append(below, "The number is the line of robots.txt that decides.")
	}
	if len(below) > 0 {
		g.out.WriteByte('\n')
	}
	for _, remark := range below {
		fmt.Fprintf(g.out, "%s\n", g.paint(faint, layout.Wrap(remark, g.width, 2)))
	}
}

// others says which crawlers are in columns of several.
func (g *grid) others() (lines []string) {
	for _, c := range g.columns {
		var names []string
		for _, i := range c.crawlers[1:] {
			names = append(names, g.names[i])
		}
		if names != nil {
			lines = append(lines, g.title(c)+": "+strings.Join(names, ", "))
		}
	}
	return lines
}

// painted is text in a colour; "": in none.
type painted struct{ text, colour string }

// line writes cells beside each other.
func (g *grid) line(cells []painted) {
	for i, c := range cells {
		shown := layout.Middle(c.text, g.widths[i])
		used := layout.Width(shown)
		if c.colour != "" {
			shown = g.paint(c.colour, shown)
		}
		g.out.WriteString(shown)
		if i < len(cells)-1 {
			g.out.WriteString(strings.Repeat(" ", g.widths[i]-used+gap))
		}
	}
	g.out.WriteByte('\n')
}

// remarks says what answers rest on, where that matters, once for each site.
func (g *grid) remarks() (remarks []string) {
	seen := map[origin.Origin]bool{}
	for _, row := range g.rows {
		if site := row[0].site; site != nil && matters(site) && !seen[site.Origin] {
			seen[site.Origin] = true
			remarks = append(remarks, fmt.Sprintf("%s: %s", site.Origin.RobotsURL(), retrievalText(site)))
		}
	}
	return remarks
}

// fewCrawlers is how many have a line each at most, where there is no grid.
const fewCrawlers = 5

// linesFit reports whether a line for each answer is no wider than the output.
func (o *check) linesFit(all []verdict) bool {
	for _, v := range all {
		if layout.Width(string(o.appendLine(nil, v))) > o.width {
			return false
		}
	}
	return true
}

// appendLine appends a line of text with a verdict. On a terminal a long URL gives way,
// and then a long rule; on a narrow one the rule goes below.
func (o *check) appendLine(dst []byte, v verdict) []byte {
	const least = 24
	who, gap, rests := "", "  ", ""
	if len(o.crawlers) > 1 {
		who = layout.Pad(o.names[v.crawler], o.longest) + "  "
	}
	if v.site != nil && matters(v.site) {
		rests = "  (" + retrievalText(v.site) + ")"
	}
	url, why := printable.Text(v.url), v.Because()
	if o.tty {
		room := o.width - verdictWidth - len(" ") - layout.Width(who) - len("  ")
		switch {
		case layout.Width(url+why) > room && layout.Width(why) > room-least:
			url, gap = layout.Middle(url, room+len(gap)), "\n  "
			why, rests = o.wrapped(why+rests, o.width, 4), ""
		default:
			url = layout.Middle(url, max(least, room-layout.Width(why)))
			why = layout.Middle(why, max(least, room-layout.Width(url)))
			if rests != "" && layout.Width(url+why+rests) > room {
				rests = "\n  " + layout.Wrap(strings.TrimSpace(rests), o.width, 2)
			}
		}
	}
	const padding = "            "
	word := report.VerdictOf(v.Decision)
	dst = append(dst, o.paint(colourOf(v.Decision), word)...)
	for _, part := range [...]string{padding[len(word):], who, url, gap, why, rests, "\n"} {
		dst = append(dst, part...)
	}
	return dst
}

// showGroups shows what crawlers may do with a URL, those together that have the same
// answer. That of the most comes last.
func (o *check) showGroups(row []verdict) {
	url := printable.Text(row[0].url)
	if o.tty {
		url = layout.Middle(url, o.width)
	}
	fmt.Fprintf(o.out, "%s\n", o.paint(bold, url))
	if site := row[0].site; site != nil && matters(site) {
		fmt.Fprintf(o.out, "  %s\n", layout.Wrap(retrievalText(site), o.width, 2))
	}
	var order []robotstxt.Decision
	who := map[robotstxt.Decision][]string{}
	for _, v := range row {
		if who[v.Decision] == nil {
			order = append(order, v.Decision)
		}
		who[v.Decision] = append(who[v.Decision], o.names[v.crawler])
	}
	slices.SortStableFunc(order, func(a, b robotstxt.Decision) int { return cmp.Compare(len(who[a]), len(who[b])) })
	for _, d := range order {
		why := d.Because()
		if o.tty {
			why = layout.Middle(why, o.width-verdictWidth-len("   "))
		}
		names := fmt.Sprintf("%d of %d: %s", len(who[d]), len(row), strings.Join(who[d], ", "))
		fmt.Fprintf(o.out, "  %s %s\n    %s\n", o.verdict(d), why, layout.Wrap(names, o.width, 4))
	}
}

// nameCrawlers decides how crawlers are called in text: by their first token where no
// other has the same.
func (o *check) nameCrawlers() {
	times := map[string]int{}
	for _, c := range o.crawlers {
		times[c.tokens[0]]++
	}
	for _, c := range o.crawlers {
		name := c.tokens[0]
		if times[name] > 1 {
			name = c.String()
		}
		o.names = append(o.names, printable.Text(name))
		o.longest = max(o.longest, layout.Width(o.names[len(o.names)-1]))
	}
}
