package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/heed-robots/heed/cmd/heed/internal/layout"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/report"
	"github.com/heed-robots/heed/robotstxt"
)

// printableLine returns a line of a file as it is safe to show, without its line end. Tabs
// stay.
func printableLine(s string) string { return printable.Line(trimEnd(s)) }

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

// verdict returns the word for a decision, padded and in its colour; one space behind it
// is enough.
func (a *app) verdict(d robotstxt.Decision) string {
	return a.paint(colourOf(d), layout.Pad(report.VerdictOf(d), verdictWidth))
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

// fit returns text of others without its middle where a terminal has no room for it; what
// is no terminal gets it whole.
func (a *app) fit(s string, room int) string {
	if !a.tty {
		return s
	}
	return layout.Middle(s, room)
}

// wrapped returns text wrapped at words. On a terminal a word that is longer than a line,
// such as a URL, loses its middle.
func (a *app) wrapped(text string, width, indent int) string {
	if a.tty {
		return layout.WrapShort(text, width, indent, a.width-indent)
	}
	return layout.Wrap(text, width, indent)
}

// wrap prints text that begins after some spaces, wrapped at words; lines below the first
// begin after others.
func (a *app) wrap(indent, below int, text string) {
	fmt.Fprintf(a.out, "%*s%s\n", indent, "", a.wrapped(text, max(a.textWidth(), indent+leastReadable), below))
}

// painted prints wrapped text in a colour, line by line.
func (a *app) painted(colour, text string, indent int) {
	for line := range strings.SplitSeq(a.wrapped(text, a.textWidth(), indent), "\n") {
		fmt.Fprintf(a.out, "%*s%s\n", indent, "", a.paint(colour, strings.TrimLeft(line, " ")))
	}
}

// heading prints the title of a section.
func (a *app) heading(s string) {
	fmt.Fprintln(a.out)
	a.painted(bold, s, 0)
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
// AppendQuestion would append, so that it is made once for all answers of a file.
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
