package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/robotstxt"
)

func htmlBody(f *file, report func(Finding)) {
	if f.document != "" {
		report(Finding{Message: "the file is no robots.txt: it is " + f.document})
	}
}

// Crawlers must read at least this many bytes (RFC 9309, 2.5).
const maxSize = 500 << 10

func tooLarge(f *file, report func(Finding)) {
	if len(f.body) <= maxSize {
		return
	}
	whole := robotstxt.ParseString(f.body, robotstxt.RFC9309.WithLimit(len(f.body)))
	var first robotstxt.Line
	lost := lostLines{}
	for line := range whole.Lines() {
		if f.lines[line.Number-1].Notes.Has(robotstxt.NotePastLimit) {
			if first.Number == 0 {
				first = line
			}
			lost.add(line)
		}
	}
	message := fmt.Sprintf("the file has %d bytes, and crawlers need only read %d", len(f.body), maxSize)
	if first.Number > 0 { // if first is not set, only the end of the last line is beyond the limit
		message += ": from this line on they may ignore " + lost.String()
	}
	report(Finding{Line: first.Number, Message: message})
}

// If even the fetched part has more than maxSize bytes, tooLarge reports the file.
func cutOff(r *Response, report func(Finding)) {
	if !r.Truncated || !r.isFile() || len(r.Body) > maxSize {
		return
	}
	lines := 0
	for range robotstxt.Parse(r.Body, robotstxt.RFC9309).Lines() {
		lines++
	}
	if lines == 0 {
		report(Finding{Message: fmt.Sprintf("the first line is longer than the %d bytes that crawlers need to read: they may ignore everything", maxSize)})
		return
	}
	report(Finding{Message: fmt.Sprintf("the file has more than %d bytes, and crawlers need only read %d: after line %d they may ignore everything", len(r.Body), maxSize, lines)})
}

// lostLines counts the lines after the first maxSize bytes, which crawlers may ignore.
type lostLines struct {
	rules, sitemaps int
	names           []string
}

func (l *lostLines) add(line robotstxt.Line) {
	switch line.Kind {
	case robotstxt.KindUserAgent:
		l.names = append(l.names, line.Value)
	case robotstxt.KindAllow, robotstxt.KindDisallow:
		l.rules++
	case robotstxt.KindSitemap:
		l.sitemaps++
	}
}

const maxNames = 5

func (l *lostLines) String() string {
	text := fmt.Sprintf("%s, %s, %s", printable.Counted(l.rules, "rule"), printable.Counted(l.sitemaps, "sitemap"), printable.Counted(len(l.names), "User-agent line"))
	if len(l.names) == 0 {
		return text
	}
	more := ""
	names := l.names
	if len(names) > maxNames {
		names, more = names[:maxNames], ", …"
	}
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = printable.Quote(name)
	}
	return text + " (" + strings.Join(quoted, ", ") + more + ")"
}

// maxRules is the maximum number of rules in a robots.txt, according to the list of errors of Yandex.
const maxRules = 2048

func tooManyRules(f *file, report func(Finding)) {
	rules := f.countRules()
	if rules <= maxRules {
		return
	}
	different := map[robotstxt.Rule]bool{}
	for _, g := range f.groups {
		for _, r := range g.Rules {
			r.Line = 0
			different[r] = true
		}
	}
	message := fmt.Sprintf("the file has %d rules in %s", rules, printable.Counted(len(f.groups), "group"))
	if len(different) < rules {
		message += ", but only " + printable.Counted(len(different), "different one")
	}
	report(Finding{Message: message})
}

func (f *file) countRules() (rules int) {
	for _, g := range f.groups {
		rules += len(g.Rules)
	}
	return rules
}

func emptyFile(f *file, report func(Finding)) {
	message := "the file is empty"
	for _, line := range f.lines {
		switch line.Kind {
		case robotstxt.KindBlank:
		case robotstxt.KindComment:
			message = "the file has nothing but comments"
		default:
			return
		}
	}
	report(Finding{Message: message + ", so everything is allowed"})
}

func noSitemap(f *file, report func(Finding)) {
	isSitemap := func(line robotstxt.Line) bool { return line.Kind == robotstxt.KindSitemap }
	if len(f.groups) > 0 && !slices.ContainsFunc(f.lines, isSitemap) { // if the file has no groups, other findings say what is missing
		report(Finding{Message: "the file has no Sitemap line"})
	}
}
