package server

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cmd/heed/internal/message"
	"github.com/heed-robots/heed/cmd/heed/internal/robotsfiles"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/asked"
	"github.com/heed-robots/heed/internal/crawlernames"
	"github.com/heed-robots/heed/internal/expected"
	"github.com/heed-robots/heed/internal/flips/sieve"
	"github.com/heed-robots/heed/internal/lint"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/internal/report/live"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
)

var testExpectations = expected.With(nil)

func handlerOfMethod(path string) func(*Server, http.ResponseWriter, *http.Request) error {
	return func(s *Server, w http.ResponseWriter, r *http.Request) error {
		q := s.newAnswering(r.Context())
		work, err := asked.Read(path, &asked.Question{
			Decode:  func(into any) error { return message.ReadBody(r, into) },
			Dialect: s.dialect(),
			Find:    q.find,
			OfSite:  siteFilter,
			Test:    testExpectations,
		})
		if err != nil {
			return err
		}
		return s.AnswerInSlot(q.ctx, w, func(ctx context.Context) (any, error) {
			value, err := work(ctx)
			if err != nil {
				return nil, err
			}
			return q.withID(w, value, q.provenance()), nil
		})
	}
}

func siteFilter(site string) (func(url string) bool, error) {
	of, err := origin.Parse(site)
	s := sieve.Sieve{Site: of}
	return s.Keeps, err
}

type request struct {
	*Server
	ctx         context.Context
	id          string
	provenances []live.Provenance
}

func (s *Server) newAnswering(ctx context.Context) *request {
	return &request{Server: s, ctx: ctx, id: s.ids.next()}
}

func (q *request) find(s *asked.Source, name string, d *robotstxt.Dialect) (asked.Robots, error) {
	if s.URL != "" {
		from, err := q.sourceOf(s.URL, d)
		if err != nil {
			return nil, err
		}
		q.provenances = append(q.provenances, from.provenance())
		return from, nil
	}
	raw, err := s.Raw()
	if err != nil {
		return nil, err
	}
	text, _, err := robotsfiles.Decode(raw, "")
	if err != nil {
		return nil, notRobots(err)
	}
	q.provenances = append(q.provenances, live.ProvenanceOfFile(text, d, q.Version))
	return &asked.Given{Name: name, Raw: raw, Text: text, Dialect: d}, nil
}

func (q *request) provenance() any {
	switch len(q.provenances) {
	case 0:
		return nil
	case 1:
		return &q.provenances[0]
	}
	return struct { // a comparison has two robots.txt files
		Old live.Provenance `json:"old"`
		New live.Provenance `json:"new"`
	}{q.provenances[0], q.provenances[1]}
}

type answerWithID struct {
	value      any // a JSON object with at least one member
	provenance any
	decision   string
}

func (q *request) withID(w http.ResponseWriter, value, provenance any) *answerWithID {
	w.Header()["Heed-Decision"] = []string{q.id}
	return &answerWithID{value, provenance, q.id}
}

func (s *answerWithID) AppendJSON(dst []byte) []byte {
	dst = report.AppendJSON(dst, s.value)
	dst = dst[:len(dst)-len("}")]
	if s.provenance != nil {
		dst = report.AppendJSON(append(dst, `,"provenance":`...), s.provenance)
	}
	return appendDecision(dst, s.decision)
}

func notRobots(err error) error {
	return asked.Wrong("the robots.txt cannot be used: %s", strings.TrimPrefix(err.Error(), "robots.txt: : "))
}

// A source is the robots.txt of a live site. It implements asked.Robots.
type source struct {
	*request
	site    *cache.Site
	dialect *robotstxt.Dialect
}

func (f *source) provenance() live.Provenance {
	return live.ProvenanceOf(f.site, f.dialect, f.Version)
}

func (q *request) sourceOf(url string, d *robotstxt.Dialect) (*source, error) {
	o, err := originOf(url)
	if err != nil {
		return nil, err
	}
	site, _, err := q.siteWithin(q.ctx, d, o, 0)
	if err != nil {
		return nil, err
	}
	return &source{q, site, d}, nil
}

func (f *source) name() string { return f.site.Origin().RobotsURL() }

func (f *source) statuses() fetch.Statuses { return f.Caches.Statuses(f.dialect) }

func (f *source) checkReachable() error {
	if r := f.site.Result(); r != nil && r.OutcomeBy(f.statuses()) != fetch.Unreachable {
		return nil
	}
	a := f.commonAnswer()
	return &asked.Problem{
		Status: http.StatusUnprocessableEntity,
		Err:    errors.New(f.name() + " is unreachable, so there is no robots.txt to read: " + live.RetrievalText(&a)),
	}
}

func (f *source) Input() (report.Input, error) {
	if err := f.checkReachable(); err != nil {
		return report.Input{}, err
	}
	return live.InputOf(f.name(), f.site.Result(), f.statuses(), f.dialect), nil
}

// commonAnswer returns the part of the answer that is the same for all crawlers.
func (f *source) commonAnswer() cache.Answer {
	a, _ := f.site.Check([]string{"*"}, "/") // Check returns no error if the target is a path
	a.CrawlDelay = 0
	return a
}

func (f *source) Explain(ctx context.Context, agents crawlernames.InDialect, url string, purposes *asked.Purposes) (any, error) {
	e, answer, err := live.Explain(ctx, f.site, f.dialect, f.Caches.Statuses, agents, url)
	if err := whyUndecided(e.Main.Decision, err); err != nil {
		return nil, err
	}
	f.Metrics.answeredLive(&answer, false)
	f.logDecision(f.id, e.Agents, url, &answer)
	purposes.Add(&e)
	return live.ExplanationOf(e.Explanation(), &answer), nil
}

// lintAnswer is the answer of POST /v1/lint.
type lintAnswer struct {
	Findings []report.Finding `json:"findings"`       // sorted by line number; findings about the whole file come first
	Site     *live.Site       `json:"site,omitempty"` // the retrieval of the robots.txt; absent for a robots.txt in the question
}

// Lint finds what is wrong with the robots.txt and its HTTP response. Comments in the robots.txt cannot turn findings
// off.
func (f *source) Lint(ctx context.Context) any {
	general, result := f.commonAnswer(), f.site.Result()
	found := lint.CheckResponse(live.ResponseOf(result))
	if result != nil && result.Body != nil && (general.Outcome == fetch.Rules || result.Page != fetch.NoPage && general.Outcome != fetch.Unreachable) {
		found = append(found, lint.CheckContext(ctx, result.Body)...)
		slices.SortStableFunc(found, lint.ByPlace)
	}
	return lintAnswer{asked.FindingsOf(f.name(), found), live.SiteOf(&general)}
}

// gridAnswer is the answer of POST /v1/grid.
type gridAnswer struct {
	report.Grid
	Site *live.Site `json:"site,omitempty"` // the retrieval of the robots.txt; absent for a robots.txt in the question
}

// AppendJSON appends the same JSON as encoding/json, but much faster.
func (g *gridAnswer) AppendJSON(dst []byte) []byte {
	dst = g.Grid.AppendFields(append(dst, '{'))
	return append(report.AppendJSON(append(dst, `,"site":`...), g.Site), '}')
}

func (f *source) Grid(ctx context.Context, agents [][]string, q *asked.Grid) (any, error) {
	grid, err := report.GridBy(ctx, f.site.File(), agents, q.URLs, q.Brief, func(crawler int, url string) (robotstxt.Decision, error) {
		a, err := f.site.Check(agents[crawler], url)
		return a.Decision, err
	})
	general := f.commonAnswer()
	if r := f.site.Result(); r != nil && general.Outcome == fetch.Rules {
		grid.Size = len(r.Body)
	}
	q.Complete(&grid, f.site.File(), agents)
	return &gridAnswer{grid, live.SiteOf(&general)}, err
}
