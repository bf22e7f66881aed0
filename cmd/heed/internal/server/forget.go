package server

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/cmd/heed/internal/gate"
	"github.com/heed-robots/heed/cmd/heed/internal/message"
	"github.com/heed-robots/heed/internal/asked"
	"github.com/heed-robots/heed/internal/authority"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/origin"
)

// forgetAnswer is the answer of DELETE /v1/robots.
type forgetAnswer struct {
	Deleted int  `json:"deleted"` // the number of origins that were cached, and are now deleted
	More    bool `json:"more"`    // more origins have the prefix: the client can send the request again
}

const maxForgotten = 1000

func (s *Server) answerForget(w http.ResponseWriter, r *http.Request) error {
	q, err := message.ReadQuery(r, "url", "prefix")
	if err != nil {
		return err
	}
	if q.Has("url") == q.Has("prefix") {
		return asked.Wrong(`expected one of "url" and "prefix"`)
	}
	ctx := r.Context()
	var answer forgetAnswer
	if q.Has("url") {
		answer, err = s.forgetURL(ctx, q.Get("url"))
	} else {
		answer, err = s.forgetPrefix(ctx, q.Get("prefix"))
	}
	if err != nil {
		return err
	}
	message.WriteJSON(w, http.StatusOK, report.AppendJSON(nil, answer))
	return nil
}

func (s *Server) forgetURL(ctx context.Context, url string) (answer forgetAnswer, err error) {
	o, err := origin.Parse(url)
	if err != nil {
		return answer, asked.Wrong("%w", err)
	}
	known, err := s.isCached(ctx, o)
	if err != nil {
		return answer, err
	}
	if err := s.forgetOrigin(ctx, o); err != nil {
		return answer, err
	}
	if known {
		answer.Deleted = 1
	}
	return answer, nil
}

// forgetPrefix runs only once at a time, because listing origins is slow.
func (s *Server) forgetPrefix(ctx context.Context, text string) (answer forgetAnswer, err error) {
	selects, err := readPrefix(text)
	if err != nil {
		return answer, err
	}
	if !s.listingLock.TryLock() {
		return answer, gate.ErrBusy
	}
	defer s.listingLock.Unlock()
	found, err := s.selected(ctx, selects, maxForgotten+1)
	if err != nil {
		return answer, err
	}
	if answer.More = len(found) > maxForgotten; answer.More {
		found = found[:maxForgotten]
	}
	for _, o := range found {
		if err := s.forgetOrigin(ctx, o); err != nil {
			return answer, err
		}
		answer.Deleted++
	}
	return answer, nil
}

// readPrefix reads the prefix of origins. The prefix "https://shop.example" selects all ports of the host. The prefix
// "https://shop.example:8443" selects one port. The host must be complete. For example, "https://shop" does not
// select "https://shop.example".
func readPrefix(text string) (selects func(origin.Origin) bool, err error) {
	o, err := origin.Parse(text)
	_, site, _ := strings.Cut(text, "://")
	site = strings.TrimSuffix(site, "/")
	if err != nil || site == "" || strings.ContainsAny(site, `/\?#@`) {
		return nil, asked.Wrong(`"prefix" is %q; expected a scheme and a whole host, such as https://shop.example for all its ports, or https://shop.example:8443 for one`, text)
	}
	if host, _ := authority.Split(site); host != site {
		return func(other origin.Origin) bool { return other == o }, nil
	}
	return func(other origin.Origin) bool { return other.Scheme() == o.Scheme() && other.Host() == o.Host() }, nil
}

func (s *Server) selected(ctx context.Context, selects func(origin.Origin) bool, limit int) (found []origin.Origin, err error) {
	seen := map[origin.Origin]bool{}
	for o, err := range s.Caches.origins(ctx) {
		switch {
		case ctx.Err() != nil:
			return nil, gate.ErrGone
		case errors.Is(err, cache.ErrWrongRecord): // continue, because the other origins can still be deleted
		case err != nil:
			return nil, s.storeFailed(ctx, err)
		case selects(o) && !seen[o]:
			seen[o] = true
			if found = append(found, o); len(found) == limit {
				return found, nil
			}
		}
	}
	return found, nil
}

func (s *Server) isCached(ctx context.Context, o origin.Origin) (bool, error) {
	for _, one := range s.Caches.all() {
		site, err := one.PeekSite(ctx, o)
		if err != nil {
			return false, s.storeFailed(ctx, err)
		}
		if site.Result() != nil {
			return true, nil
		}
	}
	return false, nil
}

func (s *Server) forgetOrigin(ctx context.Context, o origin.Origin) error {
	for _, one := range s.Caches.all() {
		if err := one.Forget(ctx, o); err != nil {
			return s.storeFailed(ctx, err)
		}
	}
	return nil
}

// While the store fails, clients are told to ask again after storeRetry.
const storeRetry = 5 * time.Second

// storeFailed logs err. The error for the client has no details, such as addresses and paths.
func (s *Server) storeFailed(ctx context.Context, err error) error {
	switch {
	case errors.Is(err, cache.ErrClosed):
		return errLeaving
	case ctx.Err() != nil:
		return gate.ErrGone
	}
	s.Log.Error("the store failed", "error", printable.Text(err.Error()))
	return &asked.Problem{Status: http.StatusServiceUnavailable, RetryAfter: storeRetry, Err: errors.New("the store of this server does not work at the moment; try again later")}
}
