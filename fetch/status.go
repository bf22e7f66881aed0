package fetch

import (
	"net/http"

	"github.com/jlaffaye/ftp"

	"github.com/heed-robots/heed/robotstxt"
)

// Statuses say what the status of a response means, row by row. 2xx are Rules, but
// see HTMLPages. The zero Statuses take everything for Unreachable; start from
// StatusesOf.
type Statuses struct {
	Unauthorized    Outcome // 401
	Forbidden       Outcome // 403
	NotFound        Outcome // 404
	Gone            Outcome // 410
	TooManyRequests Outcome // 429
	ClientError     Outcome // the other 4xx
	ServerError     Outcome // 5xx
	Other           Outcome // all others, redirects that lead nowhere among them
	ManyRedirects   Outcome // more redirects than MaxRedirects
	MaxRedirects    int

	// HTMLPages is the Outcome where a robots.txt is an HTML page: a login form, a
	// challenge, a page that a server sends for every URL. It is Rules in
	// StatusesOf, as in the documents; a careful crawler sets Unreachable.
	HTMLPages Outcome

	// NotFoundPages: a server error whose page says that there is no such file
	// counts as NotFound (G-6).
	NotFoundPages bool
}

// newer are the statuses of the 2019 draft and RFC 9309, and but
// for NotFoundPages of Google (G-3 to G-5). That 429 is unreachable is Google's reading; the
// documents let a crawler be as strict.
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
	HTMLPages:       Rules,
}

// older are the statuses of the 1996 draft (S96-1). 1994 says nothing about
// any, and is read alike.
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
	HTMLPages:       Rules,
}

// StatusesOf returns what statuses mean in a dialect, nil being RFC 9309.
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

// ofFTP returns what the last reply of an FTP server means: that the transfer
// is done, that there is no such file, or anything else (G-1).
func (s *Statuses) ofFTP(reply int) Outcome {
	switch reply {
	case ftp.StatusClosingDataConnection:
		return Rules
	case ftp.StatusFileUnavailable:
		return s.NotFound
	}
	return s.ServerError
}

// of returns what a status of HTTP means.
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
