package conformance_test

import (
	"fmt"
	"log"
	"strings"
	"testing/fstest"

	"github.com/heed-robots/heed/conformance"
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

func ExampleRunFS() {
	files := fstest.MapFS{ // or an embed.FS
		"public/robots.txt": {Data: []byte("User-agent: *\nDisallow: /cart\n")},
		"tests/shop.cases":  {Data: []byte("robots: ../public/robots.txt\ndisallow ExampleBot /cart line 2\n")},
	}
	err := conformance.RunFS(files, "tests/shop.cases", conformance.Options{}, func(r conformance.Result) {
		fmt.Println(r.Case.URL, r.Passed(), r.Got)
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output: /cart true disallowed by line 2: Disallow: /cart
}
