package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/report"
	"github.com/heed-robots/heed/robotstxt"
)

// visible returns text that may come from a remote file in a form that is safe
// on a terminal.
func visible(s string) string { return printable.Text(s) }

// marshal returns v as JSON on one line. What a terminal might take for more
// than text is escaped there too.
func marshal(v any) []byte {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // every value is a struct that JSON can hold
	}
	text := strings.TrimSuffix(b.String(), "\n")
	safe := make([]byte, 0, len(text))
	for _, r := range text {
		switch {
		case r < 0x7f || strconv.IsPrint(r):
			safe = utf8.AppendRune(safe, r)
		case r < 0x10000:
			safe = fmt.Appendf(safe, `\u%04x`, r)
		default:
			r -= 0x10000
			safe = fmt.Appendf(safe, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		}
	}
	return safe
}

// verdict returns the word for a decision, padded and in its colour; one space behind it
// is enough.
func (a *app) verdict(d robotstxt.Decision) string {
	colour := red
	switch {
	case d.Allowed:
		colour = green
	case statusOf(d) == exitUndetermined:
		colour = yellow
	}
	return a.paint(colour, fmt.Sprintf("%-*s", verdictWidth, report.VerdictOf(d)))
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
	if !array {
		return append(append(dst, marshal(v)...), '\n')
	}
	dst = append(dst, itemPrefix...)
	return append(dst, marshal(v)...)
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
