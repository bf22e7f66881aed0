// Package asked reads the questions of the HTTP API, and answers those about a robots.txt that is in
// the question. "heed serve" and the page without a server share it, so it does no I/O and has
// nothing of HTTP except the numbers of statuses.
package asked

import (
	"fmt"
	"time"
)

// A Problem is the error of a request, with the status of the response.
type Problem struct {
	Status     int           // as in net/http
	RetryAfter time.Duration // for the header Retry-After; 0: none
	Err        error
}

func (p *Problem) Error() string { return p.Err.Error() }
func (p *Problem) Unwrap() error { return p.Err }

// The statuses of this package. Package net/http has them too, but would make the page larger
// than it may be.
const (
	StatusOK         = 200
	statusBadRequest = 400
	statusNotFound   = 404
	statusTooLarge   = 413
	statusFailed     = 500
)

// Wrong returns the error of a question that cannot be answered as it is.
func Wrong(format string, args ...any) error {
	return &Problem{Status: statusBadRequest, Err: fmt.Errorf(format, args...)}
}
