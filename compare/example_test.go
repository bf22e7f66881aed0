package compare_test

import (
	"context"
	"fmt"

	"github.com/heed-robots/heed/compare"
	"github.com/heed-robots/heed/robotstxt"
)

func ExamplePolicies() {
	old := robotstxt.ParseString("User-agent: *\nDisallow: /cart\n", nil)
	new := robotstxt.ParseString("User-agent: *\nDisallow: /cart\nDisallow: /*?\n", nil)
	r := compare.Policies(context.Background(), old.Agent("ExampleBot"), new.Agent("ExampleBot"))
	fmt.Println(r.Outcome)
	for _, c := range r.Changes {
		fmt.Printf("%s was %s, is %s\n", c.Witness, c.Old, c.New)
	}
	// Output:
	// differs
	// /? was allowed: no rule matches, is disallowed by line 3: Disallow: /*?
}

func ExampleFiles() {
	old := robotstxt.ParseString("User-agent: ExampleBot\nDisallow: /private\n\nUser-agent: *\nDisallow: /\n", nil)
	new := robotstxt.ParseString("User-agent: *\nDisallow: /\n", nil)
	for _, c := range compare.Files(context.Background(), old, new).Crawlers {
		fmt.Println(c, c.Result.Outcome)
	}
	// Output:
	// * equal
	// ExampleBot differs
}

func ExampleRules() {
	f := robotstxt.ParseString("User-agent: *\nDisallow: /shop\nAllow: /shop\nDisallow: /a\nDisallow: /a/b\n", nil)
	for _, u := range compare.Rules(f.Agent("ExampleBot")) {
		fmt.Printf("%s: %s %q\n", u.Rule, u.Use, u.Witness)
	}
	// Output:
	// line 3: Allow: /shop: needed "/shop"
	// line 2: Disallow: /shop: never decides ""
	// line 5: Disallow: /a/b: changes nothing ""
	// line 4: Disallow: /a: needed "/a"
}

func ExampleBlocksAll() {
	f := robotstxt.ParseString("User-agent: *\nDisallow: /\nAllow: /$\n", nil)
	fmt.Println(compare.BlocksAll(context.Background(), f.Agent("ExampleBot")))
	// Output: differs /
}
