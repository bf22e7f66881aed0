package asked

import (
	"context"
	"slices"

	"github.com/heed-robots/heed/internal/lint"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/robotstxt"
)

// A Given is the Robots in a question.
type Given struct {
	Name    string // in the question
	Raw     []byte // as it was given: lint looks at its encoding
	Text    []byte // as UTF-8
	Dialect *robotstxt.Dialect
}

// Explain explains the decision about a URL.
func (g *Given) Explain(ctx context.Context, agents []string, url string) (any, error) {
	return Explain(ctx, g.Text, g.Dialect, agents, url)
}

// Explain explains the decision of a robots.txt.
func Explain(ctx context.Context, text []byte, d *robotstxt.Dialect, agents []string, url string) (report.Explanation, error) {
	e := report.Explain(ctx, text, d, agents, url)
	if err := ctx.Err(); err != nil {
		return report.Explanation{}, err
	}
	if err := Undecided(e.Main.Decision); err != nil {
		return report.Explanation{}, err
	}
	return e.Explanation(), nil
}

// Grid decides about URLs for crawlers.
func (g *Given) Grid(ctx context.Context, agents [][]string, urls []string, brief bool) (any, error) {
	grid, err := report.GridOf(ctx, robotstxt.Parse(g.Text, g.Dialect), agents, urls, brief)
	grid.Size = len(g.Text)
	return &grid, err
}

// Lint finds what is wrong.
func (g *Given) Lint(ctx context.Context) any {
	return Findings{FindingsOf(g.Name, Lint(ctx, g.Raw))}
}

// Lint finds what is wrong with a robots.txt. Its comments can turn rules off.
func Lint(ctx context.Context, raw []byte) []lint.Finding {
	comments := lint.Comments(raw)
	return slices.DeleteFunc(lint.CheckContext(ctx, raw), func(f lint.Finding) bool { return lint.Hidden(f, comments) })
}

// Findings is the answer about what is wrong with a robots.txt.
type Findings struct {
	Findings []report.Finding `json:"findings"`
}

// FindingsOf returns what lint found in a robots.txt with a name.
func FindingsOf(name string, found []lint.Finding) []report.Finding {
	all := []report.Finding{}
	for _, f := range found {
		all = append(all, report.FindingOf(name, f))
	}
	return all
}

// Input returns the robots.txt to compare it.
func (g *Given) Input() (report.Input, error) {
	return report.InputOf(g.Name, robotstxt.Parse(g.Text, g.Dialect)), nil
}
