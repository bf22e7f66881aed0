package report

import (
	"context"

	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/robotstxt"
)

// An Explained is a decision in every dialect. An Explanation is made of it.
type Explained struct {
	Table    *crawlers.Table   // has the facts about the crawler, see FactsOf; Explain leaves it nil
	Agents   []string          // the product tokens of the crawler, the most specific first
	Main     robotstxt.Trace   // in the dialect that decides
	All      []robotstxt.Trace // in every dialect
	Contrast Contrast          // says why two of them differ
	File     *robotstxt.File   // the robots.txt, in the dialect that decides
	Uses     []UsedRule        // the use of the rules that match and do not decide, in the dialect that decides
}

// Explain explains what a robots.txt, as UTF-8, decides about a URL. d is the dialect that decides.
// It ends early if ctx ends; then the result has no use.
func Explain(ctx context.Context, body []byte, d *robotstxt.Dialect, agents []string, url string) Explained {
	e := Explained{Agents: agents, Contrast: robotstxt.Contrast}
	for _, each := range robotstxt.Dialects() {
		if ctx.Err() != nil {
			return e
		}
		file := robotstxt.Parse(body, each)
		if each == d {
			e.File = file
		}
		e.Add(file.Agent(agents...).Explain(url), each == d)
	}
	e.AddUses()
	return e
}

// Add adds the decision in one dialect.
func (e *Explained) Add(t robotstxt.Trace, decides bool) {
	if decides {
		e.Main = t
	}
	e.All = append(e.All, t)
}

// AddUses finds out whether the rules that match and do not decide ever decide.
func (e *Explained) AddUses() {
	var lines []int
	for _, c := range e.Main.Candidates {
		if c.Beaten != robotstxt.NotBeaten {
			lines = append(lines, c.Rule.Line)
		}
	}
	if len(lines) > 0 {
		e.Uses = UsesOf(e.File.Agent(e.Agents...), lines...)
	}
}

// Explanation returns the explanation as data.
func (e *Explained) Explanation() Explanation {
	made := ExplanationOf(e.Table, e.Agents, e.Main, e.All, e.Contrast)
	made.AddUses(e.Uses)
	return made
}
