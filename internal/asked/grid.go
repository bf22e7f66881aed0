package asked

import (
	"context"

	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/crawlernames"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/robotstxt"
)

// A Grid is the members of a question about some URLs for some crawlers.
type Grid struct {
	Agents  []report.Agent `json:"agents"`
	URLs    []string       `json:"urls"`
	Dialect *string        `json:"dialect"` // nil: the usual one
	Brief   bool           `json:"brief"`   // without the rules of the file
}

// MaxCells limits the URLs of a question, each counted once for each crawler.
const MaxCells = 1000

// CheckURLs returns an error if a question has too many URLs, or one that is too long.
func CheckURLs(urls []string, crawlers int) error {
	if len(urls)*max(1, crawlers) > MaxCells {
		return Wrong("%d URLs for %d crawlers are too many; expected at most %d in all", len(urls), crawlers, MaxCells)
	}
	for _, url := range urls {
		if err := CheckURL(url); err != nil {
			return err
		}
	}
	return nil
}

// Check returns the crawlers and the dialect, which is usual if the question names none. A crawler
// without a product token is no error of the question, only of its cells: people type them.
func (g *Grid) Check(usual *robotstxt.Dialect) (agents [][]string, d *robotstxt.Dialect, err error) {
	if d, err = Dialect(g.Dialect, usual); err != nil {
		return nil, nil, err
	}
	if err := checkCrawlers(g.Agents); err != nil {
		return nil, nil, err
	}
	if err := CheckURLs(g.URLs, len(g.Agents)); err != nil {
		return nil, nil, err
	}
	for _, each := range g.Agents {
		tokens, err := crawlernames.Tokens(crawlers.Known(), each)
		if err != nil {
			tokens = each
		}
		agents = append(agents, tokens)
	}
	return agents, d, nil
}

func grid(asked *Question) (Work, error) {
	var q struct {
		Source
		Grid
	}
	if err := asked.read(&q, &q.Text); err != nil {
		return nil, err
	}
	if err := asked.check(&q.Source, "robots"); err != nil {
		return nil, err
	}
	agents, d, err := q.Check(asked.usual())
	if err != nil {
		return nil, err
	}
	robots, err := asked.find(&q.Source, "robots", d)
	return func(ctx context.Context) (any, error) {
		answer, err := robots.Grid(ctx, agents, q.URLs, q.Brief)
		if err != nil {
			return nil, Wrong("%w", err)
		}
		return answer, nil
	}, err
}

func knownCrawlers(*Question) (Work, error) {
	return func(context.Context) (any, error) { return report.CrawlersOf(crawlers.Known()), nil }, nil
}
