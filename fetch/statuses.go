package fetch

import (
	"net/http"

	"github.com/jlaffaye/ftp"

	"github.com/heed-robots/heed/robotstxt"
)

// Statuses says which Outcome each HTTP status has. 2xx means Rules; see also Pages. In the zero Statuses every other
// status means Unreachable. To make Statuses of your own, change the result of StatusesOf.
type Statuses struct {
	Unauthorized    Outcome // 401
	Forbidden       Outcome // 403
	NotFound        Outcome // 404
	Gone            Outcome // 410
	TooManyRequests Outcome // 429
	ClientError     Outcome // all other statuses 4xx
	ServerError     Outcome // 5xx
	Other           Outcome // all other statuses: for example 304, 700, and redirects that are not followed
	ManyRedirects   Outcome // Outcome of a retrieval with more redirects than MaxRedirects
	MaxRedirects    int

	// Pages is the Outcome if the body is an HTML page or a JSON value. StatusesOf sets it to Rules, as the
	// standards say. A careful crawler uses Unreachable.
	Pages Outcome

	// NotFoundPages is about a status 5xx with a page that says "not found". If NotFoundPages is true, such a
	// response has the same Outcome as a 404: NotFound (G-6).
	NotFoundPages bool
}

// newer are the Statuses of RFC 9309 and the draft of 2019. The Statuses of Google (G-3 to G-5) differ only
// in NotFoundPages. The value for status 429 is from Google: the server is busy for a short time only.
var newer = Statuses{
	Unauthorized:    Unavailable,
	Forbidden:       Unavailable,
	NotFound:        Unavailable,
	Gone:            Unavailable,
	TooManyRequests: Unreachable,
	ClientError:     Unavailable,
	ServerError:     Unreachable,
	Other:           Unreachable,
	ManyRedirects:   Unavailable,
	MaxRedirects:    5,
	Pages:           Rules,
}

// StatusesOf returns the Statuses of the dialect d. A nil d and a zero Dialect mean RFC 9309.
func StatusesOf(d *robotstxt.Dialect) Statuses {
	s := newer
	switch d.String() {
	case robotstxt.Standard1994.String(), robotstxt.Draft1996.String():
		// The draft of 1996 (S96-1). The standard of 1994 defines no statuses.
		s.Unauthorized, s.Forbidden, s.ManyRedirects = Restricted, Restricted, Unreachable
		s.MaxRedirects = 10
	case robotstxt.Google.String():
		s.NotFoundPages = true
	}
	return s
}

// ftpOutcome returns the Outcome for the last FTP reply (G-1): 226 complete, 150 cut at MaxBytes, 550 no such file.
func (s *Statuses) ftpOutcome(reply int) Outcome {
	switch reply {
	case ftp.StatusClosingDataConnection, ftp.StatusAboutToSend:
		return Rules
	case ftp.StatusFileUnavailable:
		return s.NotFound
	}
	return s.ServerError
}

func (s *Statuses) httpOutcome(status int) Outcome {
	switch {
	case status >= 200 && status <= 299:
		return Rules
	case status == http.StatusUnauthorized:
		return s.Unauthorized
	case status == http.StatusForbidden:
		return s.Forbidden
	case status == http.StatusNotFound:
		return s.NotFound
	case status == http.StatusGone:
		return s.Gone
	case status == http.StatusTooManyRequests:
		return s.TooManyRequests
	case status >= 400 && status <= 499:
		return s.ClientError
	case status >= 500 && status <= 599:
		return s.ServerError
	}
	return s.Other
}
