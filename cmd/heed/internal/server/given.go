package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cmd/heed/internal/robotsfiles"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/report"
	"github.com/heed-robots/heed/report/live"
	"github.com/heed-robots/heed/robotstxt"
)

// maxGiven limits a robots.txt in a question, in bytes. Crawlers read 500 KiB of one; lint says
// of a larger one that it is too large.
const maxGiven = 1 << 20

// A givenText is a robots.txt in a question.
type givenText struct {
	Robots *string `json:"robots"`     // as text
	B64    *[]byte `json:"robots_b64"` // the same in base64, for bytes that are not UTF-8
}

// isGiven reports whether there is one.
func (g *givenText) isGiven() bool { return g.Robots != nil || g.B64 != nil }

// raw returns the robots.txt as it was given.
func (g *givenText) raw() (body []byte, err error) {
	switch {
	case g.Robots != nil && g.B64 != nil:
		return nil, wrong(`expected one of "robots" and "robots_b64"`)
	case g.Robots != nil:
		body = []byte(*g.Robots)
	default:
		body = *g.B64
	}
	if len(body) > maxGiven {
		return nil, &problem{status: http.StatusRequestEntityTooLarge, err: fmt.Errorf("the robots.txt is larger than %d bytes", maxGiven)}
	}
	return body, nil
}

// text returns the robots.txt as UTF-8.
func (g *givenText) text() ([]byte, error) {
	body, err := g.raw()
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
	return wrong("the robots.txt cannot be used: %s", strings.TrimPrefix(err.Error(), "robots.txt: : "))
}

// A given is a robots.txt in a question, or the URL of a site that has one.
type given struct {
	givenText
	URL string `json:"url"`
}

// A source is a robots.txt for which a question asked.
type source struct {
	name       string // as "source" of a report.Answer; for text its name in the question
	text       []byte // of a robots.txt in the question, as UTF-8
	site       *cache.Site
	provenance live.Provenance
}

// source finds a robots.txt. name is what the question calls it, such as "old".
func (g *given) source(ctx context.Context, s *Server, name string, d *robotstxt.Dialect) (from source, err error) {
	if g.isGiven() == (g.URL != "") {
		return from, wrong(`expected a robots.txt as %q: one of "robots", "robots_b64" and "url"`, name)
	}
	if g.URL != "" {
		return s.sourceOf(ctx, g.URL, d)
	}
	from.name = name
	if from.text, err = g.text(); err != nil {
		return from, err
	}
	from.provenance = live.ProvenanceOfFile(from.text, d, s.Version)
	return from, nil
}

// sourceOf returns the robots.txt of a live site.
func (s *Server) sourceOf(ctx context.Context, url string, d *robotstxt.Dialect) (from source, err error) {
	if from.site, err = s.site(ctx, d, url); err != nil {
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
	return &problem{
		status: http.StatusUnprocessableEntity,
		err:    errors.New(f.name + " is unreachable, so there is nothing to compare: " + live.RetrievalText(&a, "")),
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
