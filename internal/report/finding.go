package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/heed-robots/heed/internal/lint"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/robotstxt"
)

// A Finding is a finding of lint in the form for JSON.
type Finding struct {
	File     string        `json:"file"`             // the path or URL of the file
	Line     int           `json:"line,omitempty"`   // the number of the line, counted from 1; absent if the finding is about the whole file
	Column   int           `json:"column,omitempty"` // the first byte in the line, counted from 1; absent if the finding is about the whole line
	Code     string        `json:"code"`             // the code of the rule, such as "missing-colon"
	Severity lint.Severity `json:"severity"`         // "error", "warning" or "note"
	Message  string        `json:"message"`
	Advice   string        `json:"advice"`             // what to do, the same for all findings with this code
	Crawlers []string      `json:"crawlers,omitempty"` // the product tokens of the crawlers for which the finding matters; absent means all crawlers
	Fix      *lint.Fix     `json:"fix,omitempty"`      // absent if lint knows no fix
}

func FindingOf(file string, f lint.Finding) Finding {
	return Finding{
		File:     TextOf(file).Text,
		Line:     f.Line,
		Column:   f.Column,
		Code:     f.Code,
		Severity: f.Severity,
		Message:  f.Message,
		Advice:   lint.RuleOf(f.Code).Fix,
		Crawlers: f.Crawlers,
		Fix:      f.Fix,
	}
}

type Linted struct {
	File     string // the path or URL of the file
	Body     []byte
	Findings []lint.Finding
}

// A Place says where in a line a finding is. It counts UTF-16 code units, as editors do.
type Place struct {
	Text  string // the line without its line end; "" if the finding is about the whole file
	Start int    // the first UTF-16 code unit in the line, counted from 1; 0 if the finding is about the whole line
	End   int    // the first UTF-16 code unit after the place; 0 if the place ends with the line
}

func (l Linted) Places() []Place {
	var lines []string
	for line := range robotstxt.Parse(l.Body, nil).Lines() {
		lines = append(lines, line.Raw)
	}
	places := make([]Place, 0, len(l.Findings))
	for _, f := range l.Findings {
		text := textOf(lines, f)
		start, end := columns(text, f)
		places = append(places, Place{text, start, end})
	}
	return places
}

func textOf(lines []string, f lint.Finding) string {
	if f.Line < 1 || f.Line > len(lines) {
		return ""
	}
	return strings.TrimRight(lines[f.Line-1], "\r\n")
}

func columns(text string, f lint.Finding) (start, end int) {
	if f.Column == 0 {
		return 0, 0
	}
	start = column(text, f.Line, f.Column-1)
	if f.Length > 0 {
		end = column(text, f.Line, f.Column-1+f.Length)
	}
	return start, end
}

// column counts UTF-16 code units, from 1.
func column(text string, line, n int) int {
	before := text[:min(n, len(text))]
	if line == 1 {
		before = strings.TrimPrefix(before, "\ufeff")
	}
	units := 1
	for _, r := range before {
		units += utf16.RuneLen(r)
	}
	return units
}

// MessageOf returns the message of a finding. It adds the names of crawlers that are missing in the message.
func MessageOf(f lint.Finding) string {
	words := strings.FieldsFunc(f.Message, func(r rune) bool { return r != '-' && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	var names []string
	for _, name := range f.Crawlers {
		if !slices.Contains(words, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return f.Message
	}
	return fmt.Sprintf("%s (for %s)", f.Message, printable.Some(names, ", "))
}

// An Annotation is a command for GitHub to show a message at a line of a file.
type Annotation struct {
	Level            string // "error", "warning" or "notice"
	File             string // "" if the message is not about a file
	Line, Start, End int    // as in a Place; 0 if unknown
	Title, Message   string
}

func (a Annotation) String() string {
	var properties []string
	if a.File != "" {
		properties = append(properties, "file="+escapeProperty.Replace(printable.Text(a.File)))
	}
	for _, place := range []struct {
		name   string
		number int
	}{{"line", a.Line}, {"col", a.Start}, {"endColumn", a.End}} {
		if place.number > 0 {
			properties = append(properties, fmt.Sprintf("%s=%d", place.name, place.number))
		}
	}
	properties = append(properties, "title="+escapeProperty.Replace(a.Title))
	return fmt.Sprintf("::%s %s::%s", a.Level, strings.Join(properties, ","), escapeData.Replace(a.Message))
}

func Annotations(l Linted) (all []Annotation) {
	for i, place := range l.Places() {
		f := l.Findings[i]
		if place.End <= place.Start {
			place.End = 0
		}
		message := MessageOf(f) + "\n" + lint.RuleOf(f.Code).Fix
		all = append(all, Annotation{annotationLevels[f.Severity], l.File, f.Line, place.Start, place.End, f.Code, message})
	}
	return all
}

var annotationLevels = [...]string{lint.Note: "notice", lint.Warning: "warning", lint.Error: "error"}

// For GitHub, a line end is the end of a command, and a comma or a colon is the end of a property.
var (
	escapeData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	escapeProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)
