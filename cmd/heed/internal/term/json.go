package term

import (
	"io"

	"github.com/heed-robots/heed/internal/report"
)

// Marshal returns v as JSON on one line. Characters that could steer a terminal are escaped.
func Marshal(v any) []byte { return report.AppendJSON(nil, v) }

// List writes values as a JSON array, or each as a line of JSON.
//
// Several goroutines make items at the same time and do not know whose item is the first of
// the array. So each item begins with a comma, and List.Add removes the comma of the first
// item. The items ",\n  1" and ",\n  2" become:
//
//	[
//	  1,
//	  2
//	]
type List struct {
	w     io.Writer
	array bool
	begun bool
}

// JsonList returns a list that writes to standard output. If format is "text", it adds no brackets or commas to what Add
// gets.
func (a *Terminal) JsonList(format string) *List { return &List{w: a.Out, array: format == "json"} }

// Put writes a value.
func (l *List) Put(v any) { l.Add(AppendItem(nil, v, l.array)) }

// AppendItem appends a value in the form that List.Add needs.
func AppendItem(dst []byte, v any, array bool) []byte {
	return endItem(report.AppendJSON(beginItem(dst, array), v), array)
}

// AppendAnswer is a fast AppendItem for an answer without agent, dialect and source:
// question contains these members, as report.Answer.AppendQuestion appends them. They are
// the same for many answers.
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

// Add writes items that AppendItem or AppendAnswer made.
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
