package report

import (
	"errors"
	"fmt"
	"strings"

	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/robotstxt/record"
)

// A Line is one line of a robots.txt, whatever it holds.
type Line struct {
	Number  int            `json:"line"`   // counted from 1
	Offset  int            `json:"offset"` // of its first byte
	Kind    robotstxt.Kind `json:"kind"`
	Key     string         `json:"key,omitempty"`
	Value   string         `json:"value,omitempty"`
	ReadAs  string         `json:"read_as,omitempty"` // the name that a User-agent line gives, where that is not its value
	Group   int            `json:"group,omitempty"`   // that it stands in, counted from 1
	Ignored bool           `json:"ignored,omitempty"` // it has no effect in the dialect
	Raw     string         `json:"raw"`
	RawB64  []byte         `json:"raw_b64,omitempty"`
	Notes   []string       `json:"notes"`            // names of what is worth knowing about it
	Record  any            `json:"record,omitempty"` // what a record says that is not of the protocol
	Error   string         `json:"error,omitempty"`  // why the record cannot be read
}

// LineOf returns a line of a file that was read in a dialect.
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
	value, err := recordOf(line)
	if err != nil {
		j.Error = withoutRoom(err)
	}
	j.Record = recordFields(value)
	return j
}

// A Remark is what is worth knowing about a line.
type Remark struct {
	Kind string // in words, the same for all lines of which the same is to be said
	Text string // about this line
}

// Remarks returns what is worth knowing about a line of a file that was read in a dialect.
// What has no effect has a remark that begins with "ignored".
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
	for _, text := range notes.Texts() {
		add(text, text)
	}
	if line.Notes.Has(robotstxt.NoteEmptyValue) {
		return remarks
	}
	value, err := recordOf(line)
	if err != nil {
		add("a value that cannot be read", "cannot be read: "+why(err))
	}
	for _, member := range unreadMembers(value) {
		add("a value that cannot be read", fmt.Sprintf("%q cannot be read", member))
	}
	return remarks
}

const reasonsToIgnore = robotstxt.NoteOutsideGroup | robotstxt.NoteEmptyValue | robotstxt.NotePastLimit

// whyIgnored says why a line has no effect.
func whyIgnored(line robotstxt.Line, d *robotstxt.Dialect) string {
	if reasons := line.Notes & reasonsToIgnore; reasons != 0 {
		return reasons.String()
	}
	if line.Kind == robotstxt.KindInvalid {
		return "no key and value"
	}
	if strings.EqualFold(line.Key, "Allow") {
		return d.Title() + " does not know Allow" // else it would be a rule
	}
	if name, _ := AboutRecord(line); name != "" {
		return d.Title() + " does not read such records"
	}
	return "not a known record"
}

// readAs says what name is read of a User-agent line, which is not its value.
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

// recordOf returns the typed value of a record that is not of the protocol,
// nil for other lines and for a record that nobody knows.
func recordOf(line robotstxt.Line) (record.Value, error) {
	switch line.Kind {
	case robotstxt.KindSitemap:
		return record.Parse("sitemap", line.Value)
	case robotstxt.KindOther:
		r, err := record.Parse(line.Key, line.Value)
		if errors.Is(err, record.ErrUnknown) {
			return nil, nil
		}
		return r, err
	}
	return nil, nil
}

// AboutRecord returns the name of a record that is not of the protocol, as it is usually
// written, and in sentences what it means and who is known to use it; "" where nothing is
// known of the line.
func AboutRecord(line robotstxt.Line) (name, about string) {
	info := infoOf(line)
	about = info.Note
	if len(info.UsedBy) > 0 {
		about += " Used by " + strings.Join(info.UsedBy, ", ") + "."
	}
	return info.Name, about
}

// infoOf returns what is known of the record of a line; the zero Info: nothing.
func infoOf(line robotstxt.Line) record.Info {
	key := line.Key
	switch line.Kind {
	case robotstxt.KindSitemap:
		key = "sitemap" // it may be misspelt
	case robotstxt.KindOther:
	default:
		return record.Info{}
	}
	info, _ := record.Lookup(key)
	return info
}

// withoutRoom returns an error without the name of the package that it is from.
func withoutRoom(err error) string { return strings.TrimPrefix(err.Error(), "robotstxt: ") }

// why returns why a value cannot be read, without the value.
func why(err error) string {
	if inner := errors.Unwrap(err); inner != nil {
		return inner.Error()
	}
	return withoutRoom(err)
}
