package stream

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/heed-robots/heed/internal/bulk"
	"github.com/heed-robots/heed/internal/jsonobject"
	"github.com/heed-robots/heed/internal/report"
)

// A Writer writes the lines of the output. Several goroutines may use it.
type Writer struct {
	columns []string
	use     *bulk.Use
	keep    bulk.Keep
	output  Output
	prefix  string
	names   []string // the names, in quotation marks, of the members that are added to JSON
	keys    [][]byte // for each column, the start of its member in JSON, such as `"name":"`
	usage   []byte   // the start of the member with the preferences in JSON, with a comma before it and a colon after it
}

// NewWriter returns a Writer for the verdicts of the named columns. prefix is put before the names of added members.
func NewWriter(columns []string, use *bulk.Use, keep bulk.Keep, output Output, prefix string) *Writer {
	w := &Writer{columns: columns, use: use, keep: keep, output: output, prefix: prefix}
	for _, name := range columns {
		w.keys = append(w.keys, append(report.AppendString(nil, name), `:"`...))
	}
	names := []string{"allowed", "reason", "rule"}
	if len(columns) > 1 {
		names = []string{"verdicts"}
	}
	if use != nil {
		names = append(names, bulk.UsageColumn)
		w.usage = []byte(`,"` + prefix + bulk.UsageColumn + `":`)
	}
	for _, name := range names {
		w.names = append(w.names, `"`+prefix+name+`"`)
	}
	return w
}

// Append appends the output for a line. If Line.Err is nil, Clash must have returned nil for the line.
func (w *Writer) Append(out []byte, l *Line, verdicts []bulk.Verdict) []byte {
	url, text := l.URL, l.Text
	switch {
	case l.Err != nil && (w.keep != bulk.All || w.output == Same):
		return out
	case l.Err != nil:
		url, verdicts = l.Shown(), bulk.WithoutURL(len(w.columns))
		if l.Format == JSONLines && (jsonobject.Each(text, func(_, _ string) error { return nil }) != nil || w.Clash(l) != nil) {
			text = ""
		}
	case !w.keep.Keeps(verdicts):
		return out
	case w.writesSame():
		return appendSame(out, l)
	}
	if w.writesRows(l.Format) {
		return w.appendRow(out, url, verdicts)
	}
	if l.Format != JSONLines {
		text = ""
	}
	return w.appendObject(out, text, url, verdicts)
}

func appendSame(out []byte, l *Line) []byte {
	text := l.Text
	if l.Format == Plain {
		text = l.URL // without a comment
	}
	out = append(out, text...)
	if l.hasCR {
		out = append(out, '\r')
	}
	return append(out, '\n')
}

func (w *Writer) writesRows(input Format) bool {
	return w.output == Rows || w.output == "" && w.keep == bulk.All && input != JSONLines
}

func (w *Writer) writesSame() bool { return w.output == Same || w.output == "" && w.keep != bulk.All }

func (w *Writer) header() []byte {
	names := []string{"url", "verdict", "reason", "line", "rule"}
	if len(w.columns) > 1 {
		names = append(names[:1], w.columns...)
	}
	out := appendCell(nil, names[0])
	for _, name := range append(names[1:], w.use.Columns(w.columns)...) {
		out = appendCell(append(out, '\t'), name)
	}
	return append(out, '\n')
}

func (w *Writer) appendRow(out []byte, url string, verdicts []bulk.Verdict) []byte {
	out = appendCell(out, url)
	if len(verdicts) > 1 {
		for i := range verdicts {
			out = append(append(out, '\t'), verdicts[i].Word.String()...)
		}
	} else {
		out = appendDecision(out, &verdicts[0])
	}
	if w.use != nil {
		for i := range verdicts {
			out = append(append(out, '\t'), w.use.Text(&verdicts[i])...)
		}
	}
	return append(out, '\n')
}

func appendDecision(out []byte, v *bulk.Verdict) []byte {
	out = append(append(out, '\t'), v.Word.String()...)
	out = append(append(out, '\t'), v.Why()...)
	out = append(out, '\t')
	if v.Rule.Line > 0 {
		out = strconv.AppendInt(out, int64(v.Rule.Line), 10)
	}
	return appendCell(append(out, '\t'), strings.ToValidUTF8(v.RuleText(), "\ufffd"))
}

func appendCell(out []byte, text string) []byte {
	if !strings.ContainsAny(text, "\t\r\n") {
		return append(out, text...)
	}
	for i := range len(text) {
		switch text[i] {
		case '\t':
			out = append(out, "%09"...)
		case '\n':
			out = append(out, "%0A"...)
		case '\r':
			out = append(out, "%0D"...)
		default:
			out = append(out, text[i])
		}
	}
	return out
}

// A carriage return in the line becomes a space, because some programs read it as a line end.
func (w *Writer) appendObject(out []byte, line, url string, verdicts []bulk.Verdict) []byte {
	out = append(out, '{')
	separator := ","
	if line == "" {
		out = report.AppendMember(out, "url", url)
	} else {
		line = strings.Trim(line, " \t\r\n")
		out = append(out, strings.ReplaceAll(line[1:len(line)-1], "\r", " ")...)
		if strings.Trim(line, " \t\r\n{}") == "" {
			separator = ""
		}
	}
	out = append(out, separator...)
	word := func(v *bulk.Verdict) string { return v.Word.String() }
	if len(verdicts) == 1 {
		out = w.appendMembers(out, &verdicts[0])
	} else {
		out = w.appendByColumn(append(append(out, w.names[0]...), ':'), verdicts, word)
	}
	switch {
	case w.use == nil:
	case len(verdicts) == 1:
		out = append(append(append(append(out, w.usage...), '"'), w.use.Text(&verdicts[0])...), '"')
	default:
		out = w.appendByColumn(append(out, w.usage...), verdicts, w.use.Text)
	}
	return append(out, "}\n"...)
}

func (w *Writer) appendByColumn(out []byte, verdicts []bulk.Verdict, wordOf func(*bulk.Verdict) string) []byte {
	out = append(out, '{')
	for i := range verdicts {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(append(out, w.keys[i]...), wordOf(&verdicts[i])...), '"')
	}
	return append(out, '}')
}

func (w *Writer) appendMembers(out []byte, v *bulk.Verdict) []byte {
	var rule *report.Rule
	if v.Rule.Line > 0 {
		rule = report.RuleOf(v.Rule)
	}
	return report.AppendDecision(out, w.prefix, v.Word.JSON(), v.Why(), rule)
}

// Clash returns an error if a line of JSON already has a member that Append would add. If two members are equal, programs
// differ in which of them they use. Parsing takes time, so a line is parsed only if one of the names may occur in it.
func (w *Writer) Clash(l *Line) error {
	isIn := func(name string) bool { return strings.Contains(l.Text, name) }
	if l.Format != JSONLines || w.writesSame() || w.writesRows(l.Format) || strings.IndexByte(l.Text, '\\') < 0 && !slices.ContainsFunc(w.names, isIn) {
		return nil
	}
	var clash error
	jsonobject.Each(l.Text, func(key, _ string) error {
		for _, name := range w.names {
			if isMember(key, name[1:len(name)-1]) {
				clash = fmt.Errorf(`the line already has a member %s, which heed would add: rename this member, or give "heed filter" a prefix for its own members, such as --prefix heed_`, name)
			}
		}
		return nil
	})
	return clash
}
