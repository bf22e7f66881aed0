package asked

import (
	"cmp"
	"context"
	"iter"
	"strings"

	"github.com/heed-robots/heed/internal/lines"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/robotstxt"
)

// maxExamples is the maximum number of examples that a question may ask for, for each crawler and each kind of
// change.
const maxExamples = 100

// flipsOf reads a question of /v1/flips: for which URLs of a list does a new robots.txt change the verdict?
func flipsOf(asked *Question) (Work, error) {
	var q struct {
		comparison
		List     string `json:"list"` // each line has a URL or a path
		Examples int    `json:"examples"`
	}
	if err := asked.Decode(&q); err != nil {
		return nil, err
	}
	if q.Examples < 0 || q.Examples > maxExamples {
		return nil, Wrong(`"examples" is %d; expected at most %d`, q.Examples, maxExamples)
	}
	find, err := q.comparison.find(asked)
	if err != nil {
		return nil, err
	}
	urls := siteURLs{list: q.List, isOfSite: func(string) bool { return true }}
	if site := cmp.Or(q.New.URL, q.Old.URL); site != "" { // if a site is named, asked.OfSite is not nil
		if urls.isOfSite, err = asked.OfSite(site); err != nil {
			return nil, err
		}
	}
	return func(ctx context.Context) (any, error) {
		c, err := find(ctx)
		if err != nil {
			return nil, err
		}
		f, err := report.FlipsOf(&c, urls.ownURLs(ctx), q.Examples, nil)
		f.Rejected, f.Others = urls.rejected, urls.others
		return f, cmp.Or(err, context.Cause(ctx))
	}, nil
}

type siteURLs struct {
	list             string
	isOfSite         func(url string) bool
	rejected, others int64
}

// ownURLs yields the URLs that belong to the site. It counts all other lines.
func (l *siteURLs) ownURLs(ctx context.Context) iter.Seq[string] {
	nobody := robotstxt.ParseString("", nil).Agent() // a policy without rules: its decisions show which lines are no URL
	return func(yield func(string) bool) {
		for line := range strings.Lines(l.list) {
			url := lines.Text(lines.Trim(line))
			switch {
			case url == "":
			case len(url) > MaxURL, nobody.Check(url).Reason == robotstxt.InvalidTarget:
				l.rejected++
			case url[0] != '/' && !l.isOfSite(url):
				l.others++
			case ctx.Err() != nil || !yield(url):
				return
			}
		}
	}
}
