package server

import (
	"context"
	"net/http"
	"slices"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/asked"
	"github.com/heed-robots/heed/lint"
	"github.com/heed-robots/heed/report"
	"github.com/heed-robots/heed/report/live"
	"github.com/heed-robots/heed/robotstxt"
)

// linted is the answer of POST /v1/lint.
type linted struct {
	Findings []report.Finding `json:"findings"`       // by line, those about the whole file first
	Site     *live.Site       `json:"site,omitempty"` // the retrieval that they are about; absent for a robots.txt in the question
	stamp[live.Provenance]
}

// lint answers POST /v1/lint: what is wrong with a robots.txt, and with how a site sends it?
func (s *Server) lint(w http.ResponseWriter, r *http.Request) error {
	var q asked.Source
	if err := readBody(r, &q); err != nil {
		return err
	}
	if err := q.CheckOne(""); err != nil {
		return err
	}
	if q.URL != "" {
		return s.lintSite(r.Context(), w, q.URL)
	}
	return s.lintText(r.Context(), w, &q.Text)
}

// lintText finds what is wrong with a robots.txt in the question. Its comments can turn rules off;
// those of a site cannot, as in "heed lint".
func (s *Server) lintText(ctx context.Context, w http.ResponseWriter, given *asked.Text) error {
	raw, err := given.Raw() // as it is: rules look at its encoding
	if err != nil {
		return err
	}
	text, err := decoded(raw)
	if err != nil {
		return err // no rule finds anything in an image
	}
	return s.answerInSlot(ctx, w, func(ctx context.Context) (any, error) {
		return linted{asked.FindingsOf("robots", asked.Lint(ctx, raw)), nil, stamped(s, w, live.ProvenanceOfFile(text, robotstxt.RFC9309, s.Version))}, nil
	})
}

// lintSite finds what is wrong with the robots.txt of a site, and with how it sends the file.
func (s *Server) lintSite(ctx context.Context, w http.ResponseWriter, url string) error {
	from, err := s.sourceOf(ctx, url, robotstxt.RFC9309)
	if err != nil {
		return err
	}
	general, result := generalAnswer(from.site), from.site.Result()
	var body []byte
	if result != nil && (general.Outcome == fetch.Rules || result.Page != fetch.NoPage && general.Outcome != fetch.Unreachable) {
		body = result.Body
	}
	return s.answerInSlot(ctx, w, func(ctx context.Context) (any, error) {
		found := lint.CheckResponse(live.ResponseOf(result))
		if body != nil {
			found = append(found, lint.CheckContext(ctx, body)...)
			slices.SortStableFunc(found, lint.ByPlace)
		}
		return linted{asked.FindingsOf(from.name, found), live.SiteOf(&general), stamped(s, w, from.provenance)}, nil
	})
}
