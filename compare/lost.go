package compare

import (
	"context"
	"slices"

	"github.com/heed-robots/heed/robotstxt"
)

// LostWithin returns Equal if the new policy provably allows every URL that all old policies allow. If not, it returns
// Differs and a path. All old policies allow this path, and the new policy disallows it. All policies have the same
// dialect. If the search needs more steps than limit, or the context ends, the result is Undecided. It also returns the
// work, in steps.
func LostWithin(ctx context.Context, limit int, old []*robotstxt.Policy, new *robotstxt.Policy) (o Outcome, path string, work int) {
	l := &lost{budget: budget{limit: limit, ctx: ctx}, search: newSearch(robotstxt.PathsOf(new, new))}
	l.sides = append(l.sides, newSide(new, &l.budget))
	for _, p := range old {
		l.sides = append(l.sides, newSide(p, &l.budget))
	}
	switch path, f := l.find(nil, nil); f {
	case foundPath:
		return Differs, l.search.paths.URLPath(path), l.budget.usedSteps
	case noPath:
		return Equal, "", l.budget.usedSteps
	}
	return Undecided, "", l.budget.usedSteps
}

type lost struct {
	sides  []*side // the first is that of the new policy
	search *search
	budget budget
}

// find returns a lost path that all required rules match and no avoided rule matches.
func (l *lost) find(required, avoided []*rule) (path string, f searchResult) {
	path, f = l.search.shortestPath(&l.budget, required, avoided, noLimit)
	if f != foundPath {
		return "", f
	}
	for i, s := range l.sides {
		if wanted, index := i > 0, s.deciding(path, &l.budget); s.verdict(index) != wanted {
			return l.findOther(s, index, required, avoided)
		}
	}
	return path, foundPath
}

// findOther does the same as find. It is called after find found a path for which a rule of s, the one with the given
// index, has the wrong verdict. So another rule of s must decide. There are two ways: the path does not match the rule
// with this index, or the path matches an earlier rule with the other verdict.
func (l *lost) findOther(s *side, index int, required, avoided []*rule) (path string, f searchResult) {
	if index < len(s.rules) {
		if path, f = l.find(required, slices.Concat(avoided, s.rules[index:index+1])); f != noPath {
			return path, f
		}
	}
	for _, r := range s.rules[:index] {
		if r.Allowed != s.verdict(index) {
			if path, f = l.find(append(slices.Clone(required), r), avoided); f != noPath {
				return path, f
			}
		}
	}
	return "", noPath
}

// deciding returns the index of the rule that decides about a path.
func (s *side) deciding(path string, b *budget) int {
	for i, r := range s.rules {
		if r.matches(path, b) {
			return i
		}
	}
	return len(s.rules)
}
