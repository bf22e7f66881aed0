package testcmd

import (
	"encoding/xml"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/heed-robots/heed/cmd/heed/internal/flags"
	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/internal/conformance"
	"github.com/heed-robots/heed/internal/input"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/usage"
)

// A testLayout writes the results of a test in one format. The default methods begin and broken, of the type test, write
// nothing.
type testLayout interface {
	begin(caseFile string)
	result(*conformance.Result)
	broken(caseFile string, err error) // some or all cases of the file cannot be read
	end()
}

func (o *test) begin(string)         {}
func (o *test) broken(string, error) {}

func newTestLayout(o *test) testLayout {
	switch o.format {
	case "json":
		o.Term.Out.WriteString(`{"cases":`)
		return &testJSON{o, o.Term.JsonList("json")}
	case "junit":
		o.Term.Out.WriteString(xml.Header + "<testsuites name=\"heed test\">\n")
		return &testJUnit{test: o}
	case "tap":
		fmt.Fprintln(o.Term.Out, "TAP version 13")
		return &testTAP{test: o}
	case "github":
		t := &testGitHub{failures{test: o}}
		t.print = t.printOne
		return t
	}
	t := &testText{failures{test: o}}
	t.print = t.printOne
	return t
}

// If a crawler does not follow robots.txt, its name has a remark.
func (o *test) crawlerOf(c *conformance.Case) string {
	return c.ShownCrawler(o.known.Table) + o.known.Remark(c.Agents)
}

// questionOf returns a text such as "ExampleBot /cart", or "" if the case could not be read.
func (o *test) questionOf(c *conformance.Case) string {
	return strings.TrimSpace(o.crawlerOf(c) + " " + printable.Text(c.URL))
}

func place(file string, line int) string { return fmt.Sprintf("%s:%d", printable.Text(file), line) }

func expected(c *conformance.Case) string {
	if c.Any {
		return inShort(c.Uses.Expected)
	}
	s := report.Verdict(c.Allow)
	if uses := inShort(c.Uses.Expected); uses != "" {
		s += ", " + uses
	}
	switch {
	case c.Line == nil:
	case *c.Line == 0:
		s += " by no rule"
	default:
		s += fmt.Sprintf(" by line %d", *c.Line)
	}
	return s
}

// inShort returns a text such as "train-ai=n,search=unknown".
func inShort(uses []usage.Verdict) string {
	var parts []string
	for _, v := range uses {
		parts = append(parts, v.Purpose.String()+"="+v.Preference.Short())
	}
	return strings.Join(parts, ",")
}

func gotUses(r *conformance.Result) string {
	s := inShort(r.Uses)
	for i, v := range r.Uses {
		if v.Preference != r.Case.Uses.Expected[i].Preference {
			s += "; " + v.Purpose.String() + ": " + report.Because(v)
		}
	}
	return s
}

func (o *test) got(r *conformance.Result) string {
	switch {
	case r.Uses == nil:
		return o.decision(r)
	case r.Case.Any:
		return gotUses(r)
	}
	return o.decision(r) + ", " + gotUses(r)
}

// decision returns a text such as "disallowed by robots.txt:12 Disallow: /cart".
func (o *test) decision(r *conformance.Result) string {
	s := report.Verdict(r.Got.Allowed)
	if r.Ignored {
		s = "not obeyed, sources say: " + s
	}
	if r.Got.Reason != robotstxt.ByRule {
		s += ", " + r.Got.Because()
		if name := o.sources.robotsName(&r.Case); name != "" {
			s += " (" + printable.Text(name) + ")"
		}
		return s
	}
	rule := r.Got.Rule
	rule.Line = 0 // the place in the text has the number of the line already
	where := fmt.Sprintf("line %d of its robots.txt", r.Got.Rule.Line)
	if file, line := o.sources.robotsLine(&r.Case, r.Got.Rule.Line); file != "" {
		where = place(file, line)
	}
	return s + " by " + where + "  " + rule.String()
}

func (o *test) failure(r *conformance.Result) string {
	if r.Err != nil {
		return printable.Text(oneLine(term.ErrorText(r.Err)))
	}
	return "expected " + expected(&r.Case) + ", got " + o.got(r)
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// An uncoveredLine is a line that no case tests. The line has a rule, or is the first line of a group.
type uncoveredLine struct {
	file string
	line int
	text string // such as "Disallow: /cart: decides no case"
}

func (o *test) uncoveredOf(c conformance.Covered) (lines []uncoveredLine) {
	for _, m := range c.Missed {
		first := o.firstCases[c.Name]
		file, line := o.sources.robotsLine(&first, m.Line)
		why := "decides no case"
		if m.Group != nil {
			why = "no case has a crawler of this group"
		}
		text := m.String() + ": " + why
		if file == "" {
			file, line, text = first.File, first.FileLine, fmt.Sprintf("line %d of its robots.txt: %s", m.Line, text)
		}
		lines = append(lines, uncoveredLine{file, line, text})
	}
	return lines
}

func coverageTitle(c conformance.Covered) string {
	return fmt.Sprintf("%s: cases reach %d of %s", printable.Text(c.Name), c.Reached, printable.Counted(c.Rules, "rule"))
}

func (o *test) coverageLines() (lines []string) {
	for _, c := range o.coverage.Files() {
		lines = append(lines, coverageTitle(c))
		for _, u := range o.uncoveredOf(c) {
			lines = append(lines, fmt.Sprintf("  %s  %s", place(u.file, u.line), u.text))
		}
	}
	return lines
}

func (o *test) total() string {
	return fmt.Sprintf("%d passed, %d failed", o.passed, o.failed)
}

type testText struct{ failures }

func (t *testText) result(r *conformance.Result) {
	if !r.Passed() {
		t.addFailure(r, &failedAlike{about: t.caseLines(r), reason: t.reason(r)})
	}
}

func (t *testText) caseLines(r *conformance.Result) string {
	c := &r.Case
	dialect := ""
	if c.Dialect != nil && c.Dialect != robotstxt.RFC9309 {
		dialect = c.Dialect.String()
	}
	return t.field("case", printable.Text(c.ID)) + t.field("URL from", printable.Text(c.From)) + t.field("dialect", dialect)
}

func (t *testText) reason(r *conformance.Result) string {
	if r.Err != nil {
		return "  " + t.Term.Fold(t.failure(r), 2) + "\n"
	}
	return t.field("expected", expected(&r.Case)) + t.field("got", t.got(r))
}

func (t *testText) field(name, value string) string {
	if value == "" {
		return ""
	}
	return fmt.Sprintf("  %-8s  %s\n", name, t.Term.Fold(value, 12))
}

func (t *testText) printOne(f *failedAlike) {
	question, lists := "", ""
	add := func(name string, d *distinct) {
		if n := len(d.names); n > 1 {
			lists += t.field(name, fmt.Sprintf("%d: %s", n, d))
		} else {
			question += " " + d.String()
		}
	}
	add("crawlers", &f.crawlers)
	add("URLs", &f.urls)
	headline := f.places.String()
	if question = strings.TrimSpace(question); question != "" {
		headline += "  " + question
	}
	fmt.Fprintf(t.Term.Out, "%s %s\n%s%s%s\n", t.Term.Paint(term.Red, "FAIL"), t.Term.FitAfter(headline, len("FAIL ")), lists, f.about, f.reason)
}

func (t *testText) end() {
	t.printRest()
	for _, line := range t.coverageLines() {
		fmt.Fprintln(t.Term.Out, t.Term.Fold(line, 4))
	}
	fmt.Fprintln(t.Term.Out, t.total())
}

type testGitHub struct{ failures }

func (t *testGitHub) result(r *conformance.Result) {
	if r.Passed() {
		return
	}
	c := &r.Case
	one := &failedAlike{reason: "\n" + t.failure(r), file: c.File, line: c.FileLine}
	if r.Err == nil && r.Got.Reason == robotstxt.ByRule {
		if robots, line := t.sources.robotsLine(c, r.Got.Rule.Line); isLocal(robots) {
			one.file, one.line = robots, line
		}
	}
	for _, about := range []string{c.ID, c.From} {
		if about != "" {
			one.about += "  " + printable.Text(about)
		}
	}
	t.addFailure(r, one)
}

func (t *testGitHub) printOne(f *failedAlike) {
	message := f.places.String()
	if question := strings.TrimSpace(f.crawlers.String() + " " + f.urls.String()); question != "" {
		message += "  " + question
	}
	t.annotate("error", f.file, f.line, "robots.txt test failed", message+f.about+f.reason)
}

func (t *testGitHub) broken(file string, err error) {
	t.flush()
	t.annotate("error", file, 1, "robots.txt test failed", printable.Text(oneLine(term.ErrorText(err))))
}

func (t *testGitHub) end() {
	t.printRest()
	for _, c := range t.coverage.Files() {
		fmt.Fprintln(t.Term.Out, "Coverage of "+coverageTitle(c)) // the words come first, because a line that begins with "::" would be a command for GitHub
		for _, u := range t.uncoveredOf(c) {
			t.annotate("notice", u.file, u.line, "robots.txt line that no case reaches", place(u.file, u.line)+"  "+u.text)
		}
	}
	fmt.Fprintln(t.Term.Out, t.total())
}

// isLocal reports whether the file may be in the repository on GitHub, so that an annotation can name it.
func isLocal(file string) bool {
	return file != "" && file != input.StandardInput && !flags.IsURL(file)
}

func (t *testGitHub) annotate(level, file string, line int, title, message string) {
	a := report.Annotation{Level: level, Title: title, Message: message}
	if isLocal(file) {
		a.File, a.Line = strings.ReplaceAll(file, `\`, "/"), line
	}
	fmt.Fprintln(t.Term.Out, a)
}

// testTAP writes version 13 of the Test Anything Protocol, because Perl's prove reports version 14 as failed.
type testTAP struct {
	*test
	count int
}

func (t *testTAP) result(r *conformance.Result) {
	c := &r.Case
	title := place(c.File, c.FileLine)
	for _, about := range []string{t.questionOf(c), c.ID} {
		if about != "" {
			title += " " + printable.Text(about)
		}
	}
	if r.Passed() {
		t.point("ok", title)
		return
	}
	t.point("not ok", title)
	t.diagnostic("message", t.failure(r))
	if c.From != "" {
		t.diagnostic("url_from", c.From)
	}
	fmt.Fprintln(t.Term.Out, "  ...")
}

func (t *testTAP) broken(file string, err error) {
	t.point("not ok", printable.Text(file))
	t.diagnostic("message", printable.Text(oneLine(term.ErrorText(err))))
	fmt.Fprintln(t.Term.Out, "  ...")
}

func (t *testTAP) point(result, title string) {
	t.count++
	fmt.Fprintf(t.Term.Out, "%s %d - %s\n", result, t.count, tapText.Replace(title))
	if result != "ok" {
		fmt.Fprintln(t.Term.Out, "  ---")
	}
}

// diagnostic writes a value for YAML as JSON, because a JSON string is also a YAML string.
func (t *testTAP) diagnostic(name, value string) {
	fmt.Fprintf(t.Term.Out, "  %s: %s\n", name, term.Marshal(report.TextOf(value).Text))
}

func (t *testTAP) end() {
	for _, line := range t.coverageLines() {
		fmt.Fprintln(t.Term.Out, "#", line)
	}
	fmt.Fprintf(t.Term.Out, "1..%d\n", t.count)
}

// These characters have a meaning in the title of a test.
var tapText = strings.NewReplacer(`\`, `\\`, "#", `\#`)

// failures prints at most maxFailures failures. For each reason, it prints at most maxAlike failures.
type failures struct {
	*test
	print        func(*failedAlike)
	place        string
	unprinted    []*failedAlike          // failures of the current line of the case file, and all cases without an answer
	byKey        map[string]*failedAlike // see addFailure for the keys
	count, shown int
	counts       map[string]*failureCount // by failureCount.key
	order        []*failureCount          // in the order of the first failure of each
}

type failedAlike struct {
	places, crawlers, urls distinct
	about, reason          string
	hasNoAnswer            bool
	file                   string
	line                   int
}

type distinct struct {
	names []string
	has   map[string]bool
}

func (d *distinct) String() string { return printable.Some(d.names, ", ") }

func (d *distinct) add(name string) {
	if name == "" || d.has[name] {
		return
	}
	if d.has == nil {
		d.has = map[string]bool{}
	}
	d.has[name] = true
	d.names = append(d.names, name)
}

// A case may have no answer, for example because its site is unreachable.
func isUnanswered(r *conformance.Result) bool { return r.Err != nil && len(r.Case.Agents) > 0 }

// addFailure keeps a failure until all failures of its line are known. Cases without an answer are printed at the end.
func (f *failures) addFailure(r *conformance.Result, failure *failedAlike) {
	c := &r.Case
	where, url := place(c.File, c.FileLine), printable.Text(c.URL)
	if where != f.place {
		f.flush()
		f.place = where
	}
	key := where + "\n" + url + "\n" + failure.about + failure.reason
	if failure.hasNoAnswer = isUnanswered(r); failure.hasNoAnswer {
		key = failure.reason
	}
	same := f.byKey[key]
	switch {
	case same != nil:
		if failure.about != same.about {
			same.about = ""
		}
	case !f.isShown(r):
		return
	default:
		if f.byKey == nil {
			f.byKey = map[string]*failedAlike{}
		}
		same, f.byKey[key] = failure, failure
		f.unprinted = append(f.unprinted, failure)
	}
	same.places.add(where)
	same.crawlers.add(f.crawlerOf(c))
	same.urls.add(url)
}

// A line of a case file can have several failures. After each line, flush prints its failures. Cases without an
// answer are not printed yet, so flush keeps them.
func (f *failures) flush() {
	f.unprinted = slices.DeleteFunc(f.unprinted, func(one *failedAlike) bool {
		if !one.hasNoAnswer {
			f.print(one)
		}
		return !one.hasNoAnswer
	})
	maps.DeleteFunc(f.byKey, func(_ string, one *failedAlike) bool { return !one.hasNoAnswer })
}

func (f *failures) printRest() {
	f.flush()
	for _, one := range f.unprinted {
		f.print(one)
	}
	f.writeRest()
}

// A failureCount is for failures with the same line, crawler and reason. For cases without an answer, only the reason
// must be the same.
type failureCount struct {
	key           string // as in output: the place, the crawler and the reason, or only the reason
	failed, shown int
}

const maxAlike = 3

func (f *failures) isShown(r *conformance.Result) bool {
	f.count++
	a := &failureCount{} // each other case is printed alone
	if r.Case.From != "" || isUnanswered(r) {
		a = f.countOf(r)
	}
	a.failed++
	if f.shown >= f.maxFailures || a.shown >= maxAlike {
		return false
	}
	f.shown++
	a.shown++
	return true
}

func (f *failures) countOf(r *conformance.Result) *failureCount {
	about := place(r.Case.File, r.Case.FileLine) + "  "
	if name := f.crawlerOf(&r.Case); name != "" {
		about += name + "  "
	}
	switch {
	case isUnanswered(r):
		about = f.failure(r)
	case r.Err != nil:
		about += "has no answer"
	default:
		about += f.got(r)
	}
	a := f.counts[about]
	if a == nil {
		if f.counts == nil {
			f.counts = map[string]*failureCount{}
		}
		a = &failureCount{key: about}
		f.counts[about] = a
		f.order = append(f.order, a)
	}
	return a
}

func (f *failures) writeRest() {
	rest, lines := f.count-f.shown, 0
	for _, a := range f.order {
		if hidden := a.failed - a.shown; hidden > 0 && lines < f.maxFailures {
			fmt.Fprintf(f.Term.Out, "… and %d more: %s\n", hidden, a.key)
			rest -= hidden
			lines++
		}
	}
	if rest > 0 {
		fmt.Fprintf(f.Term.Out, "… and %d more\n", rest)
	}
}
