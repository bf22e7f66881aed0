package gate

import (
	"context"
	"errors"
	"net/http"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/heed-robots/heed/internal/asked"
	"github.com/heed-robots/heed/origin"
)

// retrievals limits the requests that the daemon sends to sites. Each question about a new site
// is a request to it, and clients choose the sites: without a limit, one client could use the
// daemon to send requests to thousands of them.
//
// Beyond a limit there is no retrieval and no answer, only an error: a question without an answer
// is no permission. What is cached is answered as before.
type retrievals struct {
	each, all *meter
	underWay  *semaphore.Weighted // with those that wait for a turn of the Fetcher
}

var errManyRetrievals = &asked.Problem{Status: http.StatusServiceUnavailable, RetryAfter: time.Second, Err: errors.New("nothing fresh is cached for the site, and too many retrievals are under way; ask again later")}

// Admit is for cache.Cache.Admit.
func (r *retrievals) Admit(ctx context.Context, _ origin.Origin) (end func(), err error) {
	now := time.Now()
	if c, ok := ClientIn(ctx); ok {
		if wait := r.each.take(c, now); wait > 0 {
			return nil, &asked.Problem{Status: http.StatusTooManyRequests, RetryAfter: wait, Err: errors.New("nothing fresh is cached for the site, and this client has caused too many retrievals; ask again later")}
		}
	}
	if wait := r.all.take(Client{}, now); wait > 0 {
		return nil, &asked.Problem{Status: http.StatusServiceUnavailable, RetryAfter: wait, Err: errors.New("nothing fresh is cached for the site, and the server has made too many retrievals; ask again later")}
	}
	if !r.underWay.TryAcquire(1) {
		return nil, errManyRetrievals
	}
	return func() { r.underWay.Release(1) }, nil
}
