package conformance_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/heed-robots/heed/conformance"
)

func ExampleRun() {
	dir, err := os.MkdirTemp("", "cases")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	cases := filepath.Join(dir, "robots.cases")
	text := `
robots:
    User-agent: GPTBot
    Disallow: /

allow    Googlebot /products/
disallow GPTBot    /products/ line 2
disallow GPTBot    /robots.txt
`
	if err := os.WriteFile(cases, []byte(text), 0o600); err != nil {
		log.Fatal(err)
	}
	err = conformance.Run(cases, conformance.Options{}, func(r conformance.Result) {
		fmt.Println(r.Case.URL, r.Passed(), r.Got.Reason)
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// /products/ true no group applies
	// /products/ true a rule matches
	// /robots.txt false /robots.txt is always allowed
}
