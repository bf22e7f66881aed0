package asked

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/lint"
	"github.com/heed-robots/heed/report"
	"github.com/heed-robots/heed/robotstxt"
)

// A Question is one that no site and no server is needed for. A robots.txt in it is UTF-8.
type Question struct {
	Decode func(into any) error // reads it into a struct
	Robots *string              // the member "robots", if it is not there: reading a large one from JSON takes longer than to answer
}

// read reads the question, and its robots.txt into a part of it.
func (q *Question) read(into any, robots *Text) error {
	err := q.Decode(into)
	if q.Robots != nil {
		robots.Robots = q.Robots
	}
	return err
}

// A method answers a Question.
type method func(context.Context, *Question) (any, error)

var methods = map[string]method{
	"/v1/grid":     grid,
	"/v1/explain":  explain,
	"/v1/lint":     lintText,
	"/v1/compare":  compare,
	"/v1/crawlers": knownCrawlers,
}

// Answer answers a question as "heed serve" does, except for its "provenance" and "decision":
// those name a server. It returns a status of HTTP, and JSON.
func Answer(ctx context.Context, path string, q *Question) (status int, answer []byte) {
	value, err := answerOf(ctx, path, q)
	if err == nil {
		return StatusOK, report.AppendJSON(nil, value)
	}
	status = statusFailed
	if p := (*Problem)(nil); errors.As(err, &p) {
		status = p.Status
	}
	return status, report.AppendJSON(nil, ErrorBody{err.Error()})
}

// An ErrorBody is the JSON of an error.
type ErrorBody struct {
	Error string `json:"error"`
}

func answerOf(ctx context.Context, path string, q *Question) (any, error) {
	answer, ok := methods[path]
	if !ok {
		return nil, &Problem{Status: statusNotFound, Err: fmt.Errorf("there is no %s without a server", path)}
	}
	return answer(ctx, q)
}

// errNeedsServer is the error of a question about a live site.
var errNeedsServer = Wrong(`live sites need "heed serve"; expected a robots.txt as "robots" or "robots_b64"`)

func explain(ctx context.Context, asked *Question) (any, error) {
	var q struct {
		CrawlerAndDialect
		Text
		Target
	}
	if err := asked.read(&q, &q.Text); err != nil {
		return nil, err
	}
	agents, d, err := q.Check(robotstxt.RFC9309)
	if err != nil {
		return nil, err
	}
	url, err := q.Bytes()
	if err != nil {
		return nil, err
	}
	text, err := q.text()
	if err != nil {
		return nil, err
	}
	return Explain(ctx, text, d, agents, url)
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

func lintText(ctx context.Context, asked *Question) (any, error) {
	var q Source
	if err := asked.read(&q, &q.Text); err != nil {
		return nil, err
	}
	raw, err := q.text()
	if err != nil {
		return nil, err
	}
	return Findings{FindingsOf("robots", Lint(ctx, raw))}, nil
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

func compare(ctx context.Context, asked *Question) (any, error) {
	var q struct {
		Old     Source       `json:"old"`
		New     Source       `json:"new"`
		Agent   report.Agent `json:"agent"`
		Dialect string       `json:"dialect"`
	}
	if err := asked.Decode(&q); err != nil {
		return nil, err
	}
	d, err := Dialect(q.Dialect, robotstxt.RFC9309)
	if err != nil {
		return nil, err
	}
	agents, err := Crawlers(q.Agent, nil, d)
	if err != nil {
		return nil, err
	}
	var inputs [2]report.Input
	for i, from := range []struct {
		name string
		*Source
	}{{"old", &q.Old}, {"new", &q.New}} {
		text, err := from.text()
		if err != nil {
			return nil, err
		}
		inputs[i] = report.InputOf(from.name, robotstxt.Parse(text, d))
	}
	return Compare(ctx, inputs[0], inputs[1], agents)
}

// Compare compares two files for some crawlers; none: for all.
func Compare(ctx context.Context, old, new report.Input, agents [][]string) (report.Comparison, error) {
	if len(agents) > 0 {
		return report.CompareFor(ctx, crawlers.Known(), old, new, agents)
	}
	return report.Compare(ctx, crawlers.Known(), old, new)
}

// A Source is the robots.txt of a question, or the URL of a site that has one. Here its URL can only be refused.
type Source struct {
	Text
	URL string `json:"url"`
}

// CheckOne returns an error unless there is a robots.txt, or a URL, and not both. where is "", or what the
// question calls it, such as "old".
func (s *Source) CheckOne(where string) error {
	switch {
	case s.IsGiven() != (s.URL != ""):
		return nil
	case where == "":
		return Wrong(`expected one of "robots", "robots_b64" and "url"`)
	}
	return Wrong(`expected a robots.txt as %q: one of "robots", "robots_b64" and "url"`, where)
}

func (s *Source) text() ([]byte, error) {
	if s.URL != "" {
		return nil, errNeedsServer
	}
	return s.Text.text()
}

// text returns the robots.txt. A page has only text, so nothing needs to be translated to UTF-8.
func (t *Text) text() ([]byte, error) {
	if !t.IsGiven() {
		return nil, errNeedsServer
	}
	return t.Raw()
}
