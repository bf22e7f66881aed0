package term

import (
	"io"

	"github.com/heed-robots/heed/internal/report"
)

// Marshal returns v as JSON on one line. Control characters are escaped.
func Marshal(v any) []byte { return report.AppendJSON(nil, v) }

// List writes a JSON array or JSON lines. In an array, AppendItem puts a comma before each item. Add removes the
// comma before the first item.
type List struct {
	w     io.Writer
	array bool
	begun bool
}

// If the format is "json", the List is an array. In other formats, the List has one item on each line.
func (a *Terminal) JsonList(format string) *List { return &List{w: a.Out, array: format == "json"} }

func (l *List) Put(v any) { l.Add(AppendItem(nil, v, l.array)) }

// AppendItem makes an item for List.Add.
func AppendItem(dst []byte, v any, array bool) []byte {
	return endItem(report.AppendJSON(beginItem(dst, array), v), array)
}

// AppendAnswer is a faster AppendItem for answers. The parameter question is the output of report.Answer.AppendQuestion.
func AppendAnswer(dst []byte, a *report.Answer, question []byte, array bool) []byte {
	dst = a.AppendFields(append(beginItem(dst, array), '{'))
	return endItem(append(append(dst, question...), '}'), array)
}

func beginItem(dst []byte, array bool) []byte {
	if array {
		return append(dst, ",\n  "...)
	}
	return dst
}

func endItem(dst []byte, array bool) []byte {
	if array {
		return dst
	}
	return append(dst, '\n')
}

// Add writes items that were made by AppendItem or AppendAnswer.
func (l *List) Add(items []byte) {
	if l.array && !l.begun && len(items) > 0 {
		io.WriteString(l.w, "[")
		items = items[len(","):]
		l.begun = true
	}
	l.w.Write(items)
}

func (l *List) Close() {
	switch {
	case l.begun:
		io.WriteString(l.w, "\n]\n")
	case l.array:
		io.WriteString(l.w, "[]\n")
	}
}
