package capture

import (
	"cmp"
	"strings"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// The result does not depend on the order of the captures, because archives may change this order.
func (a Archives) strictest(key string, captures []Answer) (best Answer, err error) {
	all, err := a.resolved(captures)
	if err != nil {
		return best, err
	}
	o, _ := origin.Parse(key)
	best = all[0]
	for _, f := range all[1:] {
		c, err := f.compare(&best, o)
		if err != nil {
			return best, err
		}
		if c > 0 {
			best = f
		}
	}
	return best, nil
}

// Of two equally strict captures, the one with the longer robots.txt is used.
func (f *Answer) compare(g *Answer, o origin.Origin) (int, error) {
	if c := cmp.Compare(f.strictness(o), g.strictness(o)); c != 0 {
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

// The status is read as in the draft of 1996, because there 401 and 403 disallow everything.
func (f *Answer) strictness(o origin.Origin) int {
	outcome, _ := f.Outcome(o, fetch.StatusesOf(robotstxt.Draft1996))
	switch {
	case f.Missed != "":
		return 6
	case f.Location != "":
		return 4
	case outcome == fetch.Unreachable:
		return 5
	case outcome == fetch.Rules && f.Page == fetch.NoPage:
		return 3
	case outcome == fetch.Rules:
		return 2
	case outcome == fetch.Restricted:
		return 1
	}
	return 0
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}
