package live

import (
	"mime"
	"net/http"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/lint"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/robotstxt"
)

// A Retrieval is one retrieval of a robots.txt, with its result.
type Retrieval struct {
	RobotsURL string `json:"robots_url"`
	// The requests in order. "status" is 0 if no response came. The list is null if there was no request.
	Hops  []fetch.Hop `json:"hops"`
	Error string      `json:"error,omitempty"` // why the retrieval failed
	// Those headers of the last response that describe the type or the freshness of the content.
	Headers   http.Header `json:"headers,omitempty"`
	Bytes     int         `json:"bytes"`            // the size in bytes of the part of the body that is used, as UTF-8
	SHA256    string      `json:"sha256,omitempty"` // the SHA-256 of this part in hexadecimal; absent if no dialect reads the body
	Truncated bool        `json:"truncated"`        // true if the body is longer than the part that is used
	// What the server sent instead of a robots.txt: "html" for an HTML page, or "json" for a JSON value.
	Page     fetch.Page `json:"page,omitempty"`
	Encoding string     `json:"translated_from,omitempty"` // the encoding of the body; absent if the encoding was UTF-8
	Millis   int64      `json:"milliseconds"`              // the duration of the retrieval
	// For each dialect: "rules" if there is a robots.txt, else "unavailable", "unreachable" or "restricted".
	Outcomes map[string]fetch.Outcome `json:"outcomes"`
	Seconds  map[string]int64         `json:"fresh_seconds"` // for each dialect, for how many seconds heed uses the result of this retrieval. After the first failure, the number of seconds until the next try: after several failures heed waits longer, see "next_retrieval"
}

// The function statuses returns what each HTTP status means in a dialect.
func RetrievalOf(r *fetch.Result, statuses func(*robotstxt.Dialect) fetch.Statuses) Retrieval {
	j := Retrieval{
		RobotsURL: r.Origin.RobotsURL(),
		Hops:      r.Hops,
		Headers:   r.Header,
		Bytes:     len(r.Body),
		Truncated: r.Truncated,
		Page:      r.Page,
		Encoding:  r.Encoding,
		Millis:    r.End.Sub(r.Start).Milliseconds(),
		Outcomes:  map[string]fetch.Outcome{},
		Seconds:   map[string]int64{},
	}
	if r.Err != nil {
		j.Error = Failure(r.Err)
	}
	for _, d := range robotstxt.Dialects() {
		s := statuses(d)
		outcome := r.OutcomeBy(s)
		if outcome == fetch.Rules && j.SHA256 == "" {
			j.SHA256 = r.SHA256()
		}
		j.Outcomes[d.String()] = outcome
		j.Seconds[d.String()] = int64(cache.Lifetime(r, s, d) / time.Second)
	}
	return j
}

// A Version is what a site answered for some time: a robots.txt, or a status that means that the site has no robots.txt.
type Version struct {
	First   *time.Time `json:"first_seen"`     // the time of the first retrieval of this version; null if unknown
	Last    *time.Time `json:"last_seen"`      // the time of the last retrieval of this version
	Status  int        `json:"status"`         // the HTTP status of the response
	Bytes   int        `json:"bytes"`          // the size of the robots.txt in bytes
	Body    *string    `json:"body,omitempty"` // the robots.txt; absent if the site had none
	BodyB64 []byte     `json:"body_b64,omitempty"`
}

func timeOrNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return new(inSeconds(t))
}

func VersionOf(v cache.Version) Version {
	j := Version{First: timeOrNil(v.First), Last: timeOrNil(v.Last), Status: v.Status, Bytes: len(v.Body)}
	if v.Body != nil {
		t := report.TextOf(string(v.Body))
		j.Body, j.BodyB64 = &t.Text, t.B64
	}
	return j
}

// InputOf is for a comparison. The site must not be unreachable.
func InputOf(name string, r *fetch.Result, s fetch.Statuses, d *robotstxt.Dialect) report.Input {
	in := report.InputOf(name, r.FileBy(s, d))
	in.Truncated = in.Truncated || r.Truncated
	return in
}

// ResponseOf is for lint.CheckResponse. For ftp, it returns the zero Response.
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
