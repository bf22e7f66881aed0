package conformance_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/heed-robots/heed/internal/conformance"
)

func ExampleRunReader() {
	const cases = `
robots:
    User-agent: GPTBot
    Disallow: /

allow    Googlebot /products/
disallow GPTBot    /products/ line 2
disallow GPTBot    /robots.txt
`
	err := conformance.RunReader(strings.NewReader(cases), "my cases", conformance.Options{}, func(r conformance.Result) {
		fmt.Printf("%s:%d %v: %s\n", r.Case.File, r.Case.FileLine, r.Passed(), r.Got)
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// my cases:6 true: allowed: no group applies
	// my cases:7 true: disallowed by line 2: Disallow: /
	// my cases:8 false: allowed: /robots.txt is always allowed
}

func ExampleCoverage() {
	const cases = `
robots:
    User-agent: *
    Disallow: /cart
    Disallow: /account/
    User-agent: GPTBot
    Disallow: /

disallow Googlebot /cart
`
	var coverage conformance.Coverage
	err := conformance.RunReader(strings.NewReader(cases), "my cases", conformance.Options{}, func(r conformance.Result) {
		coverage.Add("my robots.txt", r)
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range coverage.Files() {
		fmt.Printf("%s: %d of %d rules\n", f.Name, f.Reached, f.Rules)
		for _, missed := range f.Missed {
			fmt.Printf("line %d: %s\n", missed.Line, missed)
		}
	}
	// Output:
	// my robots.txt: 1 of 3 rules
	// line 3: Disallow: /account/
	// line 4: User-agent: GPTBot (1 rule)
}
