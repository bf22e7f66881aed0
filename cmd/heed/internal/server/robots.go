package server

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"net/http"
	"strconv"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/asked"
	"github.com/heed-robots/heed/report"
	"github.com/heed-robots/heed/report/live"
	"github.com/heed-robots/heed/robotstxt"
)

// siteRobots is the answer of GET /v1/robots, without the lists "lines" and "history", which may
// be long.
type siteRobots struct {
	live.Sheet
	Retrieval *live.Retrieval `json:"retrieval"` // from which the answer comes; null: there was none
	stamp[live.Provenance]
}

// robots answers GET /v1/robots: what is known about the robots.txt of a site?
func (s *Server) robots(w http.ResponseWriter, r *http.Request) error {
	q, err := readQuery(r, "url", "agent", "dialect", "lines", "history")
	if err != nil {
		return err
	}
	d, err := asked.Dialect(q.get("dialect"), s.dialect())
	if err != nil {
		return err
	}
	agents, err := asked.Crawlers(q.all("agent"), nil, d)
	if err != nil {
		return err
	}
	withLines, err := readBool(q.get("lines"), "lines")
	if err != nil {
		return err
	}
	withHistory, err := readBool(q.get("history"), "history")
	if err != nil {
		return err
	}
	ctx := r.Context()
	from, err := s.sourceOf(ctx, q.get("url"), d)
	if err != nil {
		return err
	}
	h := s.hold(ctx)
	defer h.end()
	var history []cache.Version
	if withHistory {
		if err := h.take(historyRoom); err != nil {
			return err
		}
		if history, err = s.history(ctx, from.site); err != nil {
			return err
		}
		h.giveAllBack() // what it takes is known now
		for _, v := range history {
			if err := h.take(len(v.Body)); err != nil {
				return err
			}
		}
	}
	head, err := s.slots.json(ctx, func(ctx context.Context) (any, error) {
		general, result := generalAnswer(from.site), from.site.Result()
		sheet := report.SheetOf(crawlers.Known(), from.name, from.site.File(), agents)
		answer := siteRobots{Sheet: live.SheetOf(sheet, &general), stamp: stamped(s, w, from.provenance)}
		if result != nil {
			answer.Truncated = answer.Truncated || result.Truncated
			retrieval := live.RetrievalOf(result, s.Caches.Statuses)
			answer.Retrieval = &retrieval
		}
		return answer, nil
	})
	if err == nil {
		err = h.take(len(head) * perAnswerByte)
	}
	if err != nil {
		return err
	}
	long := longObject{w: w, buffer: bytes.TrimSuffix(head, []byte("}"))}
	if withLines {
		long.list("lines", linesOf(from.site.File()))
	}
	if withHistory {
		long.list("history", versionsOf(history))
	}
	long.end()
	return nil
}

// historyRoom is what is taken before a history is read: then its size is not yet known.
const historyRoom = 16 << 20

// readBool reads a parameter that is "true" or "false"; "" is false.
func readBool(text, name string) (bool, error) {
	switch text {
	case "true":
		return true, nil
	case "", "false":
		return false, nil
	}
	return false, asked.Wrong("%q is %q; expected true or false", name, text)
}

func linesOf(f *robotstxt.File) iter.Seq[any] {
	return func(yield func(any) bool) {
		for line := range f.Lines() {
			if !yield(report.LineOf(line, f.Dialect())) {
				return
			}
		}
	}
}

func versionsOf(history []cache.Version) iter.Seq[any] {
	return func(yield func(any) bool) {
		for _, v := range history {
			if !yield(live.VersionOf(v)) {
				return
			}
		}
	}
}

// A longObject is a JSON object that is sent while it is made, so it takes little memory however
// long its lists are.
type longObject struct {
	w      http.ResponseWriter
	buffer []byte // not yet sent
	failed bool   // the client has gone
}

// longPiece is how many bytes are sent at once.
const longPiece = 32 << 10

// list adds a member that is a list.
func (o *longObject) list(name string, elements iter.Seq[any]) {
	o.buffer = append(strconv.AppendQuote(append(o.buffer, ','), name), ":["...)
	comma := false
	for each := range elements {
		if comma {
			o.buffer = append(o.buffer, ',')
		}
		comma = true
		if o.buffer = report.AppendJSON(o.buffer, each); len(o.buffer) >= longPiece && !o.send() {
			return
		}
	}
	o.buffer = append(o.buffer, ']')
}

// end ends the object.
func (o *longObject) end() {
	o.buffer = append(o.buffer, "}\n"...)
	o.send()
}

// send sends what is in the buffer; false: the client has gone.
func (o *longObject) send() bool {
	if o.failed {
		return false
	}
	h := o.w.Header()
	h["Content-Type"], h["X-Content-Type-Options"] = jsonType, noSniff
	_, err := o.w.Write(o.buffer)
	o.buffer, o.failed = o.buffer[:0], err != nil
	return err == nil
}

// history returns the versions of a site's robots.txt that are in the store, the newest first.
func (s *Server) history(ctx context.Context, site *cache.Site) ([]cache.Version, error) {
	store := s.Caches.store()
	if store == nil {
		return nil, nil
	}
	versions, err := store.History(ctx, site.Origin())
	if err != nil && !errors.Is(err, cache.ErrWrongRecord) { // of a wrong one, show the others
		return nil, s.storeFailed(ctx, err)
	}
	return versions, nil
}
