// Package expected tests the robots.txt of a policy with the expectations of the policy. It is a separate package, so that
// package policyfile stays small for the web page.
package expected

import (
	"errors"
	"fmt"
	"strings"

	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/conformance"
	"github.com/heed-robots/heed/internal/policyfile"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/robotstxt"
)

const (
	maxCases = 100_000
	maxLine  = 8 << 10
	maxTold  = 100 // failures that are reported; a failure for several crawlers is one
)

// With returns a function that tests the robots.txt of a policy. table has the crawlers for "@NAME"; nil means
// crawlers.Known().
func With(table *crawlers.Table) policyfile.Tester {
	return func(name, cases, robots string) (count, failed int, told []error) {
		t := tested{table: table}
		number := 0
		for line := range strings.Lines(cases) {
			if number++; len(line) > maxLine {
				t.fail(&failure{line: number, what: fmt.Sprintf("an expectation of more than %d bytes", maxLine)})
			}
		}
		if t.failed > 0 {
			return 0, t.failed, t.errors(name)
		}
		options := conformance.Options{
			Robots:   "robots.txt",
			ReadFile: func(string) ([]byte, error) { return []byte(robots), nil },
			Table:    table,
			Obeys:    func(tokens []string) bool { return report.FactsOf(table, tokens).Obeys == nil },
			MaxCases: maxCases,
		}
		err := conformance.RunReader(strings.NewReader(cases), name, options, func(r conformance.Result) {
			count++
			t.add(&r)
		})
		if err != nil {
			t.fail(&failure{line: 1, what: err.Error()})
		}
		return count, t.failed, t.errors(name)
	}
}

type tested struct {
	table  *crawlers.Table
	failed int
	told   []*failure // at most maxTold
}

// A failure is an expectation that failed in the same way for some crawlers.
type failure struct {
	line            int
	what            string
	crawlers        []string // nil if the expectation could not be read
	ignoresEveryone bool     // the crawlers do not follow the groups for "*"
	ignoresRobots   bool     // the crawlers do not follow robots.txt
	tokens          []string
}

func (t *tested) add(r *conformance.Result) {
	f := &failure{line: r.Case.FileLine}
	switch {
	case r.Passed():
		return
	case r.Err != nil:
		f.what = r.Err.Error()
		t.fail(f)
		return
	}
	got := r.Got.String()
	if r.Got.Reason == robotstxt.ByRule {
		got = report.Verdict(r.Got.Allowed) + " by the robots.txt, " + r.Got.Rule.String()
	}
	for _, v := range r.Uses {
		got += fmt.Sprintf(", %s=%s", v.Purpose, v.Preference.Short())
	}
	f.what = fmt.Sprintf("%s is actually %s", printable.Text(r.Case.URL), got)
	if r.Ignored {
		f.what = "no robots.txt can close " + printable.Text(r.Case.URL)
		f.ignoresRobots = true
	}
	f.ignoresEveryone = r.Got.Reason == robotstxt.IgnoresEveryone
	f.crawlers = []string{r.Case.ShownCrawler(t.table)}
	f.tokens = []string{printable.Text(r.Case.Agents[0])}
	t.fail(f)
}

func (t *tested) fail(f *failure) {
	t.failed++
	for _, other := range t.told {
		if other.line == f.line && other.what == f.what {
			other.crawlers = append(other.crawlers, f.crawlers...)
			other.tokens = append(other.tokens, f.tokens...)
			return
		}
	}
	if len(t.told) < maxTold {
		t.told = append(t.told, f)
	}
}

func (t *tested) errors(name string) (told []error) {
	for _, f := range t.told {
		told = append(told, &policyfile.Error{Name: name, Line: f.line, Err: errors.New(f.String())})
	}
	return told
}

func (f *failure) String() string {
	if len(f.crawlers) == 0 {
		return f.what
	}
	s := fmt.Sprintf("the expectation failed for %s: %s", printable.Some(f.crawlers, ", "), f.what)
	they, them := "it does", "it"
	if len(f.tokens) > 1 {
		they, them = "they do", "them"
	}
	switch {
	case f.ignoresRobots:
		return s + "; sources say that " + they + " not follow robots.txt, or not always"
	case f.ignoresEveryone:
		return s + fmt.Sprintf(`; the line "%s: inherit" in the policy gives %s the rules of everyone`, strings.Join(f.tokens, ", "), them)
	}
	return s
}
