// Package document writes reports as Markdown or HTML. It escapes all texts, because they may be foreign.
package document

import (
	_ "embed"
	"fmt"
	"html"
	"io"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/heed-robots/heed/internal/build"
	"github.com/heed-robots/heed/internal/printable"
)

// A Part is a piece of a paragraph. Its text is not escaped yet.
type Part struct {
	Text     string
	IsCode   bool // Text is a URL, a rule or a line of a file
	IsStrong bool
	isOption bool // Text must not be broken into two lines
}

func Plain(s string) []Part  { return []Part{{Text: s}} }
func Code(s string) []Part   { return []Part{{Text: s, IsCode: true}} }
func Strong(s string) []Part { return []Part{{Text: s, IsStrong: true}} }

var option = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`--[a-z]+(-[a-z]+)*`) }) // compiled only if it is needed

// WithOptions returns the parts of a text of heed that names options, such as --unsafe-fixes. All parts but the options are
// like p.
func WithOptions(p Part) (parts []Part) {
	end := 0
	for _, place := range option().FindAllStringIndex(p.Text, -1) {
		before := p
		before.Text = p.Text[end:place[0]]
		end = place[1]
		parts = append(parts, before, Part{Text: p.Text[place[0]:end], IsCode: true, isOption: true})
	}
	p.Text = p.Text[end:]
	return append(parts, p)
}

// A Writer writes a document. Call Begin first and End last. Empty paragraphs, lists and tables are not written.
type Writer interface {
	Begin(title string)
	Heading(text string)
	Paragraph(text ...Part)
	List(items ...[]Part)
	Table(head []string, rows [][][]Part)
	Fold(title string, head []string, rows [][][]Part) // writes a table that HTML shows only if a reader opens it
	End()
}

func Made() string {
	return fmt.Sprintf("Made on %s by heed %s.", time.Now().UTC().Format(time.DateOnly), build.Version())
}

// New returns a Writer for "html" or "markdown". out must remember its first error, because the Writer reports none.
func New(format string, out io.Writer) Writer {
	if format == "html" {
		return htmlWriter{out}
	}
	return markdownWriter{out}
}

// style is the CSS of a page. It follows the light or dark mode of the system.
//
//go:embed style.css
var style string

func Begin(to io.Writer, title string) {
	fmt.Fprintf(to, `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>%s</title>
<style>%s</style>
</head>
<body>
<h1>%s</h1>
`, Text(title), style, Text(title))
}

func End(to io.Writer) { io.WriteString(to, "</body>\n</html>\n") }

// Text escapes a text for HTML. Control characters become visible.
func Text(s string) string { return html.EscapeString(printable.Text(s)) }

// Short is like Text, for the cells of a table. Short shortens a long text.
func Short(s string) string { return html.EscapeString(printable.Short(s)) }

type htmlWriter struct{ to io.Writer }

func (w htmlWriter) Begin(title string) { Begin(w.to, title) }
func (w htmlWriter) End()               { End(w.to) }

func (w htmlWriter) Heading(text string) { fmt.Fprintf(w.to, "<h2>%s</h2>\n", Text(text)) }

func (w htmlWriter) Paragraph(text ...Part) {
	if len(text) > 0 {
		fmt.Fprintf(w.to, "<p>%s</p>\n", htmlOf(text))
	}
}

func (w htmlWriter) List(items ...[]Part) {
	if len(items) == 0 {
		return
	}
	io.WriteString(w.to, "<ul>\n")
	for _, item := range items {
		fmt.Fprintf(w.to, "<li>%s</li>\n", htmlOf(item))
	}
	io.WriteString(w.to, "</ul>\n")
}

func (w htmlWriter) Table(head []string, rows [][][]Part) {
	if len(rows) == 0 {
		return
	}
	columns := Texts(head...)
	BeginTable(w.to, columns)
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = htmlOf(cell)
		}
		WriteRow(w.to, columns, cells...)
	}
	EndTable(w.to)
}

func (w htmlWriter) Fold(title string, head []string, rows [][][]Part) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(w.to, "<details>\n<summary>%s</summary>\n", Text(title))
	w.Table(head, rows)
	io.WriteString(w.to, "</details>\n")
}

type Column struct {
	name     string
	isNumber bool
}

func Texts(names ...string) (columns []Column) {
	for _, name := range names {
		columns = append(columns, Column{name: name})
	}
	return columns
}

func Numbers(names ...string) []Column {
	columns := Texts(names...)
	for i := range columns {
		columns[i].isNumber = true
	}
	return columns
}

func (c Column) class() string {
	if c.isNumber {
		return ` class="n"`
	}
	return ""
}

func BeginTable(to io.Writer, columns []Column) {
	io.WriteString(to, `<div class="wide"><table>`+"\n<thead><tr>")
	for _, c := range columns {
		fmt.Fprintf(to, "<th%s>%s", c.class(), Text(c.name))
	}
	io.WriteString(to, "</tr></thead>\n<tbody>\n")
}

// WriteRow writes cells that are HTML. On a narrow screen, each cell that is not empty begins with the name of its column.
func WriteRow(to io.Writer, columns []Column, cells ...string) {
	io.WriteString(to, "<tr>")
	for i, cell := range cells {
		label := ""
		if cell != "" {
			label = fmt.Sprintf(` data-label="%s"`, Text(columns[i].name))
		}
		fmt.Fprintf(to, "<td%s%s>%s", label, columns[i].class(), cell)
	}
	io.WriteString(to, "</tr>\n")
}

func EndTable(to io.Writer) { io.WriteString(to, "</tbody></table></div>\n") }

// maxPart is the maximum length of a Part in bytes. A longer text would fill pages that nobody reads.
const maxPart = 2000

func cutLong(s string) string {
	if len(s) <= maxPart {
		return s
	}
	end := maxPart
	for end > maxPart-utf8.UTFMax && !utf8.RuneStart(s[end]) {
		end--
	}
	return fmt.Sprintf("%s… (%d bytes)", s[:end], len(s))
}

func htmlOf(text []Part) string {
	var b strings.Builder
	for _, p := range text {
		before, after := "", ""
		switch {
		case p.isOption:
			before, after = `<code class="option">`, "</code>"
		case p.IsCode:
			before, after = "<code>", "</code>"
		case p.IsStrong:
			before, after = "<b>", "</b>"
		}
		b.WriteString(before + Text(cutLong(p.Text)) + after)
	}
	return b.String()
}

type markdownWriter struct{ to io.Writer }

func (w markdownWriter) Begin(title string)  { fmt.Fprintf(w.to, "# %s\n", escaped(title)) }
func (w markdownWriter) End()                {}
func (w markdownWriter) Heading(text string) { fmt.Fprintf(w.to, "\n## %s\n", escaped(text)) }

func (w markdownWriter) Paragraph(text ...Part) {
	if len(text) > 0 {
		fmt.Fprintf(w.to, "\n%s\n", markdownOf(text, false))
	}
}

func (w markdownWriter) List(items ...[]Part) {
	for i, item := range items {
		if i == 0 {
			io.WriteString(w.to, "\n")
		}
		fmt.Fprintf(w.to, "- %s\n", markdownOf(item, false))
	}
}

func (w markdownWriter) Table(head []string, rows [][][]Part) {
	if len(rows) == 0 {
		return
	}
	io.WriteString(w.to, "\n|")
	for _, cell := range head {
		fmt.Fprintf(w.to, " %s |", escaped(cell))
	}
	io.WriteString(w.to, "\n|"+strings.Repeat(" --- |", len(head))+"\n")
	for _, row := range rows {
		io.WriteString(w.to, "|")
		for _, cell := range row {
			fmt.Fprintf(w.to, " %s |", markdownOf(cell, true))
		}
		io.WriteString(w.to, "\n")
	}
}

func (w markdownWriter) Fold(_ string, head []string, rows [][][]Part) { w.Table(head, rows) }

func markdownOf(text []Part, inTable bool) string {
	var b strings.Builder
	for _, p := range text {
		p.Text = cutLong(p.Text)
		switch {
		case p.Text == "":
		case p.IsCode:
			b.WriteString(code(p.Text, inTable))
		case p.IsStrong:
			b.WriteString("**" + escaped(p.Text) + "**")
		default:
			b.WriteString(escaped(p.Text))
		}
	}
	return b.String()
}

func escaped(s string) string {
	var b strings.Builder
	for i, r := range printable.Text(s) {
		if strings.ContainsRune("\\`*_{}[]<>()#|~&$!", r) || i == 0 && strings.ContainsRune("+-=", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return strings.NewReplacer("://", "\\://", "@", "\\@", "www.", "www\\.").Replace(b.String())
}

// code puts s between more backticks than s has in a row, so that s cannot end the code.
func code(s string, inTable bool) string {
	if inTable && strings.Contains(s, "|") { // in a table, "|" ends a cell, even inside code
		return escaped(s)
	}
	s = printable.Text(s)
	longest, n := 0, 0
	for _, r := range s {
		if n++; r != '`' {
			n = 0
		}
		longest = max(longest, n)
	}
	fence := strings.Repeat("`", longest+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") || strings.HasPrefix(s, " ") && strings.HasSuffix(s, " ") {
		s = " " + s + " "
	}
	return fence + s + fence
}
