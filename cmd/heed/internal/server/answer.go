package server

import (
	"context"
	"net/http"
	"slices"
	"sync"

	"github.com/heed-robots/heed/cmd/heed/internal/message"
	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/asked"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/internal/report/live"
	"github.com/heed-robots/heed/robotstxt"
)

// answer returns the handler of a method that package asked has too, for a robots.txt in the question. Here it
// may also be that of a live site.
func answer(path string) func(*Server, http.ResponseWriter, *http.Request) error {
	return func(s *Server, w http.ResponseWriter, r *http.Request) error {
		q := s.newAnswering(r.Context())
		work, err := asked.Read(path, &asked.Question{
			Decode:  func(into any) error { return message.ReadBody(r, into) },
			Dialect: s.dialect(),
			Find:    q.find,
		})
		if err != nil {
			return err
		}
		return s.AnswerInSlot(q.ctx, w, func(ctx context.Context) (any, error) {
			value, err := work(ctx)
			if err != nil {
				return nil, err
			}
			return q.stamped(w, value, q.provenance()), nil
		})
	}
}

// An answering is a question that is being answered.
type answering struct {
	*Server
	ctx  context.Context
	id   string            // of the answer
	from []live.Provenance // of each robots.txt that was found
}

func (s *Server) newAnswering(ctx context.Context) *answering {
	return &answering{Server: s, ctx: ctx, id: s.ids.next()}
}

// find is for asked.Question.Find.
func (q *answering) find(s *asked.Source, name string, d *robotstxt.Dialect) (asked.Robots, error) {
	if s.URL != "" {
		from, err := q.sourceOf(s.URL, d)
		if err != nil {
			return nil, err
		}
		q.from = append(q.from, from.provenance())
		return from, nil
	}
	raw, err := s.Raw()
	if err != nil {
		return nil, err
	}
	text, err := decoded(raw)
	if err != nil {
		return nil, err // no rule of lint finds anything in an image
	}
	q.from = append(q.from, live.ProvenanceOfFile(text, d, q.Version))
	return &asked.Given{Name: name, Raw: raw, Text: text, Dialect: d}, nil
}

// provenance returns the member "provenance" of the answer.
func (q *answering) provenance() any {
	if len(q.from) == 1 {
		return &q.from[0]
	}
	return struct { // of a comparison
		Old live.Provenance `json:"old"`
		New live.Provenance `json:"new"`
	}{q.from[0], q.from[1]}
}

// knownCrawlers is the answer of GET /v1/crawlers.
var knownCrawlers = sync.OnceValue(func() []byte {
	return slices.Clip(report.AppendJSON(nil, report.CrawlersOf(crawlers.Known()))) // WriteJSON appends to it
})

// crawlers answers GET /v1/crawlers: which crawlers are known?
func (s *Server) crawlers(w http.ResponseWriter, r *http.Request) error {
	if r.URL.RawQuery != "" {
		return asked.Wrong("expected no parameters")
	}
	message.WriteJSON(w, http.StatusOK, knownCrawlers())
	return nil
}
