package cli

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cmd/heed/internal/exit"
	"github.com/heed-robots/heed/cmd/heed/internal/layout"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/robotstxt"
)

// printableLine returns a line of a file in a form that is safe on a terminal, without its
// line end. It keeps tabs.
func printableLine(s string) string { return printable.Line(trimEnd(s)) }

// trimEnd returns a line without its line end.
func trimEnd(line string) string { return strings.TrimRight(line, "\r\n") }

// marshal returns v as JSON on one line. Characters that could steer a terminal are escaped.
func marshal(v any) []byte { return report.AppendJSON(nil, v) }

// verdict returns the word for a decision in its colour, padded to the longest word.
func (a *app) verdict(d robotstxt.Decision) string {
	return a.paint(colourOf(d), layout.Pad(report.VerdictOf(d), verdictWidth))
}

// colourOf returns the colour of a verdict.
func colourOf(d robotstxt.Decision) string {
	if exit.Of(d) == exitUndetermined {
		return yellow
	}
	return greenIf(d.Allowed)
}

// greenIf returns the colour of what allows or disallows.
func greenIf(allows bool) string {
	if allows {
		return green
	}
	return red
}

// fit returns a text that comes from a remote site. If the output is a terminal and the
// text is wider than room, fit cuts its middle out.
func (a *app) fit(s string, room int) string {
	if !a.tty {
		return s
	}
	return layout.Middle(s, room)
}

// wrapped returns text that is wrapped at words. On a terminal a word that is longer than a
// line, such as a URL, loses its middle.
func (a *app) wrapped(text string, width, indent int) string {
	if a.tty {
		return layout.WrapShort(text, width, indent, a.width-indent)
	}
	return layout.Wrap(text, width, indent)
}

// wrap prints text that is wrapped at words. The first line begins after indent spaces, the
// others after below spaces.
func (a *app) wrap(indent, below int, text string) {
	fmt.Fprintf(a.out, "%*s%s\n", indent, "", a.wrapped(text, max(a.textWidth(), indent+minTextWidth), below))
}

// painted prints wrapped text in a colour. Each line has its own escape sequences.
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

// together returns sets of all: those with the same key are in one set. Everything stays in its
// order.
func together[T any, K comparable](all []T, key func(T) K) (sets [][]T) {
	indexes := map[K]int{} // of the set with a key
	for _, each := range all {
		k := key(each)
		i, known := indexes[k]
		if !known {
			i = len(sets)
			indexes[k] = i
			sets = append(sets, nil)
		}
		sets[i] = append(sets[i], each)
	}
	return sets
}

// verdictWidth is the width of the longest verdict.
const verdictWidth = len("unreachable")

// list writes values as a JSON array, or each as a line of JSON.
//
// Several goroutines make items at the same time and do not know whose item is the first of
// the array. So each item begins with a comma, and list.add removes the comma of the first
// item. The items ",\n  1" and ",\n  2" become:
//
//	[
//	  1,
//	  2
//	]
type list struct {
	w     io.Writer
	array bool
	begun bool
}

// jsonList returns a list on standard output. In the format text it writes nothing by itself.
func (a *app) jsonList(format string) *list { return &list{w: a.out, array: format == "json"} }

// put writes a value.
func (l *list) put(v any) { l.add(appendItem(nil, v, l.array)) }

// appendItem appends a value as list.add takes it.
func appendItem(dst []byte, v any, array bool) []byte {
	return endItem(report.AppendJSON(beginItem(dst, array), v), array)
}

// appendAnswer is a fast appendItem for an answer without agent, dialect and source:
// question contains these members, as report.Answer.AppendQuestion appends them. They are
// the same for many answers.
func appendAnswer(dst []byte, a *report.Answer, question []byte, array bool) []byte {
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

// add writes items that appendItem or appendAnswer made.
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

// colourChoices are the values of --color.
var colourChoices = []string{"auto", "always", "never"}

func colourFlag(root *cobra.Command, value *string) {
	root.PersistentFlags().StringVar(value, "color", colourChoices[0], "use colours: "+strings.Join(colourChoices, ", "))
	choose(root, "color", colourChoices)
}

// settleColour sets whether output has colours. The first of these that is set decides: the
// flag --color (always or never), NO_COLOR, CLICOLOR_FORCE. Otherwise a terminal has colours.
func (a *app) settleColour(choice string) {
	force := os.Getenv("CLICOLOR_FORCE")
	switch {
	case choice != "auto":
		a.colour = choice == "always"
	case os.Getenv("NO_COLOR") != "":
		a.colour = false
	case force != "" && force != "0":
		a.colour = true
	default:
		a.colour = a.tty && os.Getenv("TERM") != "dumb"
	}
}

// The colours of a terminal (ECMA-48). They are of its own palette, so they can be read on a
// light and on a dark background.
const (
	bold      = "1"
	faint     = "2"
	underline = "4"
	red       = "31"
	green     = "32"
	yellow    = "33"
)

// paint returns text in a colour, if output has colours.
func (a *app) paint(colour, s string) string {
	if !a.colour || s == "" {
		return s
	}
	return "\x1b[" + colour + "m" + s + "\x1b[0m"
}
