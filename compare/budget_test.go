package compare

import (
	"context"
	"math/rand/v2"
	"slices"
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
		f(budget{used: MaxWork - left})
	}
	f(budget{used: MaxWork + 1})
}

// The only changed rule has no opposite rule, and its shortest path is that of a better rule. The
// search that is not finished is no proof.
func TestSpentWithoutRule(t *testing.T) {
	const common = "User-agent: *\nAllow: /a$\n"
	old, new := robotstxt.ParseString(common+"Disallow: /*a\n", nil).Agent(), robotstxt.ParseString(common, nil).Agent()
	for left := range Policies(old, new).Work {
		b := budget{used: MaxWork - left}
		if r := newComparison(newSide(old, &b), newSide(new, &b), b).run(); r.Outcome == Equal {
			t.Errorf("equal after %d steps", left)
		}
	}
}

// Wherever the work ends, what was not found out is undecided. Nothing else is said to be equal,
// nor to be the shortest, nor to be all.
func TestSpentBudget(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	undecided := 0
	for range 150 {
		old, new := randomPolicy(r), randomPolicy(r)
		whole := Policies(old, new)
		if whole.Outcome == Undecided {
			t.Fatal("undecided")
		}
		leftFor(whole.Work, func(b budget) {
			got := newComparison(newSide(old, &b), newSide(new, &b), b).run()
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
	if undecided < 100 {
		t.Errorf("only %d times undecided", undecided)
	}
}

// Wherever the work ends, the uses of rules that were not found out are unknown.
func TestUsesOfSpentBudget(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	unknown := map[Use]int{} // by the real use
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
				}
			}
		})
	}
	if len(unknown) != 3 {
		t.Errorf("unknown: %v", unknown)
	}
}

// A path that does not differ is a bug of a search, and never a witness.
func TestPathsAreChecked(t *testing.T) {
	p := robotstxt.ParseString("", nil).Agent()
	c := newComparison(newSide(p, &budget{}), newSide(p, &budget{}), budget{})
	c.add("/x", aPath)
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
	if work := f.result.Crawlers[0].Result.Work; f.work <= work {
		t.Errorf("%d steps, %d of them for the crawler", f.work, work)
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

// Files are equal only if they are equal for all crawlers.
func TestOutcomeOfFiles(t *testing.T) {
	equal, undecided := Crawler{Result: Result{Outcome: Equal}}, Crawler{}
	for i, r := range []FilesResult{{Crawlers: []Crawler{undecided, equal}}, {Crawlers: []Crawler{equal}, Incomplete: true}} {
		if f := (&files{result: r}); f.outcome() != Undecided {
			t.Errorf("%d: %s", i, f.outcome())
		}
	}
}
