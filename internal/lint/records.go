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

// maxDelay is the longest Crawl-delay that needs no warning. With one page a minute, a crawler
// needs a week for 10,000 pages, so it finds new pages too late to be of use. Operators that
// name values in their documents name at most 30 seconds.
const maxDelay = time.Minute

// A recordLine is a line with a record, and the value of the record.
type recordLine struct {
	robotstxt.Line
	info  record.Info // the zero Info: unknown
	value record.Value
	err   error
}

// records returns all lines with a record, also those that are unknown. A file that is no
// robots.txt has none.
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

// firstIn returns a text if the value contains it as it is, and else another text.
func (r recordLine) firstIn(text, otherwise string) string {
	if strings.Contains(r.Value, text) {
		return text
	}
	return otherwise
}

// problem returns what of the value cannot be read, and why; "": nothing.
func (r recordLine) problem() (part, message string) {
	unread := record.Unread(r.value)
	usage, _ := r.value.(record.ContentUsage)
	switch {
	case r.Value == "":
		return r.Key, fmt.Sprintf("%s has no value", r.info.Name)
	case r.err != nil:
		why := r.err
		for errors.Unwrap(why) != nil {
			why = errors.Unwrap(why) // without the value, which the message has already
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

// invalidRecord returns a check that finds values of a record that cannot be read.
func invalidRecord(name string) func(*file, func(Finding)) {
	return func(f *file, report func(Finding)) {
		for _, r := range f.records() {
			if r.info.Name != name {
				continue
			}
			if part, message := r.problem(); message != "" {
				report(at(r.Line, part, message))
			}
		}
	}
}

// invalidSitemap also finds a second URL behind the first one, which is often a Sitemap line
// whose line end got lost.
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
			report(at(r.Line, part, fmt.Sprintf("a second URL, %s: one line has one URL, so the value is read as a single wrong one", printable.Quote(part))))
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
			fix = f.newFix("write "+printable.Quote(seconds), span(r.Line, r.Value, seconds))
		}
		names, some := f.mayRead(r)
		if message != "" && some {
			found := at(r.Line, part, message)
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
			report(at(r.Line, r.Value, "this leaves "+pagesADay(delay.Delay)).about(names))
		}
	}
}

// pagesADay says how many pages a crawler may fetch with a delay between them.
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

// mayRead returns the crawlers that the group of a record names, without those that are known
// to ignore it. The names are nil, and some is true, if it is for all crawlers.
func (f *file) mayRead(r recordLine) (names []string, some bool) {
	if r.Group == 0 || slices.ContainsFunc(f.groups[r.Group-1].Agents, func(a robotstxt.Agent) bool { return a.Everyone }) {
		return nil, true
	}
	names = f.readersOf(r).others
	return names, len(names) > 0
}

// readers are the crawlers of a group: those that are known to ignore a record, by their product
// tokens, and the others.
type readers struct{ ignore, others []string }

// readersOf returns the readers of the group of a record. They are found out once for all lines of
// a group with the same record, because a hostile file has many lines and many names.
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
		case name == "" || seen[name]:
		case c.ReadsRecord(r.Key) != crawlers.No:
			seen[name] = true
			known.others = append(known.others, agent.Name)
		case !slices.Contains(known.ignore, c.Token): // it may have several names
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
			report(at(r.Line, r.Key, fmt.Sprintf("%s not read %s", listed(names, "does", "do"), printable.Text(r.Key))).about(names))
		}
	}
}

func unknownRecord(f *file, report func(Finding)) {
	if len(f.groups) == 0 {
		return // probably no robots.txt: each line of a style sheet would look like a record
	}
	for _, r := range f.records() {
		if isUnknownRecord(r) {
			report(onceEach(r, fmt.Sprintf("Heed does not know the record %s", printable.Quote(r.Key))))
		}
	}
}

func deadRecord(f *file, report func(Finding)) {
	for _, r := range f.records() {
		if r.info.Dead {
			report(onceEach(r, fmt.Sprintf("no known crawler reads %s", r.info.Name)))
		}
	}
}

// onceEach returns a finding about the key of a record, of which all lines have one finding.
func onceEach(r recordLine, message string) Finding {
	found := at(r.Line, r.Key, message)
	found.reason = ascii.ToLower(r.Key)
	return found
}

// isUnknownRecord reports whether a line has a record that nobody knows. Lines that are probably
// meant as something else have findings of other rules.
func isUnknownRecord(r recordLine) bool {
	if r.info.Name != "" || !isRecordName(r.Key) || rightKey(r.Key) != "" || isStray(r.Line) {
		return false
	}
	_, lostColon := bareKeyOf(r.Line)
	return !lostColon
}

// isRecordName reports whether a key can be the name of a record. Text before a colon that is
// something else, such as HTML or the scheme of a URL, is none.
func isRecordName(key string) bool {
	for i := range len(key) {
		if c := key[i]; !ascii.IsLetter(c) && !ascii.IsDigit(c) && strings.IndexByte("-_. ", c) < 0 {
			return false
		}
	}
	return ascii.IsLetter(key[0]) && !ascii.EqualFold(key, "http") && !ascii.EqualFold(key, "https")
}

func signalOutsideGroup(f *file, report func(Finding)) {
	for _, r := range f.records() {
		if isSignal(r) && r.Notes.Has(robotstxt.NoteOutsideGroup) {
			report(at(r.Line, r.Key, fmt.Sprintf("no User-agent line is before this %s, so it is for no crawler", r.info.Name)))
		}
	}
}

func isSignal(r recordLine) bool {
	return r.info.Name == "Content-Signal" || r.info.Name == "Content-Usage"
}

func unparseableUsage(f *file, report func(Finding)) {
	invalidRecord("Content-Usage")(f, report)
	for _, r := range f.records() {
		usage, ok := r.value.(record.ContentUsage)
		if !ok || usage.Err != nil {
			continue // the line has a finding already
		}
		for _, p := range usage.Preferences {
			if p.Value != "y" && p.Value != "n" {
				part := r.firstIn(p.Name+"="+p.Value, p.Name)
				report(at(r.Line, part, fmt.Sprintf("%s has the value %s, expected y or n", printable.Text(p.Name), printable.Quote(p.Value))))
				break
			}
		}
	}
}

// A claim is what a line says about one use of the content.
type claim struct {
	line   recordLine
	use    string // in the words of Content-Signal, such as "ai-train"
	path   string // the pattern for which it holds; "": every path
	grants bool
	text   string // as in the line, such as "train-ai=n"
}

// purposes has, for each use, the purposes of the crawlers that need it.
var purposes = map[string][]crawlers.Purpose{
	"search":   {crawlers.Search},
	"ai-input": {crawlers.AISearch, crawlers.AIUser},
	"ai-train": {crawlers.AITraining},
}

// usesOfUsage has the words of Content-Usage, in those of Content-Signal.
var usesOfUsage = map[string]string{"train-ai": "ai-train", "search": "search"}

// claims returns what a record says, without what is neither yes nor no.
func claims(r recordLine) []claim {
	var all []claim
	switch v := r.value.(type) {
	case record.ContentSignal:
		for _, s := range v.Signals {
			if s.Known && (s.Value == "yes" || s.Value == "no") {
				all = append(all, claim{r, s.Name, pathOf(v.Path), s.Value == "yes", s.Name + "=" + s.Value})
			}
		}
	case record.ContentUsage:
		for _, p := range v.Preferences {
			if use, ok := usesOfUsage[p.Name]; ok && (p.Value == "y" || p.Value == "n") {
				all = append(all, claim{r, use, pathOf(v.Path), p.Value == "y", p.Name + "=" + p.Value})
			}
		}
	}
	return all
}

// pathOf returns the path of a claim, "" for every path.
func pathOf(written string) string {
	if written == "/" {
		return ""
	}
	return written
}

// A subject is what two claims must have in common to contradict each other.
type subject struct{ crawler, use, path string }

// signalContradicts reports for each line what contradicts it: a line before it, or the rule that
// keeps out the crawlers that the line is for. One finding is enough for a line.
func signalContradicts(f *file, report func(Finding)) {
	earlier := map[subject]claim{}
	for _, r := range f.records() {
		if !isSignal(r) || r.Group == 0 {
			continue
		}
		reported := false
		for _, c := range claims(r) {
			if found, ok := f.contradiction(c, earlier); ok && !reported {
				report(found)
				reported = true
			}
		}
	}
}

// contradiction returns the first thing that contradicts a claim, with all crawlers for which it
// does, and remembers the claim.
func (f *file) contradiction(c claim, earlier map[subject]claim) (found Finding, ok bool) {
	everyone := false
	for _, agent := range f.groups[c.line.Group-1].Agents {
		message := f.against(agent, c, earlier)
		switch {
		case message == "":
			continue
		case !ok:
			found, ok = at(c.line.Line, c.line.firstIn(c.text, c.line.Value), message), true
		case message != found.Message:
			continue
		}
		everyone = everyone || agent.Everyone
		if !slices.ContainsFunc(found.Crawlers, func(name string) bool { return ascii.EqualFold(name, agent.Name) }) {
			found.Crawlers = append(found.Crawlers, agent.Name)
		}
	}
	if everyone {
		found.Crawlers = nil
	}
	return found, ok
}

// against says what contradicts a claim for the crawlers of one User-agent line; "": nothing.
func (f *file) against(agent robotstxt.Agent, c claim, earlier map[subject]claim) string {
	if agent.Name == "" {
		return "" // the line names no crawler
	}
	key := subject{ascii.ToLower(agent.Name), c.use, c.path}
	first, again := earlier[key]
	if !again {
		earlier[key] = c
	} else if first.grants != c.grants {
		return fmt.Sprintf("%s contradicts %s in line %d", printable.Text(c.text), printable.Text(first.text), first.line.Number)
	}
	if rule, ok := f.shutsOut(agent, c); ok {
		return fmt.Sprintf("%s grants a use, but the crawlers for it may fetch no page (%v)", printable.Text(c.text), rule)
	}
	return ""
}

// shutsOut returns the rule that keeps the crawlers of a User-agent line from every page, if a
// claim grants them a use of the pages and they are crawlers for that use.
func (f *file) shutsOut(agent robotstxt.Agent, c claim) (robotstxt.Rule, bool) {
	if !c.grants || c.path != "" {
		return robotstxt.Rule{}, false
	}
	policy := f.parsed.Agent() // of the crawlers that no group names
	if !agent.Everyone {
		known, _ := crawlers.Known().Lookup(agent.Name)
		if !slices.ContainsFunc(known.Purposes, func(p crawlers.Purpose) bool { return slices.Contains(purposes[c.use], p) }) {
			return robotstxt.Rule{}, false
		}
		policy = f.parsed.Agent(agent.Name)
	}
	return policy.Check("/").Rule, blocksAll(policy)
}
