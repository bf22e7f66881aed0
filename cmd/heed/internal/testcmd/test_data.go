package testcmd

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"

	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/internal/conformance"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/report"
)

type testJSON struct {
	*test
	list *term.List
}

func (t *testJSON) result(r *conformance.Result) {
	c := &r.Case
	j := report.Tested{
		CaseFile: c.File, Line: c.FileLine, ID: c.ID, From: c.Source, URLFrom: c.From, Passed: r.Passed(),
		Answer: report.AnswerOf(c.URL, r.Got),
	}
	if len(c.Agents) > 0 {
		j.Expected = &report.Expected{Line: c.Line, Usage: inShort(c.Uses.Expected)}
		if !c.Any {
			j.Expected.Allowed = &c.Allow
		}
		j.Usage = r.Uses
		j.SetAgent(t.known.Table, c.Agents)
		j.Dialect, j.Source = c.Dialect.String(), t.sources.robotsName(c)
	}
	if r.Err != nil {
		j.Error = term.ErrorText(r.Err)
	}
	t.list.Put(j)
}

func (t *testJSON) broken(file string, err error) {
	t.list.Put(report.Tested{CaseFile: file, Answer: report.Answer{Error: term.ErrorText(err)}})
}

func (t *testJSON) end() {
	t.list.Close()
	t.Term.Out.WriteString(`,`)
	if t.covers {
		t.Term.Out.WriteString(`"coverage":`)
		l := t.Term.JsonList("json")
		for _, c := range t.coverage.Files() {
			j := report.Coverage{Robots: c.Name, Rules: c.Rules, Reached: c.Reached, Missed: []report.Missed{}}
			for i, u := range t.uncoveredOf(c) {
				j.Missed = append(j.Missed, report.MissedOf(c.Missed[i].Group, c.Missed[i].Rule, u.line))
			}
			l.Put(j)
		}
		l.Close()
		t.Term.Out.WriteString(`,`)
	}
	fmt.Fprintf(t.Term.Out, "\"passed\":%d,\"failed\":%d}\n", t.passed, t.failed)
}

// GitLab and Jenkins can read this form of JUnit XML.
type testJUnit struct {
	*test
	suite            string
	cases            bytes.Buffer // written at the end of a suite, because its first line has the number of its cases
	tests            int
	failures, errors int
}

func (t *testJUnit) begin(caseFile string) {
	t.endSuite()
	t.suite = caseFile
}

func (t *testJUnit) endSuite() {
	if t.suite == "" {
		return
	}
	fmt.Fprintf(t.Term.Out, "<testsuite name=%s tests=\"%d\" failures=\"%d\" errors=\"%d\">\n", attribute(t.suite), t.tests, t.failures, t.errors)
	t.Term.Out.Write(t.cases.Bytes())
	t.Term.Out.WriteString("</testsuite>\n")
	t.cases.Reset()
	t.tests, t.failures, t.errors = 0, 0, 0
}

func (t *testJUnit) result(r *conformance.Result) {
	c := &r.Case
	name := fmt.Sprintf("line %d", c.FileLine)
	if question := t.questionOf(c); question != "" {
		name += ": " + keyword(c) + " " + question
	}
	t.open(name, c.FileLine)
	if r.Passed() {
		t.cases.WriteString("/>\n")
		return
	}
	kind := "failure"
	if r.Err != nil {
		kind = "error"
		t.errors++
	} else {
		t.failures++
	}
	details := []string{place(c.File, c.FileLine), c.ID, c.From, t.failure(r)}
	t.fail(kind, t.failure(r), details)
}

func (t *testJUnit) broken(_ string, err error) {
	t.open("the case file", 1)
	t.errors++
	t.fail("error", oneLine(term.ErrorText(err)), []string{term.ErrorText(err)})
}

func keyword(c *conformance.Case) string {
	if c.Any {
		return "usage"
	}
	if c.Allow {
		return "allow"
	}
	return "disallow"
}

func (t *testJUnit) open(name string, line int) {
	t.tests++
	fmt.Fprintf(&t.cases, "<testcase classname=%s name=%s file=%s line=\"%d\"",
		attribute(t.suite), attribute(name), attribute(t.suite), line)
}

func (t *testJUnit) fail(kind, message string, details []string) {
	fmt.Fprintf(&t.cases, "><%s message=%s type=\"%[1]s\">", kind, attribute(message))
	for _, d := range details {
		if d != "" {
			t.cases.WriteString(escapeXML(d) + "\n")
		}
	}
	fmt.Fprintf(&t.cases, "</%s></testcase>\n", kind)
}

func (t *testJUnit) end() {
	t.endSuite()
	if t.covers {
		t.Term.Out.WriteString("<testsuite name=\"coverage\" tests=\"0\"><system-out>\n")
		for _, line := range t.coverageLines() {
			t.Term.Out.WriteString(escapeXML(line) + "\n")
		}
		t.Term.Out.WriteString("</system-out></testsuite>\n")
	}
	t.Term.Out.WriteString("</testsuites>\n")
}

func escapeXML(s string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(printable.Text(s))) // EscapeText never fails for a Builder
	return b.String()
}

func attribute(s string) string { return `"` + escapeXML(s) + `"` }
