package lint

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/ascii"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/robotstxt/record"
)

// With a delay of one minute, a crawler needs a week for 10,000 pages. The operators of crawlers recommend at most 30
// seconds.
const maxDelay = time.Minute

type recordLine struct {
	robotstxt.Line
	info  record.Info // the zero Info if the record is unknown
	value record.Value
	err   error
}

func (f *file) records() []recordLine {
	if f.recordLines == nil {
		f.recordLines = []recordLine{}
		for _, line := range f.textLines() {
			if line.Kind == robotstxt.KindSitemap || line.Kind == robotstxt.KindOther {
				f.recordLines = append(f.recordLines, readRecord(line))
			}
		}
	}
	return f.recordLines
}

func readRecord(line robotstxt.Line) recordLine {
	info, value, err := line.Record()
	return recordLine{line, info, value, err}
}

func (r recordLine) firstIn(text, otherwise string) string {
	if strings.Contains(r.Value, text) {
		return text
	}
	return otherwise
}

// Words of the wrong vocabulary are no problem here, because the lint rule usage-wrong-vocabulary reports them.
func (r recordLine) problem() (part, message string) {
	wrong, fixes := wrongWords(r)
	unread := slices.DeleteFunc(slices.Clone(record.Unread(r.value)), func(member string) bool { return isWrongWord(member, wrong) })
	usage, _ := r.value.(record.ContentUsage)
	switch {
	case fixes:
	case r.Value == "":
		return r.Key, fmt.Sprintf("%s has no value", r.info.Name)
	case r.err != nil:
		why := r.err
		for errors.Unwrap(why) != nil {
			why = errors.Unwrap(why) // the innermost error does not repeat the value, which the message already has
		}
		return r.Value, fmt.Sprintf("cannot read %s: %v", printable.Quote(r.Value), why)
	case usage.Err != nil:
		dictionary := strings.TrimLeft(strings.TrimPrefix(r.Value, usage.Path), " \t")
		return dictionary, fmt.Sprintf("cannot read %s, so this line says nothing: %v", printable.Quote(dictionary), usage.Err)
	case len(unread) > 0:
		return unread[0], fmt.Sprintf("cannot read %s, so this part is ignored", printable.Quote(unread[0]))
	}
	return "", ""
}

func invalidRecord(name string) func(*file, func(Finding)) {
	return func(f *file, report func(Finding)) {
		for _, r := range f.records() {
			if r.info.Name != name {
				continue
			}
			if part, message := r.problem(); message != "" {
				report(findingAt(r.Line, part, message))
			}
		}
	}
}

// If a line end got lost, one line has two URLs.
func invalidSitemap(f *file, report func(Finding)) {
	invalidRecord("Sitemap")(f, report)
	for _, r := range f.records() {
		sitemap, ok := r.value.(record.Sitemap)
		if !ok {
			continue
		}
		parts := strings.Fields(sitemap.URL)
		if second := slices.IndexFunc(parts[1:], isURL); second >= 0 {
			part := parts[second+1]
			report(findingAt(r.Line, part, fmt.Sprintf("a second URL, %s: one line has one URL, so the value is read as a single wrong one", printable.Quote(part))))
		}
	}
}

func isURL(s string) bool { return strings.Contains(s, "://") }

func invalidDelay(f *file, report func(Finding)) {
	for _, r := range f.records() {
		if r.info.Name != "Crawl-delay" {
			continue
		}
		part, message := r.problem()
		if r.Notes.Has(robotstxt.NoteOutsideGroup) {
			part, message = r.Key, "no User-agent line is before this Crawl-delay, so it is for no crawler"
		}
		var fix *Fix
		if delay, ok := r.value.(record.CrawlDelay); ok && message == "" && strings.ContainsAny(r.Value, "eE") {
			seconds := strconv.FormatFloat(delay.Delay.Seconds(), 'f', -1, 64)
			part, message = r.Value, fmt.Sprintf("not all crawlers read %s as %s seconds", printable.Quote(r.Value), seconds)
			fix = f.newFix("write "+printable.Quote(seconds), replaceText(r.Line, r.Value, seconds))
		}
		names, some := f.mayRead(r)
		if message != "" && some {
			found := findingAt(r.Line, part, message)
			found.Crawlers, found.Fix = names, fix
			report(found)
		}
	}
}

func hugeDelay(f *file, report func(Finding)) {
	for _, r := range f.records() {
		delay, ok := r.value.(record.CrawlDelay)
		if !ok || delay.Delay <= maxDelay || r.Group == 0 {
			continue
		}
		if names, some := f.mayRead(r); some {
			report(findingAt(r.Line, r.Value, "this leaves "+pagesADay(delay.Delay)).withCrawlers(names))
		}
	}
}

func pagesADay(delay time.Duration) string {
	const day = 24 * time.Hour
	switch pages := day / delay; {
	case pages > 1:
		return fmt.Sprintf("at most %d pages a day", pages)
	case pages == 1:
		return "one page a day"
	default:
		return fmt.Sprintf("one page in %.1f days", delay.Hours()/24)
	}
}

// If isRead is true and names is nil, all crawlers may read the record.
func (f *file) mayRead(r recordLine) (names []string, isRead bool) {
	if r.Group == 0 || slices.ContainsFunc(f.groups[r.Group-1].Agents, func(a robotstxt.Agent) bool { return a.Everyone }) {
		return nil, true
	}
	names = f.readersOf(r).other
	return names, len(names) > 0
}

// The list ignore has the crawlers of a group that are known to ignore a record. The list other has the rest.
type readers struct{ ignore, other []string }

// readersOf remembers its results, because a hostile file can have many lines and many names.
func (f *file) readersOf(r recordLine) readers {
	key := fmt.Sprint(r.Group, ascii.ToLower(r.Key))
	known, ok := f.readers[key]
	if ok {
		return known
	}
	seen := map[string]bool{}
	for _, agent := range f.groups[r.Group-1].Agents {
		c, _ := crawlers.Known().Lookup(agent.Name)
		switch name := ascii.ToLower(agent.Name); {
		case name == "" || seen[name] || isPurposeToken(name):
		case c.ReadsRecord(r.Key) != crawlers.No:
			seen[name] = true
			known.other = append(known.other, agent.Name)
		case !slices.Contains(known.ignore, c.Token): // the group may have several names of the same crawler
			known.ignore = append(known.ignore, c.Token)
		}
	}
	if f.readers == nil {
		f.readers = map[string]readers{}
	}
	f.readers[key] = known
	return known
}

func ignoredBy(f *file, report func(Finding)) {
	for _, r := range f.records() {
		if r.Group == 0 || r.info.BindsFile {
			continue
		}
		if names := f.readersOf(r).ignore; len(names) > 0 {
			report(findingAt(r.Line, r.Key, fmt.Sprintf("%s not read %s", listText(names, "does", "do"), printable.Text(r.Key))).withCrawlers(names))
		}
	}
}

func unknownRecord(f *file, report func(Finding)) {
	if len(f.groups) == 0 {
		return // the file is probably not a robots.txt: in a style sheet, for example, each line would look like a record
	}
	for _, r := range f.records() {
		if isUnknownRecord(r) {
			report(oncePerKey(r, fmt.Sprintf("heed does not know the record %s", printable.Quote(r.Key))))
		}
	}
}

func deadRecord(f *file, report func(Finding)) {
	for _, r := range f.records() {
		if r.info.Dead {
			report(oncePerKey(r, fmt.Sprintf("no known crawler reads %s", r.info.Name)))
		}
	}
}

func oncePerKey(r recordLine, message string) Finding {
	found := findingAt(r.Line, r.Key, message)
	found.reason = ascii.ToLower(r.Key)
	return found
}

// Other lint rules report misspelt keys and stray lines.
func isUnknownRecord(r recordLine) bool {
	if r.info.Name != "" || !isRecordName(r.Key) || rightKey(r.Key) != "" || isStray(r.Line) {
		return false
	}
	_, lostColon := bareKeyOf(r.Line)
	return !lostColon
}

// isRecordName is false for HTML, and for the scheme of a URL.
func isRecordName(key string) bool {
	for i := range len(key) {
		if c := key[i]; !ascii.IsLetter(c) && !ascii.IsDigit(c) && strings.IndexByte("-_. ", c) < 0 {
			return false
		}
	}
	return ascii.IsLetter(key[0]) && !ascii.EqualFold(key, "http") && !ascii.EqualFold(key, "https")
}

func unparseableUsage(f *file, report func(Finding)) {
	invalidRecord("Content-Usage")(f, report)
	for _, r := range f.records() {
		usage, ok := r.value.(record.ContentUsage)
		if !ok || usage.Err != nil {
			continue // there is another finding about this line
		}
		wrong, _ := wrongWords(r)
		for _, p := range usage.Preferences {
			part := r.firstIn(p.Name+"="+p.Value, p.Name)
			if p.Value != "y" && p.Value != "n" && !isWrongWord(part, wrong) {
				report(findingAt(r.Line, part, fmt.Sprintf("%s has the value %s, expected y or n", printable.Text(p.Name), printable.Quote(p.Value))))
				break
			}
		}
	}
}
