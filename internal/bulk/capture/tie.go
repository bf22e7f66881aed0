package capture

import (
	"cmp"
	"strings"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/origin"
)

// The result does not depend on the order of the answers, because archives may change the order of their captures.
func strictest(all []Answer, o origin.Origin, s fetch.Statuses) (Answer, error) {
	best := all[0]
	for _, f := range all[1:] {
		c, err := f.compare(&best, o, s)
		if err != nil {
			return best, err
		}
		if c > 0 {
			best = f
		}
	}
	return best, nil
}

// Of two equally strict answers, the one with the longer robots.txt is used.
func (f *Answer) compare(g *Answer, o origin.Origin, s fetch.Statuses) (int, error) {
	if c := cmp.Compare(f.strictness(o, s), g.strictness(o, s)); c != 0 {
		return c, nil
	}
	if f.In != g.In || f.Body != g.Body {
		text, err := f.In.Body(f.Body)
		if err != nil {
			return 0, err
		}
		other, err := g.In.Body(g.Body)
		if c := cmp.Or(cmp.Compare(len(text), len(other)), strings.Compare(text, other)); c != 0 || err != nil {
			return c, err
		}
	}
	return cmp.Or(cmp.Compare(number(g.SaysNotFound), number(f.SaysNotFound)), cmp.Compare(f.Status, g.Status), cmp.Compare(number(f.Failed), number(g.Failed)),
		strings.Compare(f.Location, g.Location), strings.Compare(f.Missed, g.Missed), cmp.Compare(f.Page, g.Page), cmp.Compare(number(g.Truncated), number(f.Truncated))), nil
}

func (f *Answer) strictness(o origin.Origin, s fetch.Statuses) int {
	outcome, isCaptured := f.Outcome(o, s)
	switch {
	case !isCaptured && IsRevisit(f.Missed):
		return 5
	case !isCaptured: // the target of a redirect is missing
		return 1
	case outcome == fetch.Unreachable, outcome == fetch.Restricted:
		return 4
	case outcome == fetch.Rules && f.Page == fetch.NoPage:
		return 3
	case outcome == fetch.Rules:
		return 2
	}
	return 0
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}
