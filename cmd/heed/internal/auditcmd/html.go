package auditcmd

import (
	"bufio"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/heed-robots/heed/cmd/heed/internal/document"
	"github.com/heed-robots/heed/internal/audit"
	"github.com/heed-robots/heed/internal/printable"
)

// Some texts in a log come from the requests of crawlers. So each text must be escaped with text() or cut().
type page struct {
	*bufio.Writer
	hasAddresses bool  // shows whole IP addresses
	first, last  int64 // the days that all charts show, so that the charts can be compared
}

var text, cut = document.Text, document.Short

// The values are not escaped.
func (p *page) writeLine(format string, values ...any) { fmt.Fprintf(p, format+"\n", values...) }

func (o *command) showHTML(r *audit.Report) {
	p := &page{Writer: o.term.Out, hasAddresses: o.addresses}
	title := "Which crawlers obeyed robots.txt?"
	rows := slices.DeleteFunc(slices.Clone(r.Crawlers), func(row *audit.Row) bool { return !o.Wants(row.Crawler) })
	isOther := func(row *audit.Row) bool { return row.Crawler != rows[0].Crawler }
	if o.evidence != "" && len(rows) > 0 && !strings.EqualFold(o.evidence, "all") && !slices.ContainsFunc(rows, isOther) {
		title = "Did " + rows[0].Crawler + " obey robots.txt?"
	}
	document.Begin(p, title)
	p.writeLine("<p>%s%s All times are in UTC.</p>", text(o.siteOf(r)), text(document.Made()))
	p.writeLine("<p>%s</p>", text(coverage(&r.Coverage)))
	p.writeLine("<ul>")
	for _, u := range r.Coverage.Samples {
		p.writeLine("<li>%s</li>", text(unreadable(u)))
	}
	for _, n := range r.Coverage.Notes {
		p.writeLine("<li>%s</li>", text(n))
	}
	if !o.addresses {
		p.writeLine("<li>The last parts of addresses are hidden; --addresses shows them.</li>")
	}
	p.writeLine("</ul>")
	p.writeTable(rows)
	p.setDays(rows)
	if len(r.Coverage.Others) > 0 && len(rows) == len(r.Crawlers) {
		p.writeLine("<p>%s</p>", text(others(&r.Coverage)))
	}
	for _, row := range rows {
		switch {
		case row.Identity == audit.Impostor:
			p.writeImpostor(row)
		case row.Forbidden > 0:
			p.writeCrawler(row)
		}
	}
	p.writeGlossary(r)
	document.End(p)
}

func (o *command) siteOf(r *audit.Report) string {
	switch {
	case !o.Origin.IsZero():
		return "The site is " + o.Origin.String() + ". "
	case len(r.Coverage.Hosts) > 0:
		return "The hosts are " + printable.Some(r.Coverage.Hosts, ", ") + ". "
	}
	return ""
}

func (p *page) writeImpostor(r *audit.Row) {
	operator := "the operator"
	if r.Operator != "" {
		operator = r.Operator
	}
	p.writeLine("<section>\n<h2>Somebody who used the name %s, and was not %s</h2>", text(r.Crawler), text(operator))
	p.writeLine("<p>%s made with that name from addresses that are not those of %s. They say nothing about %s.</p>\n</section>", requests(r.Requests), text(operator), text(operator))
}

func (p *page) writeTable(rows []*audit.Row) {
	if len(rows) == 0 {
		p.writeLine("<p>No such crawler is in the log.</p>")
		return
	}
	columns := slices.Concat(document.Texts("crawler", "operator", "identity"),
		document.Numbers("requests", "forbidden", "proved", "robots.txt fetched", "oldest copy"), document.Texts("verdict"))
	document.BeginTable(p, columns)
	for _, r := range rows {
		age := "none"
		if r.Age != nil {
			age = ageOf(*r.Age)
		}
		document.WriteRow(p, columns, "<b>"+text(r.Crawler)+"</b>", text(operatorOf(r)), identityOf(r.Identity), number(r.Requests), number(r.Forbidden), number(r.Proved), number(r.Robots), age,
			fmt.Sprintf(`<span class="%s">%s</span>`, r.Verdict, verdictOf(r.Verdict)))
	}
	document.EndTable(p)
}

func (p *page) writeCrawler(r *audit.Row) {
	p.writeLine("<section>\n<h2>%s, %s</h2>", text(r.Crawler), identityOf(r.Identity))
	p.writeLine("<p>%s forbidden, %s.</p>", requests(r.Forbidden), periodInWords(r.When))
	if r.Proved > 0 {
		p.writeLine("<p><b>%s proved, %s.</b></p>", requests(r.Proved), periodInWords(r.Surely))
	}
	if all := notProved([]*audit.Row{r}); len(all) > 0 {
		p.writeLine("<p>Not proved because</p>\n<ul>")
		for _, reason := range all {
			p.writeLine("<li>%s</li>", text(reason))
		}
		p.writeLine("</ul>")
	}
	if d := r.Delay; d != nil {
		p.writeLine("<p>%s of %s gaps between requests are shorter than the crawl delay, which is only a wish.</p>", number(d.Short), number(d.Gaps))
	}
	p.writeChart(r)
	first, last := r.Sample.Findings()
	p.agents(slices.Concat(first, last))
	p.versions(slices.Concat(first, last))
	p.writeLine("<p>%s:</p>", tableTitle(r, len(first)+len(last)))
	document.BeginTable(p, evidence)
	for _, f := range first {
		p.finding(f)
	}
	if len(last) > 0 && r.Sample.Left() > 0 {
		p.writeLine(`<tr><td colspan="8">%s are left out here; the evidence as JSON lines or CSV has all.</tr>`, number(r.Sample.Left()))
	}
	for _, f := range last {
		p.finding(f)
	}
	document.EndTable(p)
	p.writeLine("</section>")
}

func (p *page) agents(all []*audit.Finding) {
	const most = 5
	var names []string
	for _, f := range all {
		if !slices.Contains(names, f.UserAgent) && len(names) < most {
			names = append(names, f.UserAgent)
			p.writeLine("<p><small>User-Agent: %s</small></p>", cut(f.UserAgent))
		}
	}
}

func (p *page) versions(all []*audit.Finding) {
	const most = 20
	told := map[string]bool{}
	for _, f := range all {
		v := f.InForce
		if told[v.SHA256] || v.SHA256 == "" || len(told) >= most {
			continue
		}
		told[v.SHA256] = true
		since := "for all times"
		if v.Since != nil {
			since = "since " + minuteOf(*v.Since) + " UTC"
		}
		p.writeLine("<p><small>robots.txt %s (%s): SHA-256 <code>%s</code></small></p>", since, text(v.Source), v.SHA256)
	}
}

func operatorOf(r *audit.Row) string {
	if r.Identity == audit.Impostor && r.Operator != "" {
		return "not " + r.Operator
	}
	return r.Operator
}

func requests(n int64) string {
	if n == 1 {
		return "1 request is"
	}
	return number(n) + " requests are"
}

// If a request is proved to be forbidden, the table has only proved requests.
func tableTitle(r *audit.Row, n int) string {
	what, all := "forbidden", r.Forbidden
	if r.Proved > 0 {
		what, all = "proved", r.Proved
	}
	if int64(n) == all {
		return fmt.Sprintf("The %s requests", what)
	}
	return fmt.Sprintf("The first and the last of %s %s requests", number(all), what)
}

func (p *page) finding(f *audit.Finding) {
	address, named := f.Address, f.By
	if !p.hasAddresses {
		address, named = maskedAddress(address), maskedBy(named)
	}
	by := "not checked"
	if named != nil {
		by = identifiedBy(named)
	}
	verdict := "yes"
	if !f.Proved {
		verdict = "no: " + reasons[f.Reason]
	}
	sum := ""
	if f.InForce.SHA256 != "" {
		sum = fmt.Sprintf(` <abbr title="SHA-256 %s">%.8s…</abbr>`, f.InForce.SHA256, f.InForce.SHA256)
	}
	document.WriteRow(p, evidence, secondOf(f.Time), cut(f.Method)+" <code>"+cut(f.Host+f.Target)+"</code>", strconv.Itoa(f.Status), text(address)+"<br><small>"+text(by)+"</small>",
		"<code>"+cut(ruleOf(f))+"</code>"+sum, text(knewOf(f)), text(verdict), fmt.Sprintf("%s, line %d", cut(filepath.Base(f.Log)), f.Line))
}

var evidence = slices.Concat(document.Texts("time (UTC)", "request"), document.Numbers("status"),
	document.Texts("address", "rule in force", "what the crawler knew", "proved", "log"))

const (
	chartWidth  = 720
	chartHeight = 120
	maxBars     = 120
)

func (p *page) setDays(rows []*audit.Row) {
	for i, r := range rows {
		first, last := r.First.Unix()/86400, r.Last.Unix()/86400
		if i == 0 {
			p.first, p.last = first, last
		}
		p.first, p.last = min(p.first, first), max(p.last, last)
	}
}

func (p *page) writeChart(r *audit.Row) {
	first, last := p.first, p.last
	each := (last-first)/maxBars + 1 // days for each bar
	bars := make([]audit.Day, (last-first)/each+1)
	var most int64
	for n, d := range r.Days {
		if i := (n - first) / each; i >= 0 && i < int64(len(bars)) {
			bars[i].Forbidden += d.Forbidden
			bars[i].Proved += d.Proved
			most = max(most, bars[i].Forbidden)
		}
	}
	if most == 0 || first == last { // a single bar shows nothing
		return
	}
	dayOf := func(n int64) string { return time.Unix(n*86400, 0).UTC().Format(time.DateOnly) }
	unit := "day"
	if each > 1 {
		unit = fmt.Sprintf("%d days", each)
	}
	// A phone shrinks the chart, so all its text is in the caption.
	caption := fmt.Sprintf("Forbidden requests of each %s from %s to %s; the highest bar is %s", unit, dayOf(first), dayOf(last), number(most))
	p.writeLine(`<figure><svg viewBox="0 0 %d %d" role="img" aria-label="%s">`, chartWidth, chartHeight+1, caption)
	step := float64(chartWidth) / float64(len(bars))
	width := max(step*0.8, 0.5)
	for i, b := range bars {
		if b.Forbidden == 0 {
			continue
		}
		high := float64(b.Forbidden) * chartHeight / float64(most)
		proved := float64(b.Proved) * chartHeight / float64(most)
		x := float64(i) * step
		p.writeLine(`<g><title>%s: %s forbidden, %s proved</title><rect class="forbidden" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/><rect class="proved" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/></g>`,
			dayOf(first+int64(i)*each), number(b.Forbidden), number(b.Proved), x, chartHeight-high, width, high-proved, x, chartHeight-proved, width, proved)
	}
	p.writeLine(`<line x1="0" y1="%d" x2="%d" y2="%[1]d"/></svg>`, chartHeight, chartWidth)
	p.writeLine(`<figcaption>%s; <span class="key proved"></span> proved, <span class="key forbidden"></span> not proved.</figcaption></figure>`, caption)
}

func (p *page) writeGlossary(r *audit.Report) {
	p.writeLine(`<section>
<h2>What the words mean</h2>
<p>A request is <b>forbidden</b> if the version of robots.txt that was in force then disallows it (RFC 9309). It is <b>proved</b> only if also what the crawler last
fetched disallows it, or it fetched nothing in the 24 hours before; if it came from an address of the operator; if it is a GET or HEAD; and if Google's
reading of the file forbids it too. An <b>impostor</b> uses the name of a crawler from an address that is not the operator's: these requests accuse nobody. The protocol is
a request to crawlers, and no access control.</p>`)
	if len(r.Coverage.Lists) > 0 {
		p.writeLine("<p>Lists of addresses that were used:</p>\n<ul>")
		for _, l := range r.Coverage.Lists {
			dated := "without a date"
			if l.Dated != "" {
				dated = "of " + l.Dated
			}
			p.writeLine("<li>%s, %s, %s</li>", text(l.File), text(dated), printable.Counted(l.Prefixes, "range"))
		}
		p.writeLine("</ul>")
	}
	p.writeLine("</section>")
}
