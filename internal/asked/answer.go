package asked

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/crawlernames"
	"github.com/heed-robots/heed/internal/lint"
	"github.com/heed-robots/heed/internal/policyfile"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/robotstxt"
)

type Question struct {
	Decode func(into any) error // decodes the JSON of the question
	// Decoding a large text is slow, so the robots.txt may be here and not in the JSON.
	Robots *string

	Dialect *robotstxt.Dialect // if the question names none; nil means RFC 9309
	// Find returns the robots.txt "old", "new" or "robots". If Find is nil, the question must contain it.
	Find func(s *Source, name string, d *robotstxt.Dialect) (Robots, error)
	// OfSite returns a function that reports whether a URL belongs to the site. It may be nil only if Find is nil.
	OfSite func(site string) (func(url string) bool, error)
	// Test tests the expectations of a policy. If it is nil, a policy with expectations is an error.
	Test policyfile.Tester
}

// A Robots is the robots.txt of a question. Its methods return answers, and stop when ctx ends.
type Robots interface {
	Explain(ctx context.Context, agents crawlernames.InDialect, url string, purposes *Purposes) (any, error)
	Grid(ctx context.Context, agents [][]string, q *Grid) (any, error)
	Lint(ctx context.Context) any
	Input() (report.Input, error) // for a comparison
}

// A Work computes the answer to a question. It never waits for the network or a file.
type Work func(context.Context) (any, error)

var methods = map[string]func(*Question) (Work, error){
	"/v1/grid":     grid,
	"/v1/explain":  explain,
	"/v1/lint":     lintRobots,
	"/v1/compare":  compare,
	"/v1/flips":    flipsOf,
	"/v1/write":    write,
	"/v1/policy":   policyOf,
	"/v1/crawlers": knownCrawlers,
}

// Answer answers a question as "heed serve" does. It returns an HTTP status and JSON.
func Answer(ctx context.Context, path string, q *Question) (status int, answer []byte) {
	work, err := Read(path, q)
	if err == nil {
		var value any
		if value, err = work(ctx); err == nil {
			return StatusOK, report.AppendJSON(nil, value)
		}
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

func Read(path string, q *Question) (Work, error) {
	read, ok := methods[path]
	if !ok {
		return nil, &Problem{Status: statusNotFound, Err: fmt.Errorf(`%s is not one of %s; if it is another question of the HTTP API, such as /v1/check, send it to "heed serve"`,
			path, strings.Join(slices.Sorted(maps.Keys(methods)), ", "))}
	}
	return read(q)
}

func (q *Question) read(into any, robots *Text) error {
	err := q.Decode(into)
	if q.Robots != nil {
		robots.Robots = q.Robots
	}
	return err
}

func (q *Question) defaultDialect() *robotstxt.Dialect { return cmp.Or(q.Dialect, robotstxt.RFC9309) }

func (q *Question) check(s *Source, name string) error {
	switch {
	case q.Find == nil && (s.URL != "" || !s.IsGiven()):
		return errNeedsServer
	case s.IsGiven() == (s.URL != "") && name == "robots":
		return Wrong(`expected one of "robots", "robots_b64" and "url"`)
	case s.IsGiven() == (s.URL != ""):
		return Wrong(`expected a robots.txt as %q: one of "robots", "robots_b64" and "url"`, name)
	}
	return nil
}

func (q *Question) find(s *Source, name string, d *robotstxt.Dialect) (Robots, error) {
	if err := q.check(s, name); err != nil {
		return nil, err
	}
	if q.Find != nil {
		return q.Find(s, name, d)
	}
	raw, err := s.Raw()
	return &Given{name, raw, raw, d}, err
}

var errNeedsServer = Wrong(`live sites need "heed serve"; expected a robots.txt as "robots" or "robots_b64"`)

func explain(asked *Question) (Work, error) {
	var q struct {
		CrawlerAndDialect
		Text
		Target
		Purposes
	}
	if err := asked.read(&q, &q.Text); err != nil {
		return nil, err
	}
	_, d, err := q.Check(asked.defaultDialect())
	if err == nil {
		err = q.CheckProfile()
	}
	if err != nil {
		return nil, err
	}
	url, err := q.Bytes()
	if err != nil {
		return nil, err
	}
	about := Source{Text: q.Text}
	if !q.IsGiven() {
		about.URL = url
	}
	robots, err := asked.find(&about, "robots", d)
	return func(ctx context.Context) (any, error) {
		return robots.Explain(ctx, crawlernames.Each(crawlers.Known(), q.Agent), url, &q.Purposes)
	}, err
}

func lintRobots(asked *Question) (Work, error) {
	var q Source
	if err := asked.read(&q, &q.Text); err != nil {
		return nil, err
	}
	robots, err := asked.find(&q, "robots", robotstxt.RFC9309)
	return func(ctx context.Context) (any, error) { return robots.Lint(ctx), nil }, err
}

type comparison struct {
	Old     Source       `json:"old"`
	New     Source       `json:"new"`
	Agent   report.Agent `json:"agent"`
	Dialect *string      `json:"dialect"`
}

func (q *comparison) find(asked *Question) (func(context.Context) (report.Comparison, error), error) {
	d, err := Dialect(q.Dialect, asked.defaultDialect())
	if err != nil {
		return nil, err
	}
	agents, err := Crawlers(q.Agent, nil, d)
	if err != nil {
		return nil, err
	}
	old, err := asked.find(&q.Old, "old", d)
	if err != nil {
		return nil, err
	}
	new, err := asked.find(&q.New, "new", d)
	return func(ctx context.Context) (c report.Comparison, err error) {
		before, err := old.Input()
		if err != nil {
			return c, err
		}
		after, err := new.Input()
		if err != nil {
			return c, err
		}
		return report.Compare(ctx, crawlers.Known(), before, after, agents)
	}, err
}

func compare(asked *Question) (Work, error) {
	var q comparison
	if err := asked.Decode(&q); err != nil {
		return nil, err
	}
	find, err := q.find(asked)
	return func(ctx context.Context) (any, error) { return find(ctx) }, err
}

// A Source is a robots.txt in a question: its text, or the URL of a site.
type Source struct {
	Text
	URL string `json:"url"`
}

// A Given is a robots.txt whose text is in the question.
type Given struct {
	Name    string // the member of the question with the text
	Raw     []byte // as in the question, because lint must see the encoding
	Text    []byte // as UTF-8
	Dialect *robotstxt.Dialect
}

func (g *Given) Explain(ctx context.Context, agents crawlernames.InDialect, url string, purposes *Purposes) (any, error) {
	return Explain(ctx, g.Text, g.Dialect, agents, url, purposes)
}

func Explain(ctx context.Context, text []byte, d *robotstxt.Dialect, agents crawlernames.InDialect, url string, purposes *Purposes) (report.Explanation, error) {
	e := report.Explain(ctx, text, d, agents, url)
	if err := ctx.Err(); err != nil {
		return report.Explanation{}, err
	}
	if err := Undecided(e.Main.Decision); err != nil {
		return report.Explanation{}, err
	}
	purposes.Add(&e)
	return e.Explanation(), nil
}

func (g *Given) Grid(ctx context.Context, agents [][]string, q *Grid) (any, error) {
	f := robotstxt.Parse(g.Text, g.Dialect)
	grid, err := report.GridOf(ctx, f, agents, q.URLs, q.Brief)
	grid.Size = len(g.Text)
	q.Complete(&grid, f, agents)
	return &grid, err
}

func (g *Given) Lint(ctx context.Context) any {
	return Findings{FindingsOf(g.Name, Lint(ctx, g.Raw))}
}

// Comments in the robots.txt can turn off rules of lint.
func Lint(ctx context.Context, raw []byte) []lint.Finding {
	comments := lint.Comments(raw)
	return slices.DeleteFunc(lint.CheckContext(ctx, raw), func(f lint.Finding) bool { return lint.Hidden(f, comments) })
}

// Findings is the answer about what is wrong with a robots.txt.
type Findings struct {
	Findings []report.Finding `json:"findings"`
}

// FindingsOf converts findings for JSON. name is the name of the robots.txt.
func FindingsOf(name string, found []lint.Finding) []report.Finding {
	all := []report.Finding{}
	for _, f := range found {
		all = append(all, report.FindingOf(name, f))
	}
	return all
}

func (g *Given) Input() (report.Input, error) {
	return report.InputOf(g.Name, robotstxt.Parse(g.Text, g.Dialect)), nil
}

// A Grid is a question about each of some URLs, for each of some crawlers.
type Grid struct {
	Agents  []report.Agent `json:"agents"`
	URLs    []string       `json:"urls"`
	List    string         `json:"list"`    // more URLs, as people write them: one in each line
	Dialect *string        `json:"dialect"` // nil means the default dialect
	Brief   bool           `json:"brief"`   // leave out the rules of the file
	Records bool           `json:"records"` // list the records of the file

	names []string // for each crawler: its name as it was given, or its first product token for a name such as "@search"
	wrong []error  // for each crawler: why its name cannot be used, or nil
}

// Complete adds the errors of wrong names of crawlers, and the records if the question wants them.
func (q *Grid) Complete(to *report.Grid, f *robotstxt.File, agents [][]string) {
	meant, readAs := make([]string, len(agents)), make([]string, len(agents))
	for i, tokens := range agents {
		if err := q.wrong[i]; err != nil {
			for _, row := range to.Rows {
				row.Cells[i] = report.Cell{Decision: report.Decision{Reason: robotstxt.InvalidAgent}, Error: err.Error()}
			}
		}
		if len(tokens) == 1 {
			meant[i] = report.Agent(tokens).Meant(nil)
			readAs[i] = q.readAs(i, f.Dialect())
		}
		if meant[i] != "" {
			to.Meant = meant
		}
		if readAs[i] != "" {
			to.ReadAs = readAs
		}
	}
	if q.Records {
		to.Records = report.RecordsOf(f, agents)
	}
}

func (q *Grid) readAs(crawler int, d *robotstxt.Dialect) string {
	name := q.names[crawler]
	read, ok := crawlernames.ReadAgent(d, name)
	if !ok || read == name || q.wrong[crawler] != nil {
		return ""
	}
	return read
}

// MaxCells limits the number of URLs of a question, times the number of its crawlers.
const MaxCells = 1000

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

// Check returns the crawlers and the dialect. A wrong name of a crawler is no error here, because people may still be
// typing it.
func (g *Grid) Check(byDefault *robotstxt.Dialect) (agents [][]string, d *robotstxt.Dialect, err error) {
	if d, err = Dialect(g.Dialect, byDefault); err != nil {
		return nil, nil, err
	}
	if err := checkCrawlers(g.Agents); err != nil {
		return nil, nil, err
	}
	for _, each := range g.Agents {
		some, err := crawlernames.Several(crawlers.Known(), each, d)
		if err = cmp.Or(err, crawlernames.CheckRead(d, each)); err != nil {
			some = []crawlernames.Crawler{{Tokens: each}}
		}
		for _, c := range some {
			name := c.Tokens[0]
			if len(each) == 1 && !strings.HasPrefix(each[0], "@") {
				name = each[0]
			}
			agents, g.names, g.wrong = append(agents, c.Tokens), append(g.names, name), append(g.wrong, err)
		}
	}
	return agents, d, cmp.Or(checkNumber(len(agents)), CheckURLs(g.URLs, len(agents)))
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
	for _, url := range urlsIn(q.List) {
		q.URLs = append(q.URLs, url)
	}
	agents, d, err := q.Check(asked.defaultDialect())
	if err != nil {
		return nil, err
	}
	robots, err := asked.find(&q.Source, "robots", d)
	return func(ctx context.Context) (any, error) {
		answer, err := robots.Grid(ctx, agents, &q.Grid)
		if err != nil {
			return nil, Wrong("%w", err)
		}
		return answer, nil
	}, err
}

func knownCrawlers(*Question) (Work, error) {
	return func(context.Context) (any, error) { return report.CrawlersOf(crawlers.Known()), nil }, nil
}
