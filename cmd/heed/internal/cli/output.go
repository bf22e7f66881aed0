package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/report"
	"github.com/heed-robots/heed/robotstxt"
)

// visible returns text that may come from a remote file in a form that is safe
// on a terminal.
func visible(s string) string { return printable.Text(s) }

// marshal returns v as JSON on one line. What a terminal might take for more
// than text is escaped there too.
func marshal(v any) []byte { return appendJSON(nil, v) }

// appendJSON appends what marshal returns.
func appendJSON(dst []byte, v any) []byte {
	if known, ok := v.(interface{ AppendJSON([]byte) []byte }); ok {
		return known.AppendJSON(dst) // the same without reflection
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // every value is a struct that JSON can hold
	}
	return report.AppendSafe(dst, strings.TrimSuffix(b.String(), "\n"))
}

// The colours of a terminal (ECMA-48).
const (
	bold   = "1"
	faint  = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
)

// paint wraps text in a colour where standard output wants any.
func (a *app) paint(colour, s string) string {
	if !a.colour {
		return s
	}
	return "\x1b[" + colour + "m" + s + "\x1b[0m"
}

// verdict returns the word for a decision, padded and in its colour; one space behind it
// is enough.
func (a *app) verdict(d robotstxt.Decision) string {
	return a.paint(colourOf(d), fmt.Sprintf("%-*s", verdictWidth, report.VerdictOf(d)))
}

// colourOf returns the colour of a verdict.
func colourOf(d robotstxt.Decision) string {
	switch {
	case d.Allowed:
		return green
	case statusOf(d) == exitUndetermined:
		return yellow
	}
	return red
}

// verdictWidth is the width of the longest verdict.
const verdictWidth = len("unreachable")

// list writes values as they come: as a JSON array, or one a line.
type list struct {
	w     io.Writer
	array bool
	begun bool
}

// appendItem appends a value of a list, so that items can be made apart.
func appendItem(dst []byte, v any, array bool) []byte {
	return endItem(appendJSON(beginItem(dst, array), v), array)
}

// appendAnswer is appendItem for an answer, of which there are many: asked is what its
// AppendAsked would append, so that it is made once for all answers of a file.
func appendAnswer(dst []byte, a *report.Answer, asked []byte, array bool) []byte {
	dst = a.AppendFields(append(beginItem(dst, array), '{'))
	return endItem(append(append(dst, asked...), '}'), array)
}

func beginItem(dst []byte, array bool) []byte {
	if array {
		return append(dst, itemPrefix...)
	}
	return dst
}

func endItem(dst []byte, array bool) []byte {
	if array {
		return dst
	}
	return append(dst, '\n')
}

const itemPrefix = ",\n  "

// add writes items.
func (l *list) add(items []byte) {
	if l.array && !l.begun && len(items) > 0 {
		io.WriteString(l.w, "[")
		items = items[len(","):]
		l.begun = true
	}
	l.w.Write(items)
}

func (l *list) close() {
	switch {
	case l.begun:
		io.WriteString(l.w, "\n]\n")
	case l.array:
		io.WriteString(l.w, "[]\n")
	}
}
