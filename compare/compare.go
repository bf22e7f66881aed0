package compare

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/robotstxt"
)

// An Outcome says what a comparison has found out. The zero Outcome is Undecided.
type Outcome uint8

const (
	// Undecided: neither Equal nor Differs was proved within MaxWork.
	Undecided Outcome = iota
	// Equal: it is proved that every URL has the same verdict in both policies.
	Equal
	// Differs: at least one URL has different verdicts in the two policies.
	Differs
)

var outcomeNames = [...]string{Undecided: "undecided", Equal: "equal", Differs: "differs"}

// String returns "undecided", "equal" or "differs".
func (o Outcome) String() string { return printable.Name(outcomeNames[:], o, "undecided") }

// A Result says how two policies differ.
type Result struct {
	Outcome Outcome
	Changes []Change // the change with the shortest Witness first; empty unless the policies differ
	// Undecided is the number of changed rules for which the search found no answer.
	Undecided int
	// More is true if Changes may not show all differences. There may be other pairs of an old and a new rule that
	// give a path different verdicts.
	More bool
	Work int // the number of steps that the search took

	// Restricted is true if a path can have different normal forms in the two dialects. Then only paths that have the same
	// form in both dialects are compared.
	Restricted bool
}

// A Change is a path with different verdicts in the two policies. It is the shortest such path for one changed rule (a rule
// that only one policy has). An empty segment becomes "x" if the decisions stay the same: "/a/x/b" for "/a//b".
type Change struct {
	// Witness is a path, with its query if it has one. It begins with "//" only if no other path shows the change.
	Witness  string
	Old, New robotstxt.Decision
}

func (c Change) isBlocked() bool { return c.Old.Allowed }

// Policies finds out how two policies differ. If the context ends, Policies returns soon, and the rest is Undecided.
func Policies(ctx context.Context, old, new *robotstxt.Policy) Result {
	work := budget{limit: MaxWork, ctx: ctx}
	a, b := newSide(old, &work), newSide(new, &work)
	if a.equals(b) {
		return Result{Outcome: Equal, Work: work.usedSteps}
	}
	return newComparison(a, b, work).run()
}

// Implies returns Equal if the new policy provably allows every URL that the old policy allows. It returns Differs if the
// new policy disallows such a URL.
func (r Result) Implies() Outcome {
	switch {
	case slices.ContainsFunc(r.Changes, Change.isBlocked):
		return Differs
	case r.Undecided > 0:
		return Undecided
	}
	return Equal
}

type comparison struct {
	old, new *side
	search   *search
	budget   budget
	result   Result

	indexes, opposites []int // buffers, used again for each rule
	required, avoided  []*rule
}

func newComparison(old, new *side, spent budget) *comparison {
	old.buildIndexes()
	new.buildIndexes()
	c := &comparison{old: old, new: new, search: newSearch(robotstxt.PathsOf(old.policy, new.policy)), budget: spent}
	c.result.Restricted = c.search.paths.Restricted
	return c
}

func (c *comparison) run() Result {
	for _, t := range c.changedRules() {
		c.add(c.find(t))
	}
	r := &c.result
	r.Work = c.budget.usedSteps
	switch {
	case len(r.Changes) > 0:
		r.Outcome = Differs
	case r.Undecided == 0:
		r.Outcome = Equal
	}
	slices.SortStableFunc(r.Changes, func(a, b Change) int {
		return cmp.Or(cmp.Compare(lengthOf(a.Witness), lengthOf(b.Witness)), cmp.Compare(a.Witness, b.Witness))
	})
	r.Changes = slices.CompactFunc(r.Changes, func(a, b Change) bool { return a == b })
	return *r
}

// changedRules returns the rules that only one side has. In a dialect where the first matching rule decides, the order
// of the rules also matters. If the common rules then have another order, changedRules returns all rules.
func (c *comparison) changedRules() (targets []target) {
	all := !c.old.policy.Dialect().LongestDecides() && !slices.Equal(c.old.commonKeys(c.new), c.new.commonKeys(c.old))
	add := func(own, other *side) {
		for i, r := range own.rules {
			if _, common := other.indexes[r.key]; all || !common {
				targets = append(targets, target{own, other, i, noLine})
			}
		}
	}
	add(c.old, c.new)
	add(c.new, c.old)
	if c.old.otherwise != c.new.otherwise {
		targets = append(targets, target{c.old, c.new, len(c.old.rules), noLine})
	}
	// The hardest rules come last, so that the limit on the work affects only them.
	slices.SortStableFunc(targets, func(a, b target) int { return cmp.Compare(a.wildcards(), b.wildcards()) })
	return targets
}

func (s *side) commonKeys(other *side) (both []key) {
	for i, r := range s.rules {
		if _, common := other.indexes[r.key]; common && s.indexes[r.key] == i {
			both = append(both, r.key)
		}
	}
	return both
}

func (c *comparison) add(path string, f searchResult) {
	switch f {
	case outOfWork:
		c.result.Undecided++
	case foundPath:
		change := c.changeOf(c.search.paths.URLPath(path))
		if usual := filled(change.Witness); usual != change.Witness {
			if same := c.changeOf(usual); same.Old == change.Old && same.New == change.New {
				change = same
			}
		}
		if change.Old.Allowed == change.New.Allowed { // a bug; at least, the result must not contain such a change
			c.result.Undecided++
			return
		}
		c.result.Changes = append(c.result.Changes, change)
	}
}

func (c *comparison) changeOf(witness string) Change {
	c.budget.spend(checkWork + len(witness))
	return Change{Witness: witness, Old: Check(c.old.policy, witness), New: Check(c.new.policy, witness)}
}

// filled puts the segment "x" into each empty segment. For "/a//b" it returns "/a/x/b". The reason: few sites have
// paths with empty segments.
func filled(path string) string {
	path, query, hasQuery := strings.Cut(path, "?")
	for strings.Contains(path[1:], "//") {
		path = path[:1] + strings.ReplaceAll(path[1:], "//", "/x/")
	}
	if hasQuery {
		path += "?" + query
	}
	return path
}

// checkWork is the work of two decisions, in search steps.
const checkWork = 64

// Check returns the decision of a policy about a witness. The host before the witness is needed, because in the Google
// dialect Policy.Check would read the "a" of "//a/b" as a host.
func Check(p *robotstxt.Policy, witness string) robotstxt.Decision {
	return p.Check("http://www.example.com" + witness)
}
