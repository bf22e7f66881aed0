package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/heed-robots/heed/internal/defaults"
)

// follow asks for the file, and on wherever redirects lead. It returns why
// there is no answer; too many redirects are an answer, see Result.Outcome.
func (f *Fetcher) follow(ctx context.Context, left *timeLeft, r *Result, agent string, v Validators) error {
	target := r.Origin.RobotsURL()
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
		if err != nil {
			return fmt.Errorf("redirect to %q: %w", target, err)
		}
		setHeaders(request.Header, agent)
		r.Conditional = setConditions(request, v)
		r.Hops = append(r.Hops, Hop{URL: target})
		if err := f.ask(left, r, request); err != nil {
			return err
		}
		hop := &r.Hops[len(r.Hops)-1]
		if !isRedirect(hop.Status) {
			return nil
		}
		if r.Redirects() > defaults.Positive(f.MaxRedirects, defaultMaxRedirects) {
			return nil
		}
		if target, err = resolve(request.URL, hop.Location); err != nil {
			return err
		}
	}
}

// ask makes one request of a retrieval, in its turn.
func (f *Fetcher) ask(left *timeLeft, r *Result, request *http.Request) error {
	if err := checkPort(request.URL.Scheme, request.URL.Port()); err != nil {
		return err
	}
	return f.inTurn(request.Context(), left, request.URL.Hostname(), func(ctx context.Context) error {
		return f.request(r, request.WithContext(ctx))
	})
}

func (f *Fetcher) request(r *Result, request *http.Request) error {
	response, err := f.send(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	hop := &r.Hops[len(r.Hops)-1]
	location := response.Header.Get("Location")
	hop.Status, hop.Location = response.StatusCode, strings.Clone(location[:min(len(location), maxURL)])
	r.Status = response.StatusCode
	if isRedirect(response.StatusCode) { // only its Location matters
		if len(location) > maxURL {
			return fmt.Errorf("redirect to a URL of %d bytes, more than %d", len(location), maxURL)
		}
		return nil
	}
	return f.read(r, response)
}

// send sends a request by Transport, or by a transport of its own on the way that
// Proxy says.
func (f *Fetcher) send(request *http.Request) (*http.Response, error) {
	if f.Transport != nil {
		response, err := f.Transport.RoundTrip(request)
		return response, cause(err)
	}
	way, err := f.route(request)
	if err != nil {
		return nil, err
	}
	request = request.WithContext(way.watch(request.Context(), request.URL.Scheme))
	response, err := f.transport(request.Context(), way).RoundTrip(request)
	if err != nil {
		return nil, way.blame(request.Context(), cause(err))
	}
	if err := way.refusal(response); err != nil {
		response.Body.Close()
		return nil, err
	}
	return response, nil
}

func setHeaders(h http.Header, agent string) {
	h.Set("User-Agent", agent)
	h.Set("Accept", "text/plain, */*;q=0.1")
	h.Set("Accept-Encoding", "gzip")
}

// setConditions makes a request conditional where it can be.
func setConditions(r *http.Request, v Validators) bool {
	if r.URL.String() != v.URL || v.ETag == "" && v.LastModified == "" {
		return false
	}
	if v.ETag != "" {
		r.Header.Set("If-None-Match", v.ETag)
	}
	if v.LastModified != "" {
		r.Header.Set("If-Modified-Since", v.LastModified)
	}
	return true
}

// isRedirect: other 3xx lead nowhere and are read as a status that no document
// names.
func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// maxURL bounds the URL that a redirect leads to, in bytes: stores keep every hop.
const maxURL = 2 << 10

// resolve returns where a redirect leads.
func resolve(from *url.URL, location string) (string, error) {
	if location == "" {
		return "", errors.New("a redirect without Location")
	}
	to, err := from.Parse(location)
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
	if len(target) > maxURL { // percent-encoding makes it longer
		return "", fmt.Errorf("redirect to a URL of %d bytes, more than %d", len(target), maxURL)
	}
	return target, nil
}

// read takes what matters of the last response.
func (f *Fetcher) read(r *Result, response *http.Response) error {
	r.Header = keep(response.Header)
	body, err := unpacked(response)
	if r.isFile() {
		err = cmp.Or(checkWhole(response), err)
	} else if errors.Is(err, NoRobotsTxt) {
		return nil // the status decides, whatever the body is
	}
	if err == nil {
		err = f.readBody(r, body, response.Header.Get("Content-Type"))
	}
	if err == nil && r.isFile() {
		err = checkCoding(response.Header, r.Body)
	}
	r.SaysNotFound = saysNotFound(r.Status, r.Body)
	return err
}

// kept are the headers that say what a response is and how long it lasts.
var kept = []string{
	"Age", "Cache-Control", "Content-Type", "Date", "Etag", "Expires", "Last-Modified", "Retry-After",
}

// maxHeader is how many bytes are kept of one header: meaningful ones are shorter.
const maxHeader = 1 << 10

func keep(h http.Header) http.Header {
	some := http.Header{}
	for _, name := range kept {
		room := maxHeader
		for _, value := range h.Values(name) {
			size := len(value) + 16 // and the string header
			if size > room {
				continue // a part of an ETag would be another ETag
			}
			room -= size
			some[name] = append(some[name], strings.Clone(value)) // else all headers would stay in memory
		}
	}
	return some
}

// cause strips what net/http wraps around an error that says the URL again.
func cause(err error) error {
	var outer *url.Error
	if errors.As(err, &outer) {
		return outer.Err
	}
	return err
}
