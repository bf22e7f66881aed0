package fetch

import (
	"net/http"

	"github.com/jlaffaye/ftp"

	"github.com/heed-robots/heed/robotstxt"
)

// Statuses maps the status of a response to an Outcome. 2xx means Rules, except for
// Pages. In the zero Statuses everything else means Unreachable. Use StatusesOf, and
// change fields of its result.
type Statuses struct {
	Unauthorized    Outcome // 401
	Forbidden       Outcome // 403
	NotFound        Outcome // 404
	Gone            Outcome // 410
	TooManyRequests Outcome // 429
	ClientError     Outcome // the other 4xx
	ServerError     Outcome // 5xx
	Other           Outcome // all others, such as 304 or 700, and 3xx that are not followed
	ManyRedirects   Outcome // more redirects than MaxRedirects
	MaxRedirects    int

	// Pages is the Outcome if the body is an HTML page or a JSON value: a login form, a
	// challenge, or what the server sends for every URL. StatusesOf returns Rules for it,
	// as the documents say. A careful crawler sets Unreachable.
	Pages Outcome

	// NotFoundPages: status 5xx with a page that says "not found" counts as NotFound (G-6).
	NotFoundPages bool
}

// newer are the Statuses of the draft of 2019 and RFC 9309. Those of Google
// (G-3 to G-5) differ only in NotFoundPages. 429 is unreachable as in Google's
// documentation; the other documents allow a crawler to be that strict.
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

// older are the Statuses of the draft of 1996 (S96-1). The standard of 1994 defines none;
// Heed uses the same for it.
var older = Statuses{
	Unauthorized:    Restricted,
	Forbidden:       Restricted,
	NotFound:        Unavailable,
	Gone:            Unavailable,
	TooManyRequests: Unreachable, // a temporary failure
	ClientError:     Unavailable,
	ServerError:     Unreachable,
	Other:           Unreachable,
	ManyRedirects:   Unreachable,
	MaxRedirects:    10,
	Pages:           Rules,
}

// StatusesOf returns the Statuses of a dialect; nil and a zero Dialect mean RFC 9309.
func StatusesOf(d *robotstxt.Dialect) Statuses {
	switch d.String() {
	case robotstxt.Standard1994.String(), robotstxt.Draft1996.String():
		return older
	case robotstxt.Google.String():
		google := newer
		google.NotFoundPages = true
		return google
	}
	return newer
}

// ofFTP returns the Outcome for the last reply of an FTP server: 226 means that the
// transfer is complete, 550 that there is no such file (G-1).
func (s *Statuses) ofFTP(reply int) Outcome {
	switch reply {
	case ftp.StatusClosingDataConnection:
		return Rules
	case ftp.StatusFileUnavailable:
		return s.NotFound
	}
	return s.ServerError
}

// of returns the Outcome for a status of HTTP.
func (s *Statuses) of(status int) Outcome {
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
