package asked

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/heed-robots/heed/internal/address"
	"github.com/heed-robots/heed/internal/flips"
	"github.com/heed-robots/heed/internal/lines"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/origin"
)

// maxExamples is how many URLs of each kind an answer has for each crawler.
const maxExamples = 100

// flipsOf says of which URLs of a list a change flips the verdict. The crawlers are those of a comparison.
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
	sieve := flips.Sieve{}
	if site := cmp.Or(q.New.URL, q.Old.URL); site != "" {
		if sieve.Of, err = origin.Parse(site); err != nil {
			return nil, Wrong("%w", err)
		}
	}
	return func(ctx context.Context) (any, error) {
		c, err := find(ctx)
		if err != nil {
			return nil, err
		}
		f, err := report.FlipsOf(&c, listed(ctx, q.List, &sieve), q.Examples, nil)
		f.Rejected, f.Others = sieve.Rejected, sieve.Others
		return f, cmp.Or(err, context.Cause(ctx))
	}, nil
}

// listed yields the URLs of a list that are compared.
func listed(ctx context.Context, list string, sieve *flips.Sieve) iter.Seq[string] {
	return func(yield func(string) bool) {
		for line := range strings.Lines(list) {
			url := address.WithScheme(lines.Text(lines.Trim(line)))
			switch {
			case url == "":
			case len(url) > MaxURL:
				sieve.Reject(fmt.Errorf("longer than %d octets", MaxURL))
			case sieve.Keeps(url) && (ctx.Err() != nil || !yield(url)):
				return
			}
		}
	}
}
