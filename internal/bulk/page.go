package bulk

import (
	"time"

	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/usage"
)

// A Page is a captured response to a URL. CheckPage decides whether it may be fetched and used.
type Page struct {
	URL      string
	At       time.Time
	Response *usage.Response // what the response says about the use of its content; nil if it says nothing
}

// CheckPage returns a Verdict for each Column. The verdicts are valid until the next call. Decider.Use must not be nil.
func (c *Checker) CheckPage(p *Page) ([]Verdict, error) {
	o, err := origin.Parse(p.URL)
	if err != nil {
		return nil, err
	}
	j := c.decider
	verdicts := c.verdicts[:len(j.columns)]
	for i := range j.columns {
		asOf := j.columns[i].AsOf
		if j.AtCapture {
			asOf = p.At
		}
		r := j.rulesFor(o, i, asOf)
		policy, uses := r.policy, r.usage
		if policy == nil {
			policy = &noPolicy
		}
		if uses == nil && p.Response != nil {
			uses = usage.New(nil, usage.Options{Profile: j.Use.profile}, j.columns[i].Agents...)
		}
		verdicts[i] = r.verdict(policy.Check(p.URL), p.URL)
		j.Use.decideUse(&verdicts[i], uses, p.URL, p.Response)
	}
	return verdicts, nil
}
