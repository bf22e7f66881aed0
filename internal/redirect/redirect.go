// Package redirect decides which redirects are followed when a robots.txt is fetched.
package redirect

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
)

// MaxURL is the maximum length of the URL of a redirect, in bytes, because stores keep these URLs.
const MaxURL = 2 << 10

// Is reports whether a redirect with this status is followed. Other statuses from 300 to 399 have no meaning for a
// robots.txt.
func Is(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// Target returns the absolute URL to which a redirect leads, without user and fragment. Only http and https are valid.
func Target(from, location string) (string, error) {
	if location == "" {
		return "", errors.New("the response is a redirect, but has no Location header, so heed cannot follow it")
	}
	if err := CheckLength(location); err != nil {
		return "", err
	}
	base, err := url.Parse(from)
	if err != nil {
		return "", fmt.Errorf("the response redirects from %q, which is not a URL, so heed cannot follow the redirect", from)
	}
	to, err := base.Parse(location)
	switch {
	case err != nil:
		return "", fmt.Errorf("the response redirects to %q, which is not a URL, so heed cannot follow the redirect", location)
	case to.Scheme != "http" && to.Scheme != "https":
		return "", fmt.Errorf("the response redirects to %q: expected a URL of http or https", location)
	case to.Host == "":
		return "", fmt.Errorf("the response redirects to %q, which has no host, so heed cannot follow the redirect", location)
	}
	to.Fragment, to.User = "", nil
	target := to.String()
	if err := CheckLength(target); err != nil { // the URL may be longer now, because String may escape bytes
		return "", err
	}
	return target, nil
}

// CheckNumber returns an error if a retrieval has more redirects than the limit.
func CheckNumber(redirects, limit int) error {
	if redirects <= limit {
		return nil
	}
	return fmt.Errorf("more than %d redirects", limit)
}

// CheckLength returns an error if the URL of a redirect is longer than MaxURL.
func CheckLength(url string) error {
	if len(url) <= MaxURL {
		return nil
	}
	return fmt.Errorf("the server redirects to a URL of %d bytes; heed follows URLs of at most %d bytes", len(url), MaxURL)
}
