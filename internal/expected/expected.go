// Package expected tests a robots.txt that was written from a policy, with the expectations in the policy, as "heed
// test" does. Heed's web page contains package policyfile but not this package, which would make it larger by a
// third.
package expected

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/conformance"
	"github.com/heed-robots/heed/internal/crawlernames"
	"github.com/heed-robots/heed/internal/policyfile"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/robotstxt"
)

// The limits of one policy.
const (
	maxCases = 100_000
	maxLine  = 8 << 10
	maxTold  = 100 // the maximum number of failures that are reported
)

// With returns a function that tests the output of policyfile.File.Write. The table has the crawlers for "@NAME"; nil
// means crawlers.Known().
func With(table *crawlers.Table) policyfile.Tester {
	return func(name, cases, robots string) (count, failed int, told []error) {
		fail := func(line int, err error) {
			if failed++; failed <= maxTold {
				told = append(told, &policyfile.Error{Name: name, Line: line, Err: err})
			}
		}
		number := 0
		for line := range strings.Lines(cases) {
			if number++; len(line) > maxLine {
				fail(number, fmt.Errorf("an expectation of more than %d bytes", maxLine))
			}
		}
		if failed > 0 {
			return 0, failed, told
		}
		options := conformance.Options{
			Robots:   "robots.txt",
			ReadFile: func(string) ([]byte, error) { return []byte(robots), nil },
			Table:    table,
			MaxCases: maxCases,
		}
		err := conformance.RunReader(strings.NewReader(cases), name, options, func(r conformance.Result) {
			count++
			if err := errorOf(&r); err != nil {
				fail(r.Case.FileLine, err)
			}
		})
		if err != nil {
			fail(1, err)
		}
		return count, failed, told
	}
}

func errorOf(r *conformance.Result) error {
	if r.Err != nil || r.Passed() {
		return r.Err
	}
	got := r.Got.String()
	for _, v := range r.Uses {
		got += fmt.Sprintf(", %s=%s", v.Purpose, v.Preference.Short())
	}
	cure := ""
	if r.Got.Reason == robotstxt.IgnoresEveryone {
		cure = fmt.Sprintf(`; the line "%s: inherit" in the policy gives it the rules of everyone`, printable.Text(r.Case.Agents[0]))
	}
	return fmt.Errorf("the expectation failed: %s is actually %s for %s%s", printable.Text(r.Case.URL), got, printable.Text(cmp.Or(r.Case.Crawler, crawlernames.Name(r.Case.Agents))), cure)
}
