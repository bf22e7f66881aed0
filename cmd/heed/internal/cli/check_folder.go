package cli

import (
	"fmt"
	"time"

	"github.com/heed-robots/heed/cmd/heed/internal/robotsfiles"
	"github.com/heed-robots/heed/internal/saved"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

// checkByHost checks a URL with the rules of the file of its host.
func (o *check) checkByHost(a *answers, url string) {
	target, err := origin.Parse(url)
	if err != nil {
		o.refuse(a, url, needsURL(url))
		return
	}
	f := o.files.Get(robotsfiles.Key{Kind: robotsfiles.OfHost, Text: saved.Host(target), Dialect: o.dialect}, time.Now())
	if f.Err != nil {
		o.failAs(a, robotsfiles.StatusOf(f.Err), url, robotstxt.Decision{}, fmt.Errorf("%s: %w", url, f.Err))
		return
	}
	for i := range o.subjects {
		c, err := o.files.Crawler(f, o.subjects[i].key)
		if err != nil {
			o.refuse(a, url, err)
			return
		}
		o.answer(a, verdict{crawler: i, url: url, Decision: c.Policy.Check(url), question: c.Question})
	}
	a.urls++
}
