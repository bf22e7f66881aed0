package live

import (
	"time"

	"github.com/heed-robots/heed/cache"
	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/origin"
)

// An Answer is a report.Answer about a live site.
type Answer struct {
	report.Answer
	Site    *Site `json:"site,omitempty"`    // the retrieval that it comes from; absent if there is no answer
	Pending bool  `json:"pending,omitempty"` // a retrieval goes on that the answer did not wait for, because the client does not wait so long
}

// An Explanation is a report.Explanation about a live site.
type Explanation struct {
	report.Question
	Site *Site `json:"site"` // the retrieval that it comes from
	report.Verdicts
}

// A Site is a live site, with the retrieval from which answers about it come.
type Site struct {
	Origin        origin.Origin `json:"origin"`                        // such as "https://www.example.com"
	Outcome       fetch.Outcome `json:"outcome"`                       // "rules" (there is a robots.txt), "unavailable", "unreachable" or "restricted"
	Status        int           `json:"status,omitempty"`              // of the last request; absent if there was no response
	Page          fetch.Page    `json:"page,omitempty"`                // what the robots.txt is instead of one: "html" (an HTML page) or "json" (one JSON value)
	Error         string        `json:"error,omitempty"`               // why the retrieval failed
	Fetched       time.Time     `json:"fetched,omitzero"`              // when the retrieval ended; absent if there was none
	AgeSeconds    int64         `json:"age_seconds"`                   // the time since "fetched"
	Stale         bool          `json:"stale"`                         // the answer is no longer fresh, but used nevertheless
	FailingSince  time.Time     `json:"failing_since,omitzero"`        // when the first of the failures that count for R-22 was; absent if the last retrieval did not fail
	NextRetrieval time.Time     `json:"next_retrieval,omitzero"`       // when the next retrieval is
	CrawlDelay    float64       `json:"crawl_delay_seconds,omitempty"` // the crawl delay for the crawler; absent if there is none
}

// AnswerOf returns an answer about a URL as data.
func AnswerOf(url string, a *cache.Answer) Answer {
	return Answer{Answer: report.AnswerOf(url, a.Decision), Site: SiteOf(a)}
}

// ExplanationOf returns an explanation with the retrieval that it comes from.
func ExplanationOf(e report.Explanation, a *cache.Answer) Explanation {
	return Explanation{Question: e.Question, Site: SiteOf(a), Verdicts: e.Verdicts}
}

// SiteOf returns the retrieval that an answer comes from.
func SiteOf(a *cache.Answer) *Site {
	s := &Site{
		Origin:        a.Origin,
		Outcome:       a.Outcome,
		Status:        a.Status,
		Page:          a.Page,
		Fetched:       inSeconds(a.Fetched),
		AgeSeconds:    int64(a.Age / time.Second),
		Stale:         a.Stale,
		FailingSince:  inSeconds(a.FailingSince),
		NextRetrieval: inSeconds(a.NextRetrieval),
		CrawlDelay:    a.CrawlDelay.Seconds(),
	}
	if a.Err != nil {
		s.Error = a.Err.Error()
	}
	return s
}

// inSeconds returns a time as data has it. The zero time stays zero.
func inSeconds(t time.Time) time.Time { return t.UTC().Truncate(time.Second) }
