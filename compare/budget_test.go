package compare

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/heed-robots/heed/robotstxt"
)

// randomPolicy returns a policy of a few rules that often match the same paths.
func randomPolicy(r *rand.Rand) *robotstxt.Policy {
	body := "User-agent: *\n"
	for range r.IntN(6) {
		body += []string{"Disallow: /", "Allow: /"}[r.IntN(2)] + randomText(r, 4, "a", "b", "*", "?", "/") + randomText(r, 1, "$") + "\n"
	}
	return robotstxt.ParseString(body, nil).Agent()
}

// leftFor calls f with budgets of which less and less is left: at last nothing.
func leftFor(work int, f func(b budget)) {
	for left := work; left >= 0; left -= 1 + work/100 {
		f(budget{limit: left})
	}
	f(budget{usedSteps: 1})
}

// A budget is spent with the first step beyond its limit, and as soon as a context that has ended
// is looked at.
func TestBudgetEnds(t *testing.T) {
	b := budget{limit: 10}
	for ; b.usedSteps < 20; b.spend(1) {
		if spent := b.isSpent(); spent != (b.usedSteps > 10) {
			t.Errorf("%d steps of 10: spent %v", b.usedSteps, spent)
		}
	}
	b = budget{usedSteps: 10, limit: 10}
	if b.isSpent() {
		t.Error("spent at the limit")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	b = budget{ctx: ctx}
	if !b.isSpent() {
		t.Error("not spent behind the end of the context")
	}
}

// The only changed rule has no opposite rule, and its shortest path is that of a better rule. The
// search that is not finished is no proof.
func TestSpentWithoutRule(t *testing.T) {
	const common = "User-agent: *\nAllow: /a$\n"
	old, new := robotstxt.ParseString(common+"Disallow: /*a\n", nil).Agent(), robotstxt.ParseString(common, nil).Agent()
	for left := range Policies(context.Background(), old, new).Work {
		b := budget{limit: left}
		if r := newComparison(newSide(old, &b), newSide(new, &b), b).run(); r.Outcome == Equal {
			t.Errorf("equal after %d steps", left)
		}
	}
}

// Wherever the work ends, what was not found out is undecided. Nothing else is said to be equal,
// nor to be the shortest, nor to be all.
func TestSpentBudget(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	undecided, found := 0, 0
	for range 150 {
		old, new := randomPolicy(r), randomPolicy(r)
		whole := Policies(context.Background(), old, new)
		if whole.Outcome == Undecided {
			t.Fatal("undecided")
		}
		leftFor(whole.Work, func(b budget) {
			got := newComparison(newSide(old, &b), newSide(new, &b), b).run()
			if got.Undecided > 0 && got.Outcome == Differs {
				found++
			}
			switch {
			case got.Outcome == Undecided:
				if undecided++; got.Undecided == 0 || len(got.Changes) > 0 {
					t.Fatalf("undecided: %+v", got)
				}
			case got.Outcome != whole.Outcome:
				t.Fatalf("%s, not %s", got.Outcome, whole.Outcome)
			case got.Undecided == 0 && !got.More && !slices.Equal(got.Changes, whole.Changes):
				t.Fatalf("%v, not %v", got.Changes, whole.Changes)
			case got.Undecided == 0 && !got.More && whole.More:
				t.Fatalf("no more pairs: %v", got.Changes)
			}
			if implied := got.Implies(); implied != Undecided && implied != whole.Implies() {
				t.Fatalf("implies %s, not %s", implied, whole.Implies())
			}
		})
	}
	if undecided < 100 || found < 100 {
		t.Errorf("only %d times undecided, %d times found out in part", undecided, found)
	}
}

// Wherever the work ends, the uses of rules that were not found out are unknown.
func TestUsesOfSpentBudget(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	unknown, known := map[Use]int{}, map[Use]int{} // by the real use
	for range 150 {
		p := randomPolicy(r)
		uses := Rules(p)
		leftFor(5_000, func(b budget) {
			own := newSide(p, &b)
			c := newComparison(own, own, b)
			for i, want := range uses {
				var indexes []int
				for k, r := range own.rules {
					if r.Rule.Line == want.Rule.Line {
						indexes = append(indexes, k)
					}
				}
				switch got := c.useOf(want.Rule, indexes); {
				case got.Use == UseUnknown:
					unknown[want.Use]++
				case got.Use != want.Use || len(got.Blockers) != len(want.Blockers):
					t.Fatalf("rule %d: %+v, not %+v", i, got, want)
				default:
					known[got.Use]++
				}
			}
		})
	}
	if len(unknown) != 3 || len(known) != 3 {
		t.Errorf("unknown: %v, known: %v", unknown, known)
	}
}

// Rules with few wildcards are first: a hard one leaves them their part of the work.
func TestHardRulesAreLast(t *testing.T) {
	old := robotstxt.ParseString("User-agent: *\nDisallow: /*a*b*c*d*a*b*c*d*e\nDisallow: /x\n", nil).Agent()
	new := robotstxt.ParseString("User-agent: *\nDisallow: /*d*c*b*a*d*c*b*a*e\nAllow: /*a*a\n", nil).Agent()
	var b budget
	c := newComparison(newSide(old, &b), newSide(new, &b), b)
	c.budget.limit = b.usedSteps + 40
	r := c.run()
	if len(r.Changes) != 1 || r.Changes[0].Witness != "/x" || r.Undecided == 0 {
		t.Errorf("%+v", r)
	}
}

// A shortest path is shorter than the limit.
func TestLimitOfLength(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	found := 0
	for range 500 {
		old, new := randomPolicy(r), randomPolicy(r)
		a, b := newSide(old, &budget{}), newSide(new, &budget{})
		paths, enough := robotstxt.PathsOf(old, new), func() *budget { return &budget{limit: MaxWork} }
		required, avoided := b.rules[len(b.rules)-1:], a.rules[len(a.rules)-1:]
		for _, avoided := range [][]*rule{nil, avoided} {
			path, f := newSearch(paths).shortestPath(enough(), required, avoided, noLimit)
			if f != foundPath {
				continue
			}
			found++
			if at, f := newSearch(paths).shortestPath(enough(), required, avoided, lengthOf(path)); f != noPath {
				t.Fatalf("%q is not shorter than %d", at, lengthOf(path))
			}
			if beyond, f := newSearch(paths).shortestPath(enough(), required, avoided, lengthOf(path)+1); f != foundPath || beyond != path {
				t.Fatalf("%q, not %q, below %d", beyond, path, lengthOf(path)+1)
			}
		}
	}
	if found < 500 {
		t.Errorf("only %d paths", found)
	}
}

// A path that does not differ is a bug of a search, and never a witness.
func TestPathsAreChecked(t *testing.T) {
	p := robotstxt.ParseString("", nil).Agent()
	c := newComparison(newSide(p, &budget{}), newSide(p, &budget{}), budget{})
	c.add("/x", foundPath)
	if r := c.run(); r.Outcome != Undecided || r.Undecided != 1 || len(r.Changes) > 0 {
		t.Errorf("%+v", r)
	}
}

// A given crawler is in the result even if the work is spent: undecided, unless other crawlers
// with the same groups were compared before.
func TestSpentForGivenCrawlers(t *testing.T) {
	old := robotstxt.ParseString("User-agent: a\nDisallow: /x\n", nil)
	new := robotstxt.ParseString("User-agent: a\nDisallow: /x\nDisallow: /y\n", nil)
	f := newFiles(context.Background(), old, new)
	f.add([]string{"a"}, given)
	if c := f.result.Crawlers[0]; f.work != 2+len(c.Groups)+c.Result.Work { // 2 User-agent lines
		t.Errorf("%d steps, %d of them for the crawler", f.work, c.Result.Work)
	}
	f.work = maxFilesWork + 1
	f.add([]string{"a", "b"}, given)
	if r := f.end(); r.Incomplete || len(r.Crawlers) != 2 || r.Crawlers[1].Result.Outcome != Differs {
		t.Errorf("the same groups: %+v", r)
	}
	f.add([]string{"c"}, given)
	if r := f.end(); !r.Incomplete || len(r.Crawlers) != 3 || r.Crawlers[2].Result.Outcome != Undecided {
		t.Errorf("other groups: %+v", r)
	}
}

// The last step of the limit is still work; beyond it, no crawler is compared that only a file names.
func TestSpentForNamedCrawlers(t *testing.T) {
	file := robotstxt.ParseString("User-agent: a\nDisallow: /x\n", nil)
	for _, c := range []struct{ work, crawlers int }{{maxFilesWork, 1}, {maxFilesWork + 1, 0}} {
		f := newFiles(context.Background(), file, file)
		f.work = c.work
		f.add([]string{"a"}, named)
		if r := f.end(); len(r.Crawlers) != c.crawlers || r.Incomplete != (c.crawlers == 0) {
			t.Errorf("after %d steps: %+v", c.work, r)
		}
	}
}

// Files are equal only if they are equal for all crawlers.
func TestOutcomeOfFiles(t *testing.T) {
	equal, undecided := Crawler{Result: Result{Outcome: Equal}}, Crawler{}
	for i, r := range []FilesResult{{Crawlers: []Crawler{undecided, equal}}, {Crawlers: []Crawler{equal}, Incomplete: true}} {
		if f := (&files{result: r}); f.result.outcome() != Undecided {
			t.Errorf("%d: %s", i, f.result.outcome())
		}
	}
}

// The same question takes the same steps on every machine. What is undecided depends on the way in
// which they are counted, so that is changed here too, and on purpose.
func TestSteps(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	comparisons, uses := 0, 0
	for range 400 {
		old, new := randomPolicy(r), randomPolicy(r)
		comparisons += Policies(context.Background(), old, new).Work
		_, work := RulesWithin(MaxWork, old)
		uses += work
	}
	policy := func(rules string) *robotstxt.Policy {
		return robotstxt.ParseString("User-agent: *\n"+rules, nil).Agent()
	}
	long := "/" + strings.Repeat("abc", 80)
	states := Policies(context.Background(), policy("Disallow: /*a*b*c*d*e*f*g*h*i*j\n"), policy("Allow: /*j*i*h*g*f*e*d*c*b*a\nDisallow: /*j*a*j*a\n")).Work
	texts := Policies(context.Background(), policy("Disallow: "+long+"*x\n"), policy("Allow: "+long+"*x*y\nDisallow: "+long+"?x=/\nDisallow: "+long+"*?/*/\n")).Work
	if got, want := []int{MaxWork, maxFilesWork, comparisons, uses, states, texts}, []int{1 << 26, 1 << 27, 243950, 94483, 4892, 12883}; !slices.Equal(got, want) {
		t.Errorf("%d steps, not %d", got, want)
	}
}
