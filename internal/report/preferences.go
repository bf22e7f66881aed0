package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/usage"
)

// Preferences say for which purposes a page may be used. In JSON, they are an object with a member for each purpose
// (AI-16).
type Preferences []usage.Verdict

// A Preference is the form in JSON of the answer about one purpose.
type Preference struct {
	Preference usage.Preference   `json:"preference"`
	By         []Statement        `json:"by"`                     // the statements that decide
	MoreBy     int                `json:"by_more,omitempty"`      // the number of statements that decide but are not listed
	Ignored    []IgnoredStatement `json:"ignored"`                // the statements that do not decide, each with the reason
	More       int                `json:"ignored_more,omitempty"` // the number of statements that do not decide and are not listed
}

// A Statement is a place where a site says for what its content may be used, such as a line of its robots.txt.
type Statement struct {
	Carrier usage.Carrier `json:"carrier"`
	Line    int           `json:"line,omitempty"`   // the number of the line, if the statement is in the robots.txt
	Header  string        `json:"header,omitempty"` // the name of the HTTP header, in lower case
	Meta    string        `json:"meta,omitempty"`   // the name of the <meta> element
	Row     int           `json:"row,omitempty"`    // the number of the row, if the statement is in tdmrep.json
	Text    string        `json:"text"`
	TextB64 []byte        `json:"text_b64,omitempty"`
	Note    string        `json:"note,omitempty"`
}

// An IgnoredStatement is a statement that does not decide.
type IgnoredStatement struct {
	Statement
	Why string `json:"why"`
}

func statementOf(s usage.Statement) Statement {
	text := TextOf(s.Text)
	return Statement{s.Carrier, s.Line, s.Header, s.Meta, s.Row, text.Text, text.B64, s.Note}
}

func (p Preferences) AppendJSON(dst []byte) []byte {
	dst = append(dst, '{')
	for i, v := range p {
		if i > 0 {
			dst = append(dst, ',')
		}
		one := Preference{Preference: v.Preference, By: []Statement{}, MoreBy: v.MoreBy, Ignored: []IgnoredStatement{}, More: v.More}
		for _, s := range v.By {
			one.By = append(one.By, statementOf(s))
		}
		for _, s := range v.Ignored {
			one.Ignored = append(one.Ignored, IgnoredStatement{statementOf(s.Statement), printable.Text(s.Why)})
		}
		dst = AppendJSON(append(AppendString(dst, v.Purpose.String()), ':'), one)
	}
	return append(dst, '}')
}

func (p Preferences) MarshalJSON() ([]byte, error) { return p.AppendJSON(nil), nil }

// InWords returns a short statement, such as "line 3: Content-Usage: train-ai=n". The text is safe on a terminal.
func InWords(s usage.Statement) string {
	text := printable.Text(s.Text)
	if len(s.Text) > 200 {
		text = printable.Quote(s.Text)
	}
	switch {
	case s.Line > 0:
		return "line " + strconv.Itoa(s.Line) + ": " + text
	case s.Row > 0:
		return fmt.Sprintf("tdmrep.json, row %d: %s", s.Row, text)
	case s.Header != "":
		return "header " + s.Header + ": " + text
	}
	if s.Meta == "" {
		return text
	}
	return fmt.Sprintf("<meta name=%q>: %s", printable.Text(s.Meta), text)
}

// Because returns the statement that decides about one purpose, or why none decides. The text is safe on a terminal.
func Because(v usage.Verdict) string {
	others := len(v.By) - 1 + v.MoreBy
	switch {
	case v.Preference == usage.NotCrawlable:
		return "the page may not be crawled, so it has no preference"
	case others >= 0:
		return InWords(v.By[0]) + andMore(others)
	}
	would := 0
	var first usage.Ignored
	for _, s := range v.Ignored {
		if s.Says == usage.Unknown && !s.Unread {
			continue
		}
		if would++; would == 1 {
			first = s
		}
	}
	if would == 0 {
		return "nothing says it"
	}
	return fmt.Sprintf("%s (does not count: %s)", InWords(first.Statement), printable.Text(first.Why)) + andMore(would-1)
}

// InOrder returns all statements of a verdict, first the statements in the robots.txt. The field Why is empty for a
// statement that decides.
func InOrder(v usage.Verdict) (statements []usage.Ignored) {
	for _, s := range v.By {
		statements = append(statements, usage.Ignored{Statement: s})
	}
	statements = append(statements, v.Ignored...)
	place := func(s usage.Ignored) int { return cmp.Or(s.Line, math.MaxInt) }
	slices.SortStableFunc(statements, func(a, b usage.Ignored) int { return cmp.Compare(place(a), place(b)) })
	return statements
}

func andMore(others int) string {
	if others == 0 {
		return ""
	}
	return fmt.Sprintf(", and %d more", others)
}
