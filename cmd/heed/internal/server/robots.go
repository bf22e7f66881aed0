package server

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"iter"
	"net/http"
	"slices"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cmd/heed/internal/gate"
	"github.com/heed-robots/heed/cmd/heed/internal/message"
	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/asked"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/internal/report/live"
	"github.com/heed-robots/heed/internal/watch"
	"github.com/heed-robots/heed/robotstxt"
)

// siteRobots is the answer of GET /v1/robots, without the long lists "lines" and "history".
type siteRobots struct {
	live.Sheet
	Retrieval *live.Retrieval `json:"retrieval"` // the retrieval that the answer comes from; null: there was none
}

func (s *Server) answerRobots(w http.ResponseWriter, r *http.Request) error {
	q, err := s.readRobotsQuery(r)
	if err != nil {
		return err
	}
	ctx := r.Context()
	from, err := s.newAnswering(ctx).sourceOf(q.url, q.dialect)
	if err != nil {
		return err
	}
	h := s.NewHeldBytes(ctx)
	defer h.End()
	var history []cache.Version
	var events []*watch.Message
	if q.withHistory && s.Watched != nil {
		if events, err = s.Watched.EventsOf(ctx, from.site.Origin()); err != nil {
			return s.storeFailed(ctx, err)
		}
	}
	if q.withHistory {
		if history, err = s.history(ctx, h, from.site); err != nil {
			return err
		}
	}
	head, err := s.Slots.Json(ctx, func(ctx context.Context) (any, error) {
		return from.withID(w, s.robotsOf(from, q.agents), from.provenance()), nil
	})
	if err == nil {
		err = h.Take(len(head) * gate.PerAnswerByte)
	}
	if err != nil {
		return err
	}
	header := w.Header()
	header["Content-Type"], header["X-Content-Type-Options"] = message.JsonType, message.NoSniff
	long := bufio.NewWriterSize(w, longPiece)
	long.Write(bytes.TrimSuffix(head, []byte("}")))
	if f := from.site.File(); q.withLines {
		writeList(long, "lines", f.Lines(), func(l robotstxt.Line) any { return report.LineOf(l, f.Dialect()) })
	}
	if q.withHistory {
		writeList(long, "history", slices.Values(history), func(v cache.Version) any { return live.VersionOf(v) })
		writeList(long, "events", slices.Values(events), func(m *watch.Message) any { return m.JSON })
	}
	long.WriteString("}\n")
	long.Flush() // an error means that the client has closed the connection
	return nil
}

type robotsQuery struct {
	url                    string
	dialect                *robotstxt.Dialect
	agents                 [][]string
	withLines, withHistory bool
}

func (s *Server) readRobotsQuery(r *http.Request) (q robotsQuery, err error) {
	values, err := message.ReadQuery(r, "url", "agent", "dialect", "lines", "history")
	if err != nil {
		return q, err
	}
	q.url = values.Get("url")
	if q.dialect, err = asked.Dialect(message.DialectOf(values), s.dialect()); err != nil {
		return q, err
	}
	if q.agents, err = asked.Crawlers(values["agent"], nil, q.dialect); err != nil {
		return q, err
	}
	if q.withLines, err = readBool(values.Get("lines"), "lines"); err != nil {
		return q, err
	}
	q.withHistory, err = readBool(values.Get("history"), "history")
	return q, err
}

func (s *Server) robotsOf(from *source, agents [][]string) siteRobots {
	general, result := from.commonAnswer(), from.site.Result()
	sheet := report.SheetOf(crawlers.Known(), from.name(), from.site.File(), agents)
	answer := siteRobots{Sheet: live.SheetOf(sheet, &general)}
	if result != nil {
		answer.Truncated = answer.Truncated || result.Truncated
		retrieval := live.RetrievalOf(result, s.Caches.Statuses)
		answer.Retrieval = &retrieval
	}
	return answer
}

const longPiece = 32 << 10

// The size of a history is unknown before it is read. Until then, it takes historyRoom bytes from the memory limit.
const historyRoom = 16 << 20

func readBool(text, name string) (bool, error) {
	switch text {
	case "true":
		return true, nil
	case "", "false":
		return false, nil
	}
	return false, asked.Wrong("%q is %q; expected true or false", name, text)
}

// writeList writes the elements one by one, so that a long list takes little memory.
func writeList[E any](w *bufio.Writer, name string, list iter.Seq[E], value func(E) any) {
	w.WriteString(`,"` + name + `":[`)
	comma := ""
	for each := range list {
		w.WriteString(comma)
		if _, err := w.Write(report.AppendJSON(w.AvailableBuffer(), value(each))); err != nil {
			return
		}
		comma = ","
	}
	w.WriteByte(']')
}

// history returns the versions of a robots.txt, the newest first. It counts their memory in h.
func (s *Server) history(ctx context.Context, h *gate.HeldBytes, site *cache.Site) (versions []cache.Version, err error) {
	if err := h.Take(historyRoom); err != nil {
		return nil, err
	}
	if store := s.Caches.store(); store != nil {
		versions, err = store.History(ctx, site.Origin())
	}
	if err != nil && !errors.Is(err, cache.ErrWrongRecord) { // if one version is wrong, the others can still be shown
		return nil, s.storeFailed(ctx, err)
	}
	h.GiveBack(historyRoom) // historyRoom was an estimate; the real size is known now
	for _, v := range versions {
		if err := h.Take(len(v.Body)); err != nil {
			return nil, err
		}
	}
	return versions, nil
}
