package report

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/robotstxt/record"
)

// A Line is one line of a robots.txt; blank lines and comments are lines too.
type Line struct {
	Number  int            `json:"line"`              // the number of the line, counted from 1
	Offset  int            `json:"offset"`            // the offset of the first byte of the line in the file, counted from 0
	Kind    robotstxt.Kind `json:"kind"`              // such as "user-agent" or "comment"; "invalid" if the line has no key and value
	Key     string         `json:"key,omitempty"`     // the key as written
	Value   string         `json:"value,omitempty"`   // the value as written, without a comment, and without white space around the value
	ReadAs  string         `json:"read_as,omitempty"` // for a User-agent line, the product token that crawlers read, if this is not the whole value
	Group   int            `json:"group,omitempty"`   // the number of the group that contains the line, counted from 1; absent if no group contains the line
	Ignored bool           `json:"ignored,omitempty"` // the line has no effect in the dialect
	Raw     string         `json:"raw"`               // the whole line with its line end
	RawB64  []byte         `json:"raw_b64,omitempty"`
	Notes   []string       `json:"notes"`            // facts about the line, such as "not-utf8"
	Record  any            `json:"record,omitempty"` // the value of a record, such as {"seconds":5} for Crawl-delay
	Error   string         `json:"error,omitempty"`  // why the value of the record cannot be read
}

func LineOf(line robotstxt.Line, d *robotstxt.Dialect) Line {
	raw := TextOf(line.Raw)
	j := Line{
		Number:  line.Number,
		Offset:  line.Offset,
		Kind:    line.Kind,
		Key:     TextOf(line.Key).Text,
		Value:   TextOf(line.Value).Text,
		Group:   line.Group,
		Ignored: d.Ignores(line),
		Raw:     raw.Text,
		RawB64:  raw.B64,
		Notes:   line.Notes.Names(),
	}
	if line.Notes.Has(robotstxt.NoteNameCut) {
		j.ReadAs = TextOf(d.AgentIn(line).Name).Text
	}
	_, value, err := line.Record()
	if err != nil {
		j.Error = withoutPackage(err)
	}
	j.Record = recordFields(value)
	return j
}

// A Remark is a text about something unusual in a line.
type Remark struct {
	Kind string // a text that is equal for all lines with the same fact, such as "read as a shorter name"
	Text string // the text for this line, such as `read as "MJ": …`
}

// Remarks returns what is unusual in a line. If the line has no effect, one remark begins with "ignored".
func Remarks(line robotstxt.Line, d *robotstxt.Dialect) []Remark {
	var remarks []Remark
	add := func(kind, text string) { remarks = append(remarks, Remark{kind, text}) }
	notes := line.Notes
	if d.Ignores(line) {
		text := "ignored: " + whyIgnored(line, d)
		add(text, text)
		notes &^= reasonsToIgnore
	}
	if notes.Has(robotstxt.NoteNameCut) {
		add("read as a shorter name", readAs(d.AgentIn(line)))
		notes &^= robotstxt.NoteNameCut
	}
	if notes.Has(robotstxt.NoteNamesNoCrawler) {
		add("names nobody", `names nobody: it begins with no letter, "_" or "-"`)
		notes &^= robotstxt.NoteNamesNoCrawler
	}
	for note := robotstxt.Notes(1); note != 0; note <<= 1 {
		if notes.Has(note) {
			add(note.String(), note.String())
		}
	}
	if line.Notes.Has(robotstxt.NoteEmptyValue) {
		return remarks
	}
	_, value, err := line.Record()
	if err != nil {
		add("a value that cannot be read", "cannot be read: "+reasonOf(err))
	}
	if usage, ok := value.(record.ContentUsage); ok && usage.Err != nil {
		add("a value that cannot be read", "cannot be read, so the whole line says nothing: "+usage.Err.Error())
		return remarks
	}
	for _, member := range record.Unread(value) {
		add("a value that cannot be read", fmt.Sprintf("%q cannot be read", member))
	}
	return remarks
}

const reasonsToIgnore = robotstxt.NoteOutsideGroup | robotstxt.NoteEmptyValue | robotstxt.NotePastLimit

func whyIgnored(line robotstxt.Line, d *robotstxt.Dialect) string {
	if reasons := line.Notes & reasonsToIgnore; reasons != 0 {
		return reasons.String()
	}
	if line.Kind == robotstxt.KindInvalid {
		return "no key and value"
	}
	if strings.EqualFold(line.Key, "Allow") {
		return d.InSentence() + " does not know Allow" // only in this dialect is an Allow line not a rule
	}
	if name, _ := AboutRecord(line); name != "" {
		return d.InSentence() + " does not read such records"
	}
	return "not a known record"
}

func readAs(a robotstxt.Agent) string {
	rest := a.Value[len(a.Name):]
	switch text := fmt.Sprintf("read as %q", a.Name); {
	case strings.HasPrefix(strings.TrimLeft(rest, " \t"), "/"):
		return text + ", without the version"
	case strings.Contains(rest, ","):
		return text + ": one line names one crawler"
	default:
		return text + `: a name has letters, "_" and "-" only`
	}
}

// AboutRecord returns the usual name of a record, and a text that says what the record means and who uses it. If the record
// is unknown, it returns "" and "".
func AboutRecord(line robotstxt.Line) (name, about string) {
	info, _, _ := line.Record()
	about = info.Note
	if len(info.UsedBy) > 0 {
		about += " Used by " + strings.Join(info.UsedBy, ", ") + "."
	}
	return info.Name, about
}

func withoutPackage(err error) string { return strings.TrimPrefix(err.Error(), "robotstxt: ") }

func reasonOf(err error) string {
	if inner := errors.Unwrap(err); inner != nil {
		return inner.Error()
	}
	return withoutPackage(err)
}

func recordFields(r record.Value) any {
	switch r := r.(type) {
	case record.Sitemap:
		return map[string]any{"url": r.URL}
	case record.License:
		return map[string]any{"url": r.URL}
	case record.CrawlDelay:
		return map[string]any{"seconds": r.Delay.Seconds()}
	case record.RequestRate:
		return map[string]any{"requests": r.Requests, "seconds": int(r.Per / time.Second), "during": recordFields(r.During)}
	case record.VisitTime:
		return map[string]any{"from": r.From.String(), "to": r.To.String()}
	case record.Host:
		return map[string]any{"host": r.Host}
	case record.CleanParam:
		return withUnread(map[string]any{"params": r.Params, "path": r.Path}, r.Unread)
	case record.Noindex:
		return map[string]any{"pattern": r.Pattern}
	case record.ContentSignal:
		signals := []any{}
		for _, s := range r.Signals {
			signals = append(signals, map[string]any{"name": s.Name, "value": s.Value, "known": s.Known})
		}
		fields := map[string]any{"signals": signals}
		if r.Path != "" {
			fields["path"] = r.Path
		}
		return withUnread(fields, r.Unread)
	case record.ContentUsage:
		preferences := []any{}
		for _, p := range r.Preferences {
			preferences = append(preferences, map[string]any{"name": p.Name, "value": p.Value})
		}
		return withUnread(map[string]any{"path": r.Path, "preferences": preferences}, r.Unread)
	case record.Text:
		return map[string]any{"text": r.Value}
	}
	return nil
}

func withUnread(fields map[string]any, members []string) any {
	if len(members) > 0 {
		fields["unread"] = members
	}
	return fields
}
