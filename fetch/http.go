package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/heed-robots/heed/internal/defaults"
	"github.com/heed-robots/heed/internal/printable"
	"github.com/heed-robots/heed/internal/rawbody"
	"github.com/heed-robots/heed/internal/redirect"
)

// Too many redirects are no error here: the dialect of the caller decides what they mean.
func (f *Fetcher) fetchHTTP(ctx context.Context, left *timeLeft, r *Result, agent string, v Validators) error {
	target := r.Origin.RobotsURL()
	if f.Path != "" {
		target = r.Origin.String() + f.Path
	}
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
		if err != nil {
			return fmt.Errorf("heed sends no request to the URL %q: %w", target, err)
		}
		setHeaders(request.Header, agent)
		r.Conditional = setConditions(request, v)
		r.Hops = append(r.Hops, Hop{URL: target})
		if err := f.limitedRequest(left, r, request); err != nil {
			return err
		}
		hop := &r.Hops[len(r.Hops)-1]
		if !redirect.Is(hop.Status) || r.Redirects() > defaults.Positive(f.MaxRedirects, defaultMaxRedirects) {
			return nil
		}
		if target, err = redirect.Target(target, hop.Location); err != nil {
			return err
		}
	}
}

func (f *Fetcher) limitedRequest(left *timeLeft, r *Result, request *http.Request) error {
	if err := f.checkTarget(request.URL); err != nil {
		return err
	}
	return f.withinLimits(request.Context(), left, request.URL.Hostname(), func(ctx context.Context) error {
		return f.request(r, request.WithContext(ctx))
	})
}

func (f *Fetcher) request(r *Result, request *http.Request) error {
	if f.Sign != nil { // just before the request is sent, because a signature is valid for a short time only
		if err := f.Sign(request); err != nil {
			return &Failure{LocalFailure, printable.Short(err.Error())}
		}
	}
	response, err := f.send(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	hop := &r.Hops[len(r.Hops)-1]
	location := response.Header.Get("Location")
	hop.Status, hop.Location = response.StatusCode, strings.Clone(location[:min(len(location), redirect.MaxURL)])
	r.Status = response.StatusCode
	if redirect.Is(response.StatusCode) { // the body of a redirect is not used
		return redirect.CheckLength(location)
	}
	r.Header = keepHeaders(response.Header)
	return r.decide(response.Header, func() error { return f.readBody(r, response.Body, response.Header) })
}

func (f *Fetcher) send(request *http.Request) (*http.Response, error) {
	if f.Transport != nil {
		response, err := f.Transport.RoundTrip(request)
		return response, withoutURL(err)
	}
	route, err := f.routeOf(request)
	if err != nil {
		return nil, err
	}
	request = request.WithContext(route.withTrace(request.Context(), request.URL.Scheme))
	response, err := f.transport(request.Context(), route).RoundTrip(request)
	if err != nil {
		return nil, route.failure(request.Context(), withoutURL(err))
	}
	if err := route.refusal(response); err != nil {
		response.Body.Close()
		return nil, err
	}
	return response, nil
}

func setHeaders(h http.Header, agent string) {
	h.Set("User-Agent", agent)
	h.Set("Accept", "text/plain, */*;q=0.1")
	h.Set("Accept-Encoding", "gzip") // set here, so that net/http does not decompress: heed must see if a body was compressed twice
}

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

// If the status is 2xx, the body must be a robots.txt. An error page may be anything.
func (r *Result) decide(h http.Header, readBody func() error) (err error) {
	defer func() { r.SaysNotFound = saysNotFound(r.Status, r.Body) }()
	if !r.isFile() {
		if err := readBody(); !errors.Is(err, NoRobotsTxt) {
			return err
		}
		return nil
	}
	_, ranged := h["Content-Range"]
	if why := rawbody.NotWhole(r.Status, ranged); why != "" {
		return noRobotsTxt("%s", why)
	}
	if err := readBody(); err != nil {
		return err
	}
	_, unknown := rawbody.Codings(h.Values("Content-Encoding"))
	if why := rawbody.NoRobotsTxt(r.Status, unknown, r.Body); why != "" {
		return noRobotsTxt("%s", why)
	}
	return nil
}

var keptHeaders = []string{
	"Age", "Cache-Control", "Content-Type", "Date", "Etag", "Expires", "Last-Modified", "Retry-After",
}

const maxHeader = 1 << 10

func keepHeaders(h http.Header) http.Header {
	kept := http.Header{}
	for _, name := range keptHeaders {
		room := maxHeader
		for _, value := range h.Values(name) {
			size := len(value) + 16 // a string takes 16 bytes in addition to its text
			if size > room {
				continue // the value is left out, and not cut: a part of an ETag would be another ETag
			}
			room -= size
			kept[name] = append(kept[name], strings.Clone(value)) // a copy, because a substring would keep the memory of all headers
		}
	}
	return kept
}

// withoutURL removes the url.Error of net/http, which repeats the URL.
func withoutURL(err error) error {
	if outer, ok := errors.AsType[*url.Error](err); ok {
		return outer.Err
	}
	return err
}
