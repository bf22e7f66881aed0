package stream

import (
	"encoding/base64"
	"strconv"
	"strings"

	"github.com/heed-robots/heed/bulk"
	"github.com/heed-robots/heed/internal/jsonobject"
	"github.com/heed-robots/heed/report"
)

// A writer appends the output about a line.
type writer func(out []byte, line, url string, verdicts []bulk.Verdict) []byte

// writerFor returns how lines of an input are written.
func (o *Options) writerFor(r *reading) writer {
	switch {
	case o.writesSame():
		return appendLine
	case !o.writesRows(r):
		return func(out []byte, line, url string, verdicts []bulk.Verdict) []byte {
			if r.format != JSONLines {
				line = ""
			}
			return o.appendObject(out, line, url, verdicts)
		}
	}
	return appendRow
}

// writesRows reports whether lines of an input are written as Rows.
func (o *Options) writesRows(r *reading) bool {
	return o.Output == Rows || o.Output == "" && o.Keep == bulk.All && r.format != JSONLines
}

// header returns the names of the columns of Rows.
func (o *Options) header() []byte {
	if len(o.Columns) == 1 {
		return []byte("url\tverdict\treason\tline\trule\n")
	}
	out := []byte("url")
	for _, name := range o.Columns {
		out = appendCell(append(out, '\t'), name)
	}
	return append(out, '\n')
}

// appendLine appends the line as it is.
func appendLine(out []byte, line, _ string, _ []bulk.Verdict) []byte {
	return append(append(out, line...), '\n')
}

// appendRow appends a row of TSV: with one verdict the URL, verdict, reason, line and rule; with several
// the URL and the verdicts.
func appendRow(out []byte, _, url string, verdicts []bulk.Verdict) []byte {
	out = appendCell(out, url)
	if len(verdicts) > 1 {
		for i := range verdicts {
			out = append(append(out, '\t'), verdicts[i].Word.String()...)
		}
		return append(out, '\n')
	}
	v := &verdicts[0]
	out = append(append(out, '\t'), v.Word.String()...)
	out = append(append(out, '\t'), v.Why()...)
	out = append(out, '\t')
	if v.Rule.Line > 0 {
		out = strconv.AppendInt(out, int64(v.Rule.Line), 10)
	}
	return append(appendCell(append(out, '\t'), v.RuleText()), '\n')
}

// appendCell appends a cell of TSV. A tab or a line end in it is written as a percent escape.
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

// appendObject appends a JSON object: the members of the line, if it is JSON, and the verdicts.
func (o *Options) appendObject(out []byte, line, url string, verdicts []bulk.Verdict) []byte {
	out = append(out, '{')
	if line == "" {
		text := report.TextOf(url)
		out = report.AppendString(append(out, `"url":`...), text.Text)
		if text.B64 != nil {
			out = append(base64.StdEncoding.AppendEncode(append(out, `,"url_b64":"`...), text.B64), '"')
		}
		out = append(out, ',')
	} else {
		jsonobject.Each(line, func(key, value string) error {
			if !o.isOurs(key) {
				out = append(append(append(append(out, key...), ':'), value...), ',')
			}
			return nil
		})
	}
	if len(verdicts) == 1 {
		return append(appendMembers(out, &verdicts[0]), "}\n"...)
	}
	out = append(out, `"verdicts":{`...)
	for i := range verdicts {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, o.keys[i]...), verdicts[i].Word.String()...)
		out = append(out, '"')
	}
	return append(out, "}}\n"...)
}

// appendMembers appends a verdict as members of an object.
func appendMembers(out []byte, v *bulk.Verdict) []byte {
	out = append(append(append(out, `"verdict":"`...), v.Word.String()...), `","reason":"`...)
	out = append(append(out, v.Why()...), '"')
	if v.Rule.Line > 0 {
		out = strconv.AppendInt(append(out, `,"line":`...), int64(v.Rule.Line), 10)
		out = report.AppendString(append(out, `,"rule":`...), report.TextOf(v.RuleText()).Text)
	}
	return out
}

// isOurs reports whether a member of the input is replaced by one of the output.
func (o *Options) isOurs(key string) bool {
	if len(o.keys) > 1 {
		return isMember(key, "verdicts")
	}
	for _, name := range [...]string{"verdict", "reason", "line", "rule"} {
		if isMember(key, name) {
			return true
		}
	}
	return false
}

// appendRejected appends the output about a line without a URL that can be read, so that each line of
// the input has one of the output.
func (o *Options) appendRejected(out []byte, r *reading, line string) []byte {
	if o.Keep != bulk.All || o.Output == Same {
		return out
	}
	none := make([]bulk.Verdict, len(o.keys))
	for i := range none {
		none[i].Missing = bulk.NoURL
	}
	if o.Output == JSONRows || o.Output == "" && r.format == JSONLines {
		return o.appendObject(out, "", line, none)
	}
	return appendRow(out, "", line, none)
}
