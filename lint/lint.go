package lint

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/heed-robots/heed/robotstxt"
)

// Severity is how bad a finding is. The zero Severity is Information.
type Severity uint8

const (
	// Information: worth knowing; the file may be as its owner wants it.
	Information Severity = iota
	// Warning: probably not what the owner wants, or read differently by some crawlers.
	Warning
	// Error: the file does not do what its text says.
	Error
)

var severityNames = [...]string{"information", "warning", "error"}

// String returns "information", "warning" or "error".
func (s Severity) String() string {
	if int(s) < len(severityNames) {
		return severityNames[s]
	}
	return "unknown"
}

// MarshalText returns what String returns.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what MarshalText returns.
func (s *Severity) UnmarshalText(text []byte) error {
	i := slices.Index(severityNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("unknown severity %q; the severities are information, warning and error", text)
	}
	*s = Severity(i)
	return nil
}

// A Rule is what one code means.
type Rule struct {
	Code     string // stable, such as "missing-colon"
	Severity Severity
	Summary  string // what is wrong, in one sentence
	Why      string // what follows from it, and for which crawlers
	Mend     string // what to do
	Bad      string // a file with a finding
	Good     string // the same file without one

	check func(*file, func(Finding)) // nil: it needs more than the file
}

// Rules returns all rules: those of files in the order of their severity, the worst first.
func Rules() []Rule {
	all := slices.Concat(wholeRules, lineRules, groupRules, patternRules, verdictRules, recordRules, signalRules)
	slices.SortStableFunc(all, func(a, b Rule) int { return cmp.Compare(b.Severity, a.Severity) })
	return all
}

// A Finding is one thing that is wrong, or worth knowing, in one file.
type Finding struct {
	Code     string
	Severity Severity
	Line     int      // counted from 1; 0: the whole file
	Column   int      // in octets, counted from 1; 0: the whole line
	Length   int      // how many octets from there on are meant; 0: up to the end of the line
	Message  string   // what is wrong here, with the texts of the file escaped
	Crawlers []string // the product tokens of the crawlers for which it matters; none: all of them
	Fix      *Fix     // nil: there is none
}

// Check returns what is wrong with a robots.txt, by line.
func Check(body []byte) []Finding {
	f := newFile(string(body))
	var findings []Finding
	for _, rule := range Rules() {
		if rule.check == nil {
			continue
		}
		rule.check(f, func(found Finding) {
			found.Code, found.Severity = rule.Code, rule.Severity
			findings = append(findings, found)
		})
	}
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return findings
}

// A file is a robots.txt with what the rules need, each made once.
type file struct {
	body   string
	parsed *robotstxt.File  // in RFC 9309
	lines  []robotstxt.Line // all lines
	groups []robotstxt.Group
	google *robotstxt.File

	recordLines []recordLine // see records
}

func newFile(body string) *file {
	f := &file{body: body, parsed: robotstxt.ParseString(body, robotstxt.RFC9309), google: robotstxt.ParseString(body, robotstxt.Google)}
	f.lines = slices.Collect(f.parsed.Lines())
	f.groups = slices.Collect(f.parsed.Groups())
	return f
}

// at returns a finding that points to a part of a line, such as its key or its value.
func at(line robotstxt.Line, part, message string) Finding {
	found := Finding{Line: line.Number, Message: message}
	if i := indexIn(line, part); i >= 0 {
		found.Column, found.Length = i+1, len(part)
	}
	return found
}
