package live

import (
	"mime"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/lint"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/robotstxt"
)

// InputOf returns the robots.txt of a retrieval, to compare it. If the site has none, it allows or
// disallows everything, as the outcome says; a caller must not compare a site that is unreachable.
func InputOf(name string, r *fetch.Result, s fetch.Statuses, d *robotstxt.Dialect) report.Input {
	in := report.InputOf(name, r.FileBy(s, d))
	in.Truncated = in.Truncated || r.Truncated
	return in
}

// ResponseOf returns how a site has sent its robots.txt, for lint.CheckResponse. It is zero for
// ftp.
func ResponseOf(r *fetch.Result) (response lint.Response) {
	if r == nil || r.Origin.Scheme() == "ftp" {
		return response
	}
	for _, hop := range r.Hops {
		response.URLs = append(response.URLs, hop.URL)
	}
	if r.Err == nil {
		response.Status, response.ContentType, response.Body = r.Status, r.Header.Get("Content-Type"), r.Body
		media, parameters, _ := mime.ParseMediaType(response.ContentType)
		response.MediaType, response.Charset = media, parameters["charset"]
		response.Lifetime, _ = cache.ServerLifetime(r)
		response.Truncated = r.Truncated
	}
	return response
}
