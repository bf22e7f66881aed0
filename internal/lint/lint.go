package lint

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/heed-robots/heed/internal/charset"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/robotstxt"
)

// Severity is how bad a finding is. The zero Severity is Note.
type Severity uint8

const (
	// Note: the finding is worth knowing, but the file may be as its owner wants it.
	Note Severity = iota
	// Warning: the file is probably not as its owner wants it, or some crawlers read it differently.
	Warning
	// Error: the file does not do what its text says, or it disallows the whole site.
	Error
)

var severityNames = [...]string{"note", "warning", "error"}

func (s Severity) String() string { return printable.Name(severityNames[:], s, "unknown") }

func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

func (s *Severity) UnmarshalText(text []byte) error {
	i := slices.Index(severityNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("unknown severity %q; expected note, warning or error", text)
	}
	*s = Severity(i)
	return nil
}

// A Finding is one thing in a file that is wrong, or worth knowing.
type Finding struct {
	Code     string
	Severity Severity
	Line     int      // counted from 1; 0 means the whole file
	Column   int      // in bytes, counted from 1; 0 means the whole line
	Length   int      // in bytes, from Column on; 0 means up to the end of the line
	Message  string   // what is wrong here; special characters from the file are escaped
	Crawlers []string // the product tokens of the crawlers for which the finding matters; empty: all crawlers
	Fix      *Fix     // nil if lint knows no fix

	// Findings of one rule with the same reason become one finding, unless the reason is "". Their fixes must be all safe,
	// all unsafe, or all missing.
	reason string
}

// A file is a robots.txt with all facts that the rules of lint need.
type file struct {
	body   string
	parsed *robotstxt.File // as RFC 9309 reads the body
	lines  []robotstxt.Line
	groups []robotstxt.Group

	google      *robotstxt.File  // as Google's parser reads the body
	googleLines []robotstxt.Line // the same lines as Google's parser reads them; one more line, which is empty, may follow

	comments []Comment
	codes    []string // the codes of all rules; wrongComments cannot call the function rules, which refers to wrongComments

	lineEnd   string
	document  string // what the file is if it is clearly no robots.txt, such as "an HTML page"; else ""
	utf16Text string // the text of a file in UTF-16; "" if the file is not UTF-16

	// The work so far. It has limits, because a hostile file could need too much work.
	proofWork    int
	usedWork     int
	repeatTotals repeatTotals

	// Methods set these fields when they are first called.
	recordLines   []recordLine
	readers       map[string]readers // the key is the number of the group and the name of the record
	readings      []reading
	allPolicies   []*policy
	groupPolicies [][]*policy // for each group, the policies to which it belongs
	policyByName  map[string]*policy
	foundUses     map[string]foundUses // the key is the result of textOfRules
	meant         map[string]string    // the results of meantBy

	blockingGroups map[string]bool // the results of blocksAll; the keys are the groups that apply
}

func newFile(body string) *file {
	f := &file{body: body, parsed: robotstxt.ParseString(body, robotstxt.RFC9309), google: robotstxt.ParseString(body, robotstxt.Google)}
	n := strings.Count(body, "\n") + 1
	f.lines, f.googleLines = appended(n, f.parsed.Lines()), appended(n, f.google.Lines())
	f.groups = slices.Collect(f.parsed.Groups())
	f.meant, f.blockingGroups = map[string]string{}, map[string]bool{}
	f.comments = Comments([]byte(body))
	f.lineEnd = "\n"
	if strings.Contains(body, "\r\n") {
		f.lineEnd = "\r\n"
	}
	f.document = cmp.Or(documentOf(body), errorTextIn(body, f.lines))
	if text, encoding := charset.ToUTF8([]byte(body)); encoding != "" {
		f.utf16Text = string(text)
	}
	return f
}

func appended[V any](n int, values iter.Seq[V]) []V { return slices.AppendSeq(make([]V, 0, n), values) }

// textLines returns nil if the file is clearly no robots.txt, for example an HTML page.
func (f *file) textLines() []robotstxt.Line {
	if f.utf16Text != "" || f.document != "" && len(f.groups) == 0 {
		return nil
	}
	return f.lines
}

func textOf(line robotstxt.Line) string {
	return strings.TrimRight(line.Raw[bomLength(line):], "\r\n")
}

// The byte-order mark may be incomplete.
func bomLength(line robotstxt.Line) int {
	if !line.Notes.Has(robotstxt.NoteBOM) {
		return 0
	}
	n := 0
	for n < len(line.Raw) && n < len(bom) && line.Raw[n] == bom[n] {
		n++
	}
	return n
}

const bom = "\xef\xbb\xbf"

func findingAt(line robotstxt.Line, part, message string) Finding {
	found := Finding{Line: line.Number, Message: message}
	if i := indexIn(line, part); i >= 0 {
		found.Column, found.Length = i+1, len(part)
	}
	return found
}

func (f Finding) withCrawlers(crawlers []string) Finding {
	f.Crawlers = crawlers
	return f
}

// countText(3, "rule", "%d rules") is "3 rules", countText(1, "rule", "%d rules") is "1 rule", and
// countText(1, "", " in %d groups") is "".
func countText(n int, one, several string) string {
	if n == 1 && strings.HasPrefix(several, "%d") {
		return "1 " + one
	}
	if n == 1 {
		return one
	}
	return fmt.Sprintf(several, n)
}

// listText returns names and a verb: listText(names, "differs", "differ") is "A differs", "A and B differ", or
// "A, B and 7 others differ".
func listText(names []string, one, many string) string {
	switch n := len(names); {
	case n == 1:
		return names[0] + " " + one
	case n <= 3:
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1] + " " + many
	default:
		return fmt.Sprintf("%s and %d others %s", strings.Join(names[:2], ", "), n-2, many)
	}
}

func isRule(k robotstxt.Kind) bool { return k == robotstxt.KindAllow || k == robotstxt.KindDisallow }

func allowed(yes bool) string {
	if yes {
		return "allowed"
	}
	return "disallowed"
}

// A finding that a comment turns off stays apart. If the finding were joined with others, the
// comment would also turn off the findings on other lines.
func (f *file) joinFindings(findings []Finding) []Finding {
	if len(findings) == 0 {
		return nil // most rules find nothing
	}
	var all []Finding
	joinedLines := map[int][]int{} // the key is the index in the slice all
	place := map[string]int{}
	for _, found := range findings {
		reason := found.reason
		found.reason = ""
		i, again := place[reason]
		switch {
		case reason == "" || f.turnsOff(found.Code, found.Line):
		case again:
			joinedLines[i] = append(joinedLines[i], found.Line)
			if found.Fix != nil {
				all[i].Fix.Edits = append(all[i].Fix.Edits, found.Fix.Edits...)
			}
			continue
		default:
			place[reason] = len(all)
		}
		all = append(all, found)
	}
	for i, lines := range joinedLines {
		all[i].Message += " (also on " + printable.Lines(lines) + ")"
		if fix := all[i].Fix; fix != nil {
			fix.Title += ", and correct " + printable.Counted(len(lines), "more line")
		}
	}
	return all
}

func (f *file) turnsOff(code string, line int) bool {
	return Hidden(Finding{Code: code, Line: line}, f.comments)
}
