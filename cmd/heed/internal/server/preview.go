package server

import (
	"context"
	"net/http"

	"github.com/heed-robots/heed/cmd/heed/internal/gate"
	"github.com/heed-robots/heed/cmd/heed/internal/message"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/asked"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/internal/report/live"
	"github.com/heed-robots/heed/robotstxt"
)

// previewAnswer is the answer of POST /v1/preview.
type previewAnswer struct {
	Site       *live.Site         `json:"site"`                 // the retrieval of the robots.txt that the site has now
	Comparison *report.Comparison `json:"comparison,omitempty"` // "old" is the robots.txt that the site has now, "new" is the draft; absent if there is an error
	Error      string             `json:"error,omitempty"`      // why there is no comparison: the site is unreachable
	URLs       []checked          `json:"urls"`                 // the verdicts for each URL and each crawler
}

// A liveAndDraft has a value for the robots.txt that a site has now, and one for the draft.
type liveAndDraft[T any] struct {
	Live  T `json:"live"`
	Draft T `json:"draft"`
}

// checked has the decisions about a URL by the live robots.txt and by the draft.
type checked struct {
	URL    string       `json:"url"`
	URLB64 []byte       `json:"url_b64,omitempty"`
	Agent  report.Agent `json:"agent"`
	liveAndDraft[report.Decision]
}

func (s *Server) answerPreview(w http.ResponseWriter, r *http.Request) error {
	var q struct {
		asked.Source
		Agent   report.Agent   `json:"agent"`
		Agents  []report.Agent `json:"agents"`
		URLs    []string       `json:"urls"`
		Dialect *string        `json:"dialect"`
	}
	if err := message.ReadBody(r, &q); err != nil {
		return err
	}
	d, err := asked.Dialect(q.Dialect, s.dialect())
	if err != nil {
		return err
	}
	agents, err := asked.Crawlers(q.Agent, q.Agents, d)
	switch {
	case err != nil:
		return err
	case !q.IsGiven():
		return asked.Wrong(`the draft is missing: expected a robots.txt as "robots" or "robots_b64"`)
	case len(q.URLs) > 0 && len(agents) == 0:
		return asked.Wrong(`"agent" is missing: "urls" are checked for a crawler`)
	}
	if err := asked.CheckURLs(q.URLs, len(agents)); err != nil {
		return err
	}
	raw, err := q.Raw()
	if err != nil {
		return err
	}
	ctx, statuses := r.Context(), s.Caches.Statuses(d)
	from, err := s.newAnswering(ctx).sourceOf(q.URL, d)
	if err != nil {
		return err
	}
	// The limits for the response of a site also apply to the draft.
	sent := fetch.Saved(fetch.Result{Origin: from.site.Origin(), Body: raw}, 0)
	if sent.Err != nil {
		return notRobots(sent.Err)
	}
	if sent.OutcomeBy(statuses) == fetch.Unreachable {
		return asked.Wrong("the draft is %s: with --pages-unreachable, a site that sends this as its robots.txt is unreachable", sent.Page)
	}
	general := from.commonAnswer()
	answer := previewAnswer{Site: live.SiteOf(&general)}
	provenance := liveAndDraft[live.Provenance]{from.provenance(), live.ProvenanceOfFile(sent.Body, d, s.Version)}
	return s.AnswerInSlot(ctx, w, func(ctx context.Context) (any, error) {
		draft := live.InputOf("draft", &sent, statuses, d)
		if answer.URLs, err = checkAll(ctx, from, draft.File, agents, q.URLs); err != nil {
			return nil, err
		}
		if now, err := from.Input(); err != nil {
			answer.Error = err.Error()
		} else {
			c, err := report.Compare(ctx, nil, now, draft, agents)
			if err != nil {
				return nil, err
			}
			answer.Comparison = &c
		}
		return from.withID(w, answer, provenance), nil
	})
}

func checkAll(ctx context.Context, from *source, draft *robotstxt.File, agents [][]string, urls []string) ([]checked, error) {
	all := []checked{}
	for _, agent := range agents {
		policy := draft.Agent(agent...)
		for _, url := range urls {
			if ctx.Err() != nil {
				return nil, gate.ErrGone
			}
			j, err := decide(from, policy, agent, url)
			if err != nil {
				return nil, err
			}
			all = append(all, j)
		}
	}
	return all, nil
}

func decide(from *source, draft *robotstxt.Policy, agent []string, url string) (checked, error) {
	now, err := from.site.Check(agent, url)
	if err := whyUndecided(now.Decision, err); err != nil {
		return checked{}, asked.Wrong("%q: %w", url, err)
	}
	then := now.Decision // if the URL is of another origin, the draft changes nothing
	if now.Reason != robotstxt.OtherOrigin {
		then = draft.CheckRequest(url)
	}
	u := report.TextOf(url)
	return checked{u.Text, u.B64, report.AgentOf(agent), liveAndDraft[report.Decision]{report.DecisionOf(now.Decision), report.DecisionOf(then)}}, nil
}
