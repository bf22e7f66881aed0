package saved

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/heed-robots/heed/internal/csvrecords"
	"github.com/heed-robots/heed/internal/lines"
)

// Lines are the answers in JSON lines, CSV or TSV.
type Lines struct {
	from    *lines.Reader
	columns Columns
	table   *table // nil if the lines are JSON
}

// Lines reads a text. If its first line is the header of a table, the text is CSV or TSV. If not, the text is JSON lines. The
// parameter first is this line, perhaps with blank lines before it.
func (c *Columns) Lines(text io.Reader, name, first string) (*Lines, error) {
	l := &Lines{from: lines.New(text, name, MaxLine), columns: *c, table: c.tableOf(first)}
	if l.table == nil {
		return l, nil
	}
	blank, header := cutBlankLines(first)
	l.table.headerLine = 1 + strings.Count(blank, "\n")
	if strings.Contains(header, "\r") {
		return nil, errors.New("the lines of the file end with CR only: expected LF, or CR and LF")
	}
	l.from.Records = csvrecords.New(l.table.comma, MaxLine)
	found, err := c.Find(l.table.names)
	l.table.found = found
	return l, err
}

// All yields the lines or records, without blank lines and without the header.
func (l *Lines) All() iter.Seq[lines.Line] {
	if l.table != nil {
		return l.table.checkedRecords(l.from)
	}
	return func(yield func(lines.Line) bool) {
		for line := range l.from.All() {
			if !line.IsBlank() && !yield(line) {
				return
			}
		}
	}
}

// Read may be called by several goroutines. See Record.Answer.
func (l *Lines) Read(line lines.Line, withFiles bool) (Answer, error) {
	if l.table != nil {
		return l.table.read(line)
	}
	a, err := l.columns.ReadLine(line, withFiles)
	if err != nil && line.Number == 1 && !l.columns.IsGiven() && !strings.HasPrefix(lines.Trim(line.Text), "{") {
		err = fmt.Errorf("%w; if this file is a table%s, give the names of its columns with --columns", err, ShownColumns(line.Text))
	}
	return a, err
}

func (l *Lines) Err() error { return l.from.Err() }

type table struct {
	columns *Columns
	comma   byte
	names   []string
	found   Found

	headerLine int // the number of the line with the names
}

// cutBlankLines divides the beginning of a text into its blank lines and the line after them.
func cutBlankLines(first string) (blank, line string) {
	n := lines.BlankLines([]byte(first))
	return first[:n], lines.Trim(first[n:])
}

// IsHeader reports whether a line is the header of a table of robots.txt files, and not of a list of URLs. Blank lines before
// it do not matter.
func (c *Columns) IsHeader(line string) bool { return c.tableOf(line) != nil }

func (c *Columns) tableOf(first string) *table {
	_, line := cutBlankLines(first)
	if strings.HasPrefix(line, "{") { // a line that begins with "{" is JSON, although it may also be readable as CSV
		return nil
	}
	for _, comma := range []byte{',', '\t'} {
		names := namesIn(line, comma)
		if ours := new(Columns).find(names); ours.isEnough() || c.find(names) != noneFound && c.IsGiven() {
			return &table{columns: c, comma: comma, names: names}
		}
	}
	return nil
}

func namesIn(line string, comma byte) []string {
	if n, wrong := csvrecords.New(comma, MaxLine).Next(line, true); wrong != nil || n < len(line) || strings.IndexByte(line, comma) < 0 {
		return nil
	}
	names := csvrecords.Fields(line, comma)
	for i, name := range names {
		names[i] = strings.TrimSpace(name)
	}
	return names
}

// ShownColumns returns the columns of a table for an error, such as ` (the first line has "site", "text")`, or "".
func ShownColumns(first string) string {
	_, first = cutBlankLines(first)
	for _, comma := range []byte{',', '\t'} {
		if names := namesIn(first, comma); names != nil && !strings.HasPrefix(first, "{") {
			return " (the first line has " + Quoted(names) + ")"
		}
	}
	return ""
}

var errDoubt = errors.New("the robots.txt in this row has no quotation marks, and the line before or after it is not a row: if both lines belong to one robots.txt, put quotation marks around it")

// A robots.txt without quotation marks may have become several lines. So a record before or after a wrong line gets errDoubt.
func (t *table) checkedRecords(from *lines.Reader) iter.Seq[lines.Line] {
	return func(yield func(lines.Line) bool) {
		var held lines.Line
		isWrong := false
		for l := range t.all(from) {
			if isWrong && l.Wrong == nil && t.hasText(0) && !strings.HasPrefix(l.Text, `"`) {
				l.Wrong, isWrong = errDoubt, false
			} else if t.hasText(0) {
				_, err := t.read(l)
				isWrong = err != nil
			}
			if held.Number > 0 {
				if _, err := t.read(l); err != nil && held.Wrong == nil {
					held.Wrong = errDoubt
				}
				if !yield(held) {
					return
				}
				held.Number = 0
			}
			if t.endsOpen(l.Text) {
				held = l
			} else if !yield(l) {
				return
			}
		}
		if held.Number > 0 {
			if from.Err() != nil && held.Wrong == nil {
				held.Wrong = errDoubt
			}
			yield(held)
		}
	}
}

func (t *table) all(from *lines.Reader) iter.Seq[lines.Line] {
	return func(yield func(lines.Line) bool) {
		for b := range from.Blocks {
			for l := range csvrecords.Lines(&b, t.comma, MaxLine) {
				if l.Number > t.headerLine && !l.IsBlank() && !yield(l) {
					return
				}
			}
		}
	}
}

func (t *table) endsOpen(record string) bool {
	last := len(t.names) - 1
	fields := t.fields(record)
	end := fields[len(fields)-1]
	return t.hasText(last) && !end.isQuoted && end.text != ""
}

func (t *table) hasText(column int) bool { return t.found[Body] == column || t.found[Robots] == column }

// A hostile record may have millions of fields. So the method stops when it has read one field more than the table has
// names.
func (t *table) fields(record string) (all []field) {
	for more := true; more && len(all) <= len(t.names); {
		var f field
		f.text, f.isQuoted, record, more = csvrecords.Cut(record, t.comma)
		all = append(all, f)
	}
	return all
}

func (t *table) read(l lines.Line) (a Answer, err error) {
	if l.Wrong != nil {
		return a, l.Wrong
	}
	fields := t.fields(l.Text)
	if len(fields) != len(t.names) {
		than := map[bool]string{true: "more", false: "fewer"}[len(fields) > len(t.names)]
		return a, fmt.Errorf("the row has %s columns than the header, which has %d: a value that contains a %s, a line end or a quotation mark needs quotation marks around it",
			than, len(t.names), map[byte]string{',': "comma", '\t': "tab"}[t.comma])
	}
	var r Record
	for n, i := range t.found {
		if i < 0 {
			continue
		}
		v, err := fields[i].value(Name(n))
		if err == nil {
			err = r.Set(Name(n), t.names[i], v)
		}
		if err != nil {
			return a, err
		}
	}
	if err := t.columns.Check(&r); err != nil {
		return a, err
	}
	return r.Answer(false)
}

type field struct {
	text     string
	isQuoted bool
}

// If a robots.txt has the two characters \ and n in place of line ends, it is a single line, and so has no rules.
var errEscapes = errors.New(`the robots.txt has the two characters \n instead of line ends: expected real line ends, and quotation marks around the robots.txt`)

// An empty body is a missing body, unless it has quotation marks.
func (f *field) value(n Name) (Value, error) {
	isBody := n == Body || n == Robots || n == RobotsB64
	switch {
	case !f.isQuoted && isNullWord(strings.TrimSpace(f.text)) && (isBody || f.text != ""):
		return nil, nil
	case !f.isQuoted && (n == Body || n == Robots) && (strings.Contains(f.text, `\n`) || strings.Contains(f.text, `\r`)):
		return nil, errEscapes
	}
	return []byte(f.text), nil
}
