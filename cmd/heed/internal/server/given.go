package server

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cmd/heed/internal/robotsfiles"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/asked"
	"github.com/heed-robots/heed/report"
	"github.com/heed-robots/heed/report/live"
	"github.com/heed-robots/heed/robotstxt"
)

// textOf returns the robots.txt in a question as UTF-8.
func textOf(t *asked.Text) ([]byte, error) {
	body, err := t.Raw()
	if err != nil {
		return nil, err
	}
	return decoded(body)
}

// decoded returns a robots.txt as UTF-8. One that can be no robots.txt, such as an image, is an
// error.
func decoded(body []byte) ([]byte, error) {
	text, _, err := robotsfiles.Decode(body, "")
	if err != nil {
		return nil, notRobots(err)
	}
	return text, nil
}

// notRobots is the error of a body that can be no robots.txt.
func notRobots(err error) error {
	return asked.Wrong("the robots.txt cannot be used: %s", strings.TrimPrefix(err.Error(), "robots.txt: : "))
}

// A source is a robots.txt for which a question asked.
type source struct {
	name       string // as "source" of a report.Answer; for text its name in the question
	text       []byte // of a robots.txt in the question, as UTF-8
	site       *cache.Site
	provenance live.Provenance
}

// sourceIn finds a robots.txt. name is what the question calls it, such as "old".
func (s *Server) sourceIn(ctx context.Context, g *asked.Source, name string, d *robotstxt.Dialect) (from source, err error) {
	if err := g.CheckOne(name); err != nil {
		return from, err
	}
	if g.URL != "" {
		return s.sourceOf(ctx, g.URL, d)
	}
	from.name = name
	if from.text, err = textOf(&g.Text); err != nil {
		return from, err
	}
	from.provenance = live.ProvenanceOfFile(from.text, d, s.Version)
	return from, nil
}

// sourceOf returns the robots.txt of a live site.
func (s *Server) sourceOf(ctx context.Context, url string, d *robotstxt.Dialect) (from source, err error) {
	o, err := originOf(url)
	if err != nil {
		return from, err
	}
	if from.site, _, err = s.siteWithin(ctx, d, o, 0); err != nil {
		return from, err
	}
	from.name, from.provenance = from.site.Origin().RobotsURL(), live.ProvenanceOf(from.site, d, s.Version)
	return from, nil
}

// unreachable returns why there is nothing to compare; nil: there is something.
func (f *source) unreachable(statuses fetch.Statuses) error {
	if f.site == nil {
		return nil
	}
	if r := f.site.Result(); r != nil && r.OutcomeBy(statuses) != fetch.Unreachable {
		return nil
	}
	a := generalAnswer(f.site)
	return &asked.Problem{
		Status: http.StatusUnprocessableEntity,
		Err:    errors.New(f.name + " is unreachable, so there is nothing to compare: " + live.RetrievalText(&a, "")),
	}
}

// input returns the robots.txt to compare. It must not be unreachable.
func (f *source) input(statuses fetch.Statuses, d *robotstxt.Dialect) report.Input {
	if f.site != nil {
		return live.InputOf(f.name, f.site.Result(), statuses, d)
	}
	return report.InputOf(f.name, robotstxt.Parse(f.text, d))
}

// generalAnswer returns the answer of a site for no crawler in particular: what its retrieval
// means. It has no crawl delay, since a crawler may have another one than "*".
func generalAnswer(site *cache.Site) cache.Answer {
	a, _ := site.Check([]string{"*"}, "/") // no error: the target is a path
	a.CrawlDelay = 0
	return a
}

// A stamp is what each answer has beside the answer itself.
type stamp[P any] struct {
	Provenance P      `json:"provenance"`
	Decision   string `json:"decision"` // the id of the request; the log has it too
}

// stamped returns the stamp of an answer, and sets the header that has the id too.
func stamped[P any](s *Server, w http.ResponseWriter, p P) stamp[P] {
	return stamp[P]{p, s.newDecision(w)}
}
