package server

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/heed-robots/heed/cmd/heed/internal/message"
	"github.com/heed-robots/heed/internal/asked"
	"github.com/heed-robots/heed/internal/watch"
	"github.com/heed-robots/heed/origin"
)

// Watched keeps the last events of "heed serve --watch". Connected clients get new events immediately.
type Watched struct {
	// EventsOf returns the last events of a site, the newest first.
	EventsOf func(context.Context, origin.Origin) ([]*watch.Message, error)
	// EarlierAdded is closed when Remember has added the events of earlier runs. Streams wait until EarlierAdded is
	// closed. An earlier event that is added after the start of a stream would look like a new event.
	EarlierAdded chan struct{}

	mu         sync.Mutex
	lastEvents []*watch.Message // the oldest first
	newEvent   chan struct{}    // closed when there is a new event; nil: no request waits for one
}

const maxWatched = 1_000

// Tell adds an event and sends it to connected clients. It never returns an error.
func (w *Watched) Tell(_ context.Context, m *watch.Message) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.nextIndex(m.ID) > 0 {
		return nil // the event is in the list already
	}
	w.lastEvents = append(w.lastEvents, m)
	w.lastEvents = w.lastEvents[max(0, len(w.lastEvents)-maxWatched):]
	w.wake()
	return nil
}

func (w *Watched) wake() {
	if w.newEvent != nil {
		close(w.newEvent)
		w.newEvent = nil
	}
}

// Remember adds the events of earlier runs of the daemon, in any order.
func (w *Watched) Remember(events []*watch.Message) {
	if len(events) == 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, m := range events {
		if w.nextIndex(m.ID) == 0 {
			w.lastEvents = append(w.lastEvents, m)
		}
	}
	slices.SortStableFunc(w.lastEvents, func(a, b *watch.Message) int { return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.ID, b.ID)) })
	w.lastEvents = slices.Clone(w.lastEvents[max(0, len(w.lastEvents)-maxWatched):])
	w.wake()
}

// nextIndex returns the index in w.lastEvents after the event with this id, or 0 if the list has no such event.
func (w *Watched) nextIndex(id string) int {
	return 1 + slices.IndexFunc(w.lastEvents, func(m *watch.Message) bool { return m.ID == id })
}

// If the id is unknown, eventsAfter returns all events. When a later event comes, newEvent is closed.
func (w *Watched) eventsAfter(id string) (events []*watch.Message, newEvent <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.newEvent == nil {
		w.newEvent = make(chan struct{})
	}
	return slices.Clone(w.lastEvents[w.nextIndex(id):]), w.newEvent
}

func (w *Watched) newest() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.lastEvents) == 0 {
		return ""
	}
	return w.lastEvents[len(w.lastEvents)-1].ID
}

var errNotWatching = &asked.Problem{Status: http.StatusNotFound, Err: errors.New("this server watches no site: it was started without --watch")}

func (s *Server) answerWatch(w http.ResponseWriter, r *http.Request) error {
	if s.Watched == nil {
		return errNotWatching
	}
	wants, err := s.wantedEvents(r)
	if err != nil {
		return err
	}
	header := w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-store")
	header["X-Content-Type-Options"] = message.NoSniff
	if r.Method == http.MethodHead {
		return nil
	}
	if s.Watched.EarlierAdded != nil {
		select {
		case <-s.Watched.EarlierAdded:
		case <-r.Context().Done():
			return nil
		case <-s.servingCtx.Done():
			return nil
		}
	}
	last := r.Header.Get("Last-Event-ID")
	if last == "" {
		last = s.Watched.newest()
	}
	for {
		events, more := s.Watched.eventsAfter(last)
		if len(events) > 0 {
			last = events[len(events)-1].ID
		}
		if err := sendEvents(w, events, wants); err != nil {
			return errCutOff
		}
		select {
		case <-more:
		case <-time.After(watchAlive):
		case <-r.Context().Done():
			return nil
		case <-s.servingCtx.Done():
			return nil
		}
	}
}

// sendEvents writes each event alone. If the client reads slowly, all events together would take much memory.
func sendEvents(w http.ResponseWriter, events []*watch.Message, wants func(*watch.Head) bool) error {
	text := []byte(": nothing new\n\n") // this comment shows proxies and clients that the connection works
	for _, m := range events {
		if !wants(&m.Head) {
			continue
		}
		text = nil
		if _, err := w.Write(appendEvent(nil, m)); err != nil {
			return err
		}
	}
	if _, err := w.Write(text); err != nil {
		return err
	}
	return http.NewResponseController(w).Flush()
}

// watchAlive is the longest time in which the stream sends nothing. Many proxies close a connection after a minute.
const watchAlive = 20 * time.Second

// The JSON must have no line breaks, because a line break would end the data.
func appendEvent(dst []byte, m *watch.Message) []byte {
	dst = append(append(dst, "id: "...), m.ID...)
	dst = append(append(dst, "\ndata: "...), m.JSON...)
	return append(dst, "\n\n"...)
}

func (s *Server) wantedEvents(r *http.Request) (func(*watch.Head) bool, error) {
	q, err := message.ReadQuery(r, "url", "only", "severity")
	if err != nil {
		return nil, err
	}
	var only []string
	if words := q.Get("only"); words != "" {
		only = strings.Split(words, ",")
	}
	wants, err := watch.Wants(only, cmp.Or(q.Get("severity"), watch.Low.String()))
	if err != nil {
		return nil, asked.Wrong("%v", err)
	}
	url := q.Get("url")
	if url == "" {
		return wants, nil
	}
	o, err := originOf(url)
	if err != nil {
		return nil, err
	}
	return func(h *watch.Head) bool { return h.Site == o && wants(h) }, nil
}
