// Package redirect has the redirects that a retrieval of a robots.txt follows.
package redirect

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
)

// MaxURL limits the URL of a redirect, in bytes, because stores keep every hop.
const MaxURL = 2 << 10

// Is reports whether a status is a redirect that is followed. The other 3xx
// count as a status that no document defines.
func Is(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// Target returns the absolute URL to which a redirect from a URL leads, without user and fragment.
// It returns an error if it is not followed: the Location is longer than MaxURL, or no URL
// of http or https.
func Target(from, location string) (string, error) {
	switch {
	case location == "":
		return "", errors.New("a redirect without Location")
	case len(location) > MaxURL:
		return "", errLong(location)
	}
	base, err := url.Parse(from)
	if err != nil {
		return "", fmt.Errorf("redirect from %q: not a URL", from)
	}
	to, err := base.Parse(location)
	switch {
	case err != nil:
		return "", fmt.Errorf("redirect to %q: not a URL", location)
	case to.Scheme != "http" && to.Scheme != "https":
		return "", fmt.Errorf("redirect to %q: expected http or https", location)
	case to.Host == "":
		return "", fmt.Errorf("redirect to %q: no host", location)
	}
	to.Fragment, to.User = "", nil
	target := to.String()
	if len(target) > MaxURL { // String may escape bytes, which makes the URL longer
		return "", errLong(target)
	}
	return target, nil
}

func errLong(url string) error {
	return fmt.Errorf("redirect to a URL of %d bytes, more than %d", len(url), MaxURL)
}
