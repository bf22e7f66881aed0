package live

import (
	"net/http"
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/report"
	"github.com/heed-robots/heed/robotstxt"
)

// A Retrieval is what came of asking for a robots.txt.
type Retrieval struct {
	RobotsURL string                   `json:"robots_url"`
	Hops      []fetch.Hop              `json:"hops"` // the requests, in order
	Error     string                   `json:"error,omitempty"`
	Headers   http.Header              `json:"headers,omitempty"` // those that matter
	Bytes     int                      `json:"bytes"`
	Truncated bool                     `json:"truncated"`      // the file is longer
	HTML      bool                     `json:"html,omitempty"` // it is an HTML page
	Encoding  string                   `json:"translated_from,omitempty"`
	Millis    int64                    `json:"milliseconds"`
	Outcomes  map[string]fetch.Outcome `json:"outcomes"`      // by dialect
	Seconds   map[string]int64         `json:"fresh_seconds"` // until it is asked again, by dialect
}

// RetrievalOf returns what came of a retrieval, and what it means by the statuses of
// each dialect.
func RetrievalOf(r *fetch.Result, statuses func(*robotstxt.Dialect) fetch.Statuses) Retrieval {
	j := Retrieval{
		RobotsURL: r.Origin.RobotsURL(),
		Hops:      r.Hops,
		Headers:   r.Header,
		Bytes:     len(r.Body),
		Truncated: r.Truncated,
		HTML:      r.HTML,
		Encoding:  r.Encoding,
		Millis:    r.End.Sub(r.Start).Milliseconds(),
		Outcomes:  map[string]fetch.Outcome{},
		Seconds:   map[string]int64{},
	}
	if r.Err != nil {
		j.Error = r.Err.Error()
	}
	for _, d := range robotstxt.Dialects() {
		s := statuses(d)
		j.Outcomes[d.String()] = r.OutcomeBy(s)
		j.Seconds[d.String()] = int64(cache.Lifetime(r, s, d) / time.Second)
	}
	return j
}

// A Version is what a site said over some time: a robots.txt, or that there is none.
type Version struct {
	First   *time.Time `json:"first_seen"`
	Last    *time.Time `json:"last_seen"`
	Status  int        `json:"status"`
	Bytes   int        `json:"bytes"`
	Body    *string    `json:"body,omitempty"` // nil: the answer was no robots.txt
	BodyB64 []byte     `json:"body_b64,omitempty"`
}

// VersionOf returns a version.
func VersionOf(v cache.Version) Version {
	j := Version{First: timeOrNil(v.First), Last: timeOrNil(v.Last), Status: v.Status, Bytes: len(v.Body)}
	if v.Body != nil {
		t := report.TextOf(string(v.Body))
		j.Body, j.BodyB64 = &t.Text, t.B64
	}
	return j
}
