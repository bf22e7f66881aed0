package compare_test

import (
	"fmt"
	"testing"

	"github.com/heed-robots/heed/compare"
	"github.com/heed-robots/heed/robotstxt"
)

// Where patterns use every octet of which a path can consist, only escapes are left: no other
// octet can stand for them.
func TestEveryOctetInUse(t *testing.T) {
	canonical := "Allow: /$\n"
	for _, c := range "/?&=:[]@!'()+,;-._~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" {
		canonical += fmt.Sprintf("Allow: /%c\n", c)
	}
	decoded := "Allow: //\n"
	for c := range 256 {
		if c != '/' && c != '#' {
			decoded += fmt.Sprintf("Allow: /%%%02X\n", c)
		}
	}
	for d, rules := range map[*robotstxt.Dialect]string{robotstxt.RFC9309: canonical, robotstxt.Draft1996: decoded} {
		p := robotstxt.ParseString("User-agent: *\n"+rules+"Disallow: /\n", d).Agent()
		for _, u := range compare.Rules(p) {
			if !u.Rule.Allow && (u.Use != compare.Needed || p.Check(site+u.Witness).Rule != u.Rule) {
				t.Errorf("%s: %+v", d, u)
			}
		}
	}
}
