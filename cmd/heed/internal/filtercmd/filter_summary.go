package filtercmd

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/heed-robots/heed/cmd/heed/internal/captures"
	"github.com/heed-robots/heed/cmd/heed/internal/exit"
	"github.com/heed-robots/heed/cmd/heed/internal/flags"
	"github.com/heed-robots/heed/internal/bulk"
	"github.com/heed-robots/heed/internal/bulk/stream"
	"github.com/heed-robots/heed/internal/crawlernames"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/usage"
)

func (o *filter) reject(r bulk.Rejection) {
	o.wrong.Add(r.Input, r.Place, r.Err)
	if o.noMember == nil && (errors.Is(r.Err, stream.ErrNoMember) || errors.Is(r.Err, stream.ErrIsObject)) {
		o.noMember = &r
	}
}

// isFinished is false if input was left unread.
func (o *filter) summarize(c bulk.Counts, isFinished bool) {
	var unknown int64
	var text strings.Builder
	fmt.Fprintf(&text, "%s checked", printable.Counted(int(c.URLs), "URL"))
	for i, tally := range c.Columns {
		name := ""
		if len(c.Columns) > 1 {
			name = o.shownColumn(i) + ": "
		}
		separator := ": "
		if i > 0 {
			separator = "; "
		}
		fmt.Fprintf(&text, "%s%s%d allowed, %d disallowed, %d unknown", separator, name, tally[bulk.Allowed], tally[bulk.Disallowed], tally[bulk.Unknown])
		unknown += tally[bulk.Unknown]
	}
	o.term.Notice(text.String())
	if o.Keep != bulk.All {
		o.term.Notice(printable.Counted(int(c.Kept), "URL") + " written")
	}
	o.tellUnreachable()
	o.summarizePreferences(c.Preferences)
	if site := o.Decider.Unread(); site != nil {
		o.term.Notice(fmt.Sprintf(`preferences in the robots.txt of %s cannot be read, so they count as unknown; there may be other such sites; to see why, save this robots.txt as a file, and use "heed explain --for" with --robots FILE`, site))
	}
	if site := o.Decider.Page(); site != nil {
		o.term.Notice(fmt.Sprintf("the robots.txt of %s is an HTML page or a JSON value, and only the lines in it that look like lines of a robots.txt are read; there may be other such sites; with --%s, all such sites count as unreachable", site, flags.PagesFlag))
	}
	if unknown > 0 {
		because := "unknown because"
		if len(c.Columns) > 1 {
			because += ", in all columns together"
		}
		o.term.Notice(because + ": " + c.Unknown.String())
	}
	if c.Blank > 0 {
		o.term.Notice(printable.Counted(int(c.Blank), "line") + " without a URL: blank, or only a comment")
	}
	if o.input == "" && c.Rows > 1 && c.Rows == c.URLs {
		o.term.Notice("every line ends like a row of a table, and heed read the whole line as a URL: if the lines are rows, write them as CSV or TSV, with the names of all columns in the first line, and name the column with the URLs url")
	}
	o.tellRejected(c.Rejected)
	// With --input, an input without URLs may be a part of a list.
	if isFinished && c.URLs == 0 && o.wrong.Count > 0 && (o.input == "" || o.noMember != nil) {
		o.term.Raise(exit.Usage)
	}
	switch {
	case !isFinished || c.URLs > 0:
	case o.noMember != nil:
		o.tellMembers()
	case o.wrong.Count == 0 || o.responses:
	case o.Field != "":
		o.term.Notice(fmt.Sprintf("no line has a URL in the member %s; with --field, heed reads the INPUTs as JSON lines; if they are CSV or TSV, name the column with --column", printable.Quote(o.Field)))
	case o.isParquet || o.Column != "":
		o.term.Notice(fmt.Sprintf("no row has a URL in the column %s; name the column with --column", printable.Quote(cmp.Or(o.Column, "url"))))
	default:
		o.term.Notice("no line has a URL; if the URLs are in a column of CSV or TSV, name the column with --column; if they are in a member of JSON lines, name the member with --field")
	}
	o.sources.Summarize(o.term)
	if o.Rejects != "" && o.sources.Rejections.Count > 0 {
		o.term.Notice("the file of --rejects is about the INPUTs; heed compile --rejects writes a file about the sources")
	}
	if err := o.Decider.Damage(); err != nil {
		o.term.Notice(err.Error())
	}
	if c.Unknown[bulk.Unreadable] > 0 {
		o.term.Raise(exit.Usage)
	}
	if o.strict && o.sources.Rejections.Count+c.Rejected+unknown+o.wrong.Count > 0 {
		o.term.Raise(exit.Undetermined)
	}
}

// Without a limit, the set of unreachable sites could need much memory.
const maxUnreachable = 100_000

// An unreachable site looks as if its robots.txt disallowed everything, so the summary names it.
func (o *filter) tellUnreachable() {
	if o.liveSites == nil || len(o.liveSites.unreachable) == 0 {
		return
	}
	names := slices.Sorted(maps.Keys(o.liveSites.unreachable))
	text := "1 site is unreachable, so its URLs are disallowed: "
	if len(names) > 1 {
		text = fmt.Sprintf("%d sites are unreachable, so their URLs are disallowed: ", len(names))
	}
	if len(names) == maxUnreachable {
		text = fmt.Sprintf("%d sites or more are unreachable, so their URLs are disallowed: ", len(names))
	}
	o.term.Notice(text + printable.Some(names, ", "))
}

// The parameter all may be larger than the number of rejections in this run. After --resume, all includes the
// rejected lines before the interruption. If a row group of Parquet was rejected as a whole, all includes each row of
// the row group.
func (o *filter) tellRejected(all int64) {
	what, before := "line", all-o.wrong.Count
	switch {
	case o.isParquet:
		what, before = "row", 0
	case o.responses:
		what = "record"
	}
	rejected := func(n int64) string { return printable.Counted(int(n), what) + " rejected" }
	switch {
	case before <= 0:
		o.wrong.Tell(o.term, rejected(max(all, o.wrong.Count)))
	case o.wrong.Count == 0:
		o.term.Notice(rejected(all) + ", all before the interruption")
	default:
		o.term.Notice(fmt.Sprintf("%s, %d of them before the interruption", rejected(all), before))
		o.wrong.Tell(o.term, rejected(o.wrong.Count)+" after the interruption")
	}
}

// The crawler has the same name as in the output of other commands.
func (o *filter) shownColumn(i int) string {
	c := o.columns[i]
	return o.known.Name(c.Agents) + strings.TrimPrefix(c.Name, crawlernames.Name(c.Agents))
}

func (o *filter) tellMembers() {
	text := fmt.Sprintf("no line has a URL in the member %s; %s, %s has the members %s",
		printable.Quote(cmp.Or(o.Field, "url")), o.noMember.Input, o.noMember.Place, cmp.Or(stream.MembersOf(o.noMember.Text), "(none)"))
	if o.Field == "" {
		text += "; name the member with the URL with --field"
	}
	o.term.Notice(text)
}

func (o *filter) summarizePreferences(all []bulk.Preferences) {
	for i, of := range all {
		text := "use"
		if len(all) > 1 {
			text += " by " + o.shownColumn(i)
		}
		separator := ": "
		for _, p := range o.purposes.For {
			text += fmt.Sprintf("%s%s %d allowed, %d disallowed, %d unknown", separator, p, of[p][usage.Allowed], of[p][usage.Disallowed], of[p][usage.Unknown])
			separator = "; "
		}
		o.term.Notice(fmt.Sprintf("%s; not crawlable %d", text, of[usage.TrainAI][usage.NotCrawlable]))
	}
}

func (o *filter) progress() func(time.Duration) string {
	total := captures.SizeOf(o.Inputs)
	what := "line"
	if o.responses {
		what = "response"
	}
	return func(elapsed time.Duration) string {
		return captures.Pace(int(o.Lines.Load()), what, o.Read.Load(), total, elapsed)
	}
}

// Inputs and robots.txt files may have bytes that control a terminal. printableLines leaves these bytes out.
type printableLines struct{ to io.Writer }

func (p printableLines) Write(text []byte) (int, error) {
	var safe bytes.Buffer
	for line := range bytes.Lines(text) {
		body := bytes.TrimSuffix(line, []byte("\n"))
		safe.WriteString(printable.Line(string(body)))
		safe.Write(line[len(body):])
	}
	_, err := p.to.Write(safe.Bytes())
	return len(text), err
}
