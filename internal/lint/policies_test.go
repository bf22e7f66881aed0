package lint

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/heed-robots/heed/compare"
)

// Policies with the same rules share their uses: they are those that each policy has alone, on its own lines.
func TestSharedUses(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 7))
	shared := 0
	for range 200 {
		rules := []string{"Disallow: /a", "Allow: /a", "Disallow: /*b", "Allow: /ab", "Disallow: /robots.txt", "Disallow: /a*b$", "Disallow:", "Allow: /a$", "Disallow: /*a"}
		r.Shuffle(len(rules), func(i, j int) { rules[i], rules[j] = rules[j], rules[i] })
		rules = rules[:1+r.IntN(len(rules))]
		body := ""
		for _, name := range []string{"*", "a", "b"} {
			body += "User-agent: " + name + "\n# " + name + "\n" + strings.Join(rules, "\n") + "\n"
			i := r.IntN(len(rules)) // the same rules, in another order; or not the same
			rules[0], rules[i] = rules[i], rules[0]
			if r.IntN(4) == 0 {
				rules[i] = map[bool]string{true: "Allow: ", false: "Disallow: "}[r.IntN(2) == 0] + rules[i][strings.IndexByte(rules[i], ':')+1:]
			}
		}
		f := newFile(body)
		policies := f.policies()
		for i := range policies {
			f.ruleUses(policies[i])
		}
		if len(f.foundUses) < len(policies) {
			shared++
		}
		for i, p := range policies {
			alone := newFile(body)
			if got, want := f.ruleUses(p), alone.ruleUses(alone.policies()[i]); !reflect.DeepEqual(got, want) {
				t.Fatalf("%s\nof policy %d:\n%v\nnot %v", body, i, got, want)
			}
		}
	}
	if shared < 100 {
		t.Errorf("only %d files with shared uses", shared)
	}
}

// What is shared costs as much as if it were found again, so the limit on the work is the same.
func TestSharedUsesCount(t *testing.T) {
	t.Parallel()
	const rules = "Disallow: /a\nAllow: /*b\n"
	alone, twice := newFile("User-agent: a\n"+rules), newFile("User-agent: a\n"+rules+"User-agent: b\n"+rules)
	for _, f := range []*file{alone, twice} {
		for _, p := range f.policies()[1:] {
			f.ruleUses(p)
		}
	}
	if twice.usedWork != 2*alone.usedWork {
		t.Errorf("%d steps, not 2 × %d", twice.usedWork, alone.usedWork)
	}
	spent := newFile("User-agent: a\n" + rules + "User-agent: b\n" + rules)
	spent.ruleUses(spent.policies()[1])
	spent.usedWork = maxWork
	for _, use := range spent.ruleUses(spent.policies()[2]) {
		if use.Use != compare.UseUnknown {
			t.Errorf("beyond the limit: %v", use)
		}
	}
}
