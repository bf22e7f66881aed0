package asked

import (
	"cmp"
	"context"
	"iter"

	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/robotstxt"
)

// maxExamples is the maximum number of examples of each kind of change, for each crawler.
const maxExamples = 100

func flipsOf(asked *Question) (Work, error) {
	var q struct {
		comparison
		List     string `json:"list"` // a URL or a path in each line
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
	urls := siteURLs{all: urlsIn(q.List), isOwn: func(string) bool { return true }}
	if site := cmp.Or(q.New.URL, q.Old.URL); site != "" { // then asked.OfSite is not nil
		if urls.isOwn, err = asked.OfSite(site); err != nil {
			return nil, err
		}
	}
	return func(ctx context.Context) (any, error) {
		c, err := find(ctx)
		if err != nil {
			return nil, err
		}
		f, err := report.FlipsOf(&c, urls.ownURLs(ctx), q.Examples, nil)
		f.Rejected, f.RejectedLines, f.Others = urls.rejected, urls.rejectedLines, urls.others
		return f, cmp.Or(err, context.Cause(ctx))
	}, nil
}

type siteURLs struct {
	all              iter.Seq2[int, string] // with the numbers of lines
	isOwn            func(url string) bool
	rejected, others int64
	rejectedLines    []int
}

const maxRejectedLines = 5

func (l *siteURLs) ownURLs(ctx context.Context) iter.Seq[string] {
	nobody := robotstxt.ParseString("", nil).Agent() // decides without rules, to find lines that are no URL
	return func(yield func(string) bool) {
		for line, url := range l.all {
			switch {
			case len(url) > MaxURL, nobody.Check(url).Reason == robotstxt.InvalidTarget:
				if l.rejected++; len(l.rejectedLines) < maxRejectedLines {
					l.rejectedLines = append(l.rejectedLines, line)
				}
			case url[0] != '/' && !l.isOwn(url):
				l.others++
			case ctx.Err() != nil || !yield(url):
				return
			}
		}
	}
}
